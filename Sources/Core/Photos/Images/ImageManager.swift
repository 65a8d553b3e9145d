import FoundationEssentials
import Glibc
import Imaging
import Platform
import Synchronization

/// Makes images of photos for one client's view of the library.
///
/// Files are read and pictures decoded on the thread `images`, one at a time; result handlers are called there and must
/// return soon. A synchronous request does its work on the calling thread instead.
/// - Blocking: only synchronous requests, for reading and decoding.
public final class ImageManager: Sendable {
    /// Most bytes of pixels that are kept for the next request.
    package static let cacheLimit = 32 << 20
    /// Most bytes of a photo that is shown.
    static let fileLimit = 256 << 20
    /// Where a small picture is looked for: an Exif segment and what may stand beside it.
    private static let headLimit = 256 << 10
    /// Held while a picture is decoded, so that synchronous requests of several threads do not add up their memory.
    private static let turn = Mutex<Void>(())

    private let resources: any ResourceOpening
    private let files: any FileOperations
    private let requests = RequestTable()
    private let cache: Mutex<ImageCache>

    /// A manager for what a client sees of a library.
    public convenience init(library: PhotoLibrary) {
        self.init(resources: library, files: library.files)
    }

    init(resources: any ResourceOpening, files: any FileOperations, cacheLimit: Int = cacheLimit) {
        self.resources = resources
        self.files = files
        cache = Mutex(ImageCache(byteLimit: cacheLimit))
    }

    /// Bytes of pixels that are kept now.
    var cachedBytes: Int { cache.withLock { $0.byteCount } }

    /// Makes an image of a photo, upright.
    ///
    /// The handler is called with a degraded image at most, then exactly once with the last result: an image, an error,
    /// or that the request was canceled.
    /// - Parameters:
    ///   - targetSize: in pixels; `.maximum` for all there are.
    ///   - options: as a new `ImageRequestOptions` when nil; read before the call returns.
    /// - Returns: the request's number; when it was synchronous it is over.
    @discardableResult
    public func requestImage(
        for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode, options: ImageRequestOptions?,
        resultHandler: @escaping @Sendable (PhotoImage?, ImageRequestInfo) -> Void
    ) -> ImageRequestID {
        let options = options ?? ImageRequestOptions()
        let request = ImageRequest(
            id: requests.begin(), asset: asset, targetSize: targetSize, contentMode: contentMode, options: options,
            handler: resultHandler)
        run(isSynchronous: options.isSynchronous) { [self] in await show(request) }
        return request.id
    }

    /// Gives a photo's whole file as it is, its uniform type identifier, and its Exif orientation.
    ///
    /// The handler is called exactly once.
    /// - Parameter options: only `isSynchronous` matters.
    /// - Returns: the request's number; when it was synchronous it is over.
    @discardableResult
    public func requestImageDataAndOrientation(
        for asset: Asset, options: ImageRequestOptions?,
        resultHandler: @escaping @Sendable (Data?, String?, Int, ImageRequestInfo) -> Void
    ) -> ImageRequestID {
        let id = requests.begin()
        let (identifier, position) = (asset.localIdentifier, asset.photoPosition)
        let type = asset.resources.indices.contains(position) ? asset.resources[position].uniformTypeIdentifier : nil
        run(isSynchronous: options?.isSynchronous ?? false) { [self] in
            let result = await content(identifier, position)
            let info = (try? result.get()).flatMap { data in
                data.withUnsafeBytes { bytes in try? PhotoFileInfo(file: bytes) { _ in 0 } }
            }
            let isCancelled = requests.end(id)
            switch result {
            case .success(let data) where !isCancelled:
                let type = type ?? info?.kind.uniformTypeIdentifier
                resultHandler(data, type, info?.orientation ?? 1, ImageRequestInfo(requestID: id))
            case .failure(let error) where !isCancelled:
                resultHandler(nil, nil, 1, ImageRequestInfo(requestID: id, error: error))
            default: resultHandler(nil, nil, 1, ImageRequestInfo(requestID: id, isCancelled: true))
            }
        }
        return id
    }

    /// Cancels a request: its handler is called once more, to say so, and never again. A call that has begun is not
    /// taken back; nothing happens when the request is over.
    public func cancelImageRequest(_ requestID: ImageRequestID) {
        requests.cancel(requestID)
    }

    private func run(isSynchronous: Bool, _ work: @escaping @Sendable () async -> Void) {
        if isSynchronous { CallingThreadExecutor.run(work) } else { RequestExecutor.images.run(work) }
    }

    // MARK: One request

    private func show(_ request: ImageRequest) async {
        do throws(PhotosError) {
            let path = try await resources.path(of: request.key.identifier, resource: request.position)
            if requests.isCancelled(request.id) { return finish(request, nil) }
            if let image = cache.withLock({ $0.image(for: request.key) }) { return finish(request, image) }
            if request.mayBeDegraded, let (small, isDegraded) = thumbnail(path, request) {
                if request.deliveryMode == .fastFormat { return finish(request, small, isDegraded: isDegraded) }
                if requests.isCancelled(request.id) { return finish(request, nil) }
                request.handler(small, ImageRequestInfo(requestID: request.id, isDegraded: true))
                if requests.isCancelled(request.id) { return finish(request, nil) }
            }
            let image = try await made(path, request)
            cache.withLock { $0.insert(image, for: request.key) }
            finish(request, image)
        } catch {
            finish(request, nil, error: error)
        }
    }

    /// The last call of a handler.
    private func finish(
        _ request: ImageRequest, _ image: PhotoImage?, isDegraded: Bool = false, error: PhotosError? = nil
    ) {
        if requests.end(request.id) {
            request.handler(nil, ImageRequestInfo(requestID: request.id, isCancelled: true))
        } else {
            request.handler(image, ImageRequestInfo(requestID: request.id, isDegraded: isDegraded, error: error))
        }
    }

    /// The small picture of a file; nil when it has none.
    private func thumbnail(_ path: String, _ request: ImageRequest) -> (image: PhotoImage, isDegraded: Bool)? {
        guard let head = try? files.readPrefix(path, count: Self.headLimit),
            let (small, full) = head.withUnsafeBytes({ PhotoImage.thumbnail(in: $0) })
        else { return nil }
        let key = request.key
        let wanted = key.resizeMode == .none ? full : full.scaled(for: key.targetSize, key.contentMode)
        let image = key.resizeMode == .exact ? (try? small.averaged(to: wanted)) ?? small : small
        return (image, image.width < wanted.width || image.height < wanted.height)
    }

    private func made(_ path: String, _ request: ImageRequest) async throws(PhotosError) -> PhotoImage {
        let key = request.key
        let result: Result<PhotoImage, ImageFailure> = Self.turn.withLock { _ in
            Result { () throws(ImageFailure) in
                let file: [UInt8]
                do throws(SystemError) { file = try files.read(path, limit: Self.fileLimit) } catch {
                    throw .system(error)
                }
                do throws(ImagingError) {
                    return try file.withBytes { (bytes) throws(ImagingError) in
                        try PhotoImage.read(
                            bytes, targetSize: key.resizeMode == .none ? .maximum : key.targetSize,
                            contentMode: key.contentMode, exactness: key.resizeMode == .exact ? .exact : .atLeast)
                    }
                } catch {
                    throw .imaging(error)
                }
            }
        }
        do throws(ImageFailure) { return try result.get() } catch {
            switch error {
            case .system(let error):
                throw await resources.failure(error, of: key.identifier, resource: request.position)
            case .imaging(let fault):
                throw PhotosError(.invalidResource, "The photo \(key.identifier) cannot be shown: \(fault).")
            }
        }
    }

    /// The whole file, in one piece of memory.
    private func content(_ identifier: String, _ position: Int) async -> Result<Data, PhotosError> {
        do throws(PhotosError) {
            let path = try await resources.path(of: identifier, resource: position)
            var content = Data()
            do throws(SystemError) {
                try files.readWhile(path) { piece in
                    content.append(contentsOf: piece)
                    return content.count <= Self.fileLimit
                }
                if content.count > Self.fileLimit { throw SystemError(code: EFBIG, operation: "read", path: path) }
            } catch {
                throw await resources.failure(error, of: identifier, resource: position)
            }
            return .success(content)
        } catch {
            return .failure(error)
        }
    }
}

/// One request for an image, with its options as they were.
private struct ImageRequest: Sendable {
    let id: ImageRequestID
    let key: ImageCache.Key
    let position: Int
    let deliveryMode: ImageRequestOptions.DeliveryMode
    /// True when the small picture may be given.
    let mayBeDegraded: Bool
    let handler: @Sendable (PhotoImage?, ImageRequestInfo) -> Void

    init(
        id: ImageRequestID, asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode,
        options: ImageRequestOptions, handler: @escaping @Sendable (PhotoImage?, ImageRequestInfo) -> Void
    ) {
        self.id = id
        key = ImageCache.Key(
            identifier: asset.localIdentifier, targetSize: targetSize, contentMode: contentMode,
            resizeMode: options.resizeMode)
        position = asset.photoPosition
        deliveryMode = options.deliveryMode
        mayBeDegraded =
            options.deliveryMode == .fastFormat || options.deliveryMode == .opportunistic && !options.isSynchronous
        self.handler = handler
    }
}

/// Why an image could not be made.
private enum ImageFailure: Error {
    case system(SystemError)
    case imaging(ImagingError)
}

extension Asset {
    /// The place of the photograph itself among the resources.
    fileprivate var photoPosition: Int { resources.firstIndex { $0.type == .photo } ?? 0 }
}

extension ResourceOpening {
    /// What a failed read means: a file that is gone may be a photo that was deleted after its path was found.
    func failure(_ error: SystemError, of identifier: String, resource position: Int) async -> PhotosError {
        if error.code == EFBIG {
            return PhotosError(.invalidResource, "The photo \(identifier) is too large to deliver in one piece.")
        }
        guard error.code == ENOENT else { return PhotosError(error) }
        do throws(PhotosError) {
            _ = try await path(of: identifier, resource: position)
            return PhotosError(error)
        } catch {
            return error
        }
    }
}
