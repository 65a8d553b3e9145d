import Foundation
import Imaging
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

/// A photograph as a camera makes it, flat and quick to draw.
func photograph(_ width: Int, _ height: Int, orientation: Int = 1, thumbnail: Bool = true) throws -> Data {
    let layout = PictureLayout(packed: .yuv420, width: width, height: height)
    let samples = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: 90 + $0 / 7 % 40) }
    var metadata = PhotoMetadata(
        make: "Pinhole", model: "Test", software: "1",
        captureTime: WallTime(unixNanoseconds: 0, offsetSeconds: 0, isTrusted: true))
    metadata.orientation = orientation
    return try samples.withUnsafeBytes { bytes in
        try PhotoEncoder().encode(
            Picture(layout: layout, bytes: bytes), metadata: metadata, quality: 90, thumbnail: thumbnail
        ).data
    }
}

extension LibraryStore {
    /// Adds a photograph and fetches it.
    func add(photograph: Data, raw: Data? = nil) async throws -> Asset {
        let identifier = newIdentifier()
        try await PhotoLibrary(store: self, client: .shutter).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.identifier = identifier
            request.addResource(with: .photo, data: photograph, options: nil)
            let name = AssetResourceCreationOptions()
            name.originalFilename = "raw.bin"
            if let raw { request.addResource(with: .alternatePhoto, data: raw, options: name) }
        }
        return try #require(try await asset(identifier, for: .console))
    }
}

/// What a result handler received.
struct Answer: Sendable {
    let image: PhotoImage?
    let info: ImageRequestInfo

    var size: [Int]? { image.map { [$0.width, $0.height] } }
}

/// Options as a test writes them.
func options(
    _ deliveryMode: ImageRequestOptions.DeliveryMode = .opportunistic,
    _ resizeMode: ImageRequestOptions.ResizeMode = .exact, isSynchronous: Bool = false
) -> ImageRequestOptions {
    let options = ImageRequestOptions()
    options.deliveryMode = deliveryMode
    options.resizeMode = resizeMode
    options.isSynchronous = isSynchronous
    return options
}

/// A library that returns paths when a test allows it.
final class HeldOpening: ResourceOpening {
    private let library: PhotoLibrary
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    private let asked = AsyncStream<Void>.makeStream()

    init(_ library: PhotoLibrary) {
        self.library = library
    }

    func path(of identifier: String, resource position: Int) async throws(PhotosError) -> String {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0.append(continuation) }
            asked.continuation.yield()
        }
        return try await library.path(of: identifier, resource: position)
    }

    /// Waits until a request asks.
    func isAsked() async {
        var iterator = asked.stream.makeAsyncIterator()
        await iterator.next()
    }

    func release() {
        let continuations = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in continuations { continuation.resume() }
    }
}

@Suite("Image requests")
struct ImageRequestTests {
    private let fixture: TestLibrary
    private let store: LibraryStore
    private let library: PhotoLibrary
    private let manager: ImageManager

    init() async throws {
        fixture = try TestLibrary()
        store = try await fixture.open()
        library = PhotoLibrary(store: store, client: .console)
        manager = ImageManager(library: library)
    }

    private static let square = PixelSize(width: 100, height: 100)

    /// All calls of a handler, up to the last one.
    private func answers(
        _ asset: Asset, _ target: PixelSize = square, _ mode: ImageContentMode = .aspectFit,
        _ options: ImageRequestOptions? = nil, from other: ImageManager? = nil
    ) async -> [Answer] {
        let answers = Recorder<Answer>()
        let isFast = options?.deliveryMode == .fastFormat
        await withCheckedContinuation { continuation in
            (other ?? manager).requestImage(for: asset, targetSize: target, contentMode: mode, options: options) {
                answers.add(Answer(image: $0, info: $1))
                if isFast || !$1.isDegraded { continuation.resume() }
            }
        }
        await requestsAreDone(asset)
        return answers.elements
    }

    /// Waits for a request given after all others: the thread takes them in order.
    private func requestsAreDone(_ asset: Asset) async {
        await withCheckedContinuation { continuation in
            manager.requestImageDataAndOrientation(for: asset, options: nil) { _, _, _, _ in continuation.resume() }
        }
    }

    @Test("fit and fill give exact sizes, upright")
    func sizes() async throws {
        let asset = try await store.add(photograph: try photograph(640, 480, orientation: 6))
        #expect(await answers(asset, Self.square, .aspectFit, options(.highQualityFormat)).map(\.size) == [[75, 100]])
        #expect(
            await answers(asset, Self.square, .aspectFill, options(.highQualityFormat)).map(\.size) == [[100, 133]])
        let fast = await answers(asset, Self.square, .aspectFit, options(.highQualityFormat, .fast))
        #expect(fast.map(\.size) == [[120, 160]])
        let whole = await answers(asset, Self.square, .aspectFit, options(.highQualityFormat, .none))
        #expect(whole.map(\.size) == [[480, 640]])
        #expect(await answers(asset, .maximum, .aspectFill, options()).last?.size == [480, 640])
        await store.close()
    }

    @Test("first the small picture of the Exif, then the image, each once")
    func degradedFirst() async throws {
        let asset = try await store.add(photograph: try photograph(800, 600))
        let target = PixelSize(width: 400, height: 400)
        let calls = await answers(asset, target, .aspectFit, options())
        #expect(calls.map(\.size) == [[160, 120], [400, 300]])
        #expect(calls.map(\.info.isDegraded) == [true, false])
        #expect(Set(calls.map(\.info.requestID)).count == 1)
        // What was kept is given at once.
        #expect(await answers(asset, target, .aspectFit, options()).map(\.info.isDegraded) == [false])

        let bare = try await store.add(photograph: try photograph(800, 600, thumbnail: false))
        #expect(await answers(bare, target, .aspectFit, nil).map(\.info.isDegraded) == [false])
        await store.close()
    }

    @Test("the fast format is one image: the small picture where there is one")
    func fastFormat() async throws {
        let asset = try await store.add(photograph: try photograph(800, 600))
        let target = PixelSize(width: 400, height: 400)
        let fast = await answers(asset, target, .aspectFit, options(.fastFormat))
        #expect(fast.map(\.size) == [[160, 120]] && fast.map(\.info.isDegraded) == [true])
        let small = await answers(asset, Self.square, .aspectFit, options(.fastFormat))
        #expect(small.map(\.size) == [[100, 75]] && small.map(\.info.isDegraded) == [false])
        let bare = try await store.add(photograph: try photograph(800, 600, thumbnail: false))
        #expect(await answers(bare, target, .aspectFit, options(.fastFormat)).map(\.size) == [[400, 300]])
        await store.close()
    }

    @Test("a synchronous request calls its handler exactly once, before it returns, on the calling thread")
    func synchronous() async throws {
        let asset = try await store.add(photograph: try photograph(800, 600))
        for mode in [ImageRequestOptions.DeliveryMode.opportunistic, .highQualityFormat, .fastFormat] {
            let calls = Recorder<Answer>()
            let thread = pthread_self()
            manager.requestImage(
                for: asset, targetSize: Self.square, contentMode: .aspectFit,
                options: options(mode, isSynchronous: true)
            ) { image, info in
                calls.add(Answer(image: image, info: info))
                #expect(pthread_equal(pthread_self(), thread) != 0)
            }
            #expect(calls.elements.map(\.size) == [[100, 75]])
        }
        let data = Recorder<Int?>()
        manager.requestImageDataAndOrientation(for: asset, options: options(isSynchronous: true)) { bytes, _, _, _ in
            data.add(bytes?.count)
        }
        #expect(data.elements == [Int(asset.bytes)])
        await store.close()
    }

    @Test("a synchronous request inside a handler does not wait for itself")
    func synchronousInHandler() async throws {
        let asset = try await store.add(photograph: try photograph(800, 600))
        let inner = Recorder<Answer>()
        let manager = manager
        await withCheckedContinuation { continuation in
            manager.requestImage(
                for: asset, targetSize: Self.square, contentMode: .aspectFit, options: options(.highQualityFormat)
            ) { _, _ in
                manager.requestImage(
                    for: asset, targetSize: .maximum, contentMode: .aspectFit, options: options(isSynchronous: true)
                ) { inner.add(Answer(image: $0, info: $1)) }
                continuation.resume()
            }
        }
        #expect(inner.elements.map(\.size) == [[800, 600]])
        await store.close()
    }

    @Test("a canceled request gets one last call and no more")
    func cancel() async throws {
        let asset = try await store.add(photograph: try photograph(800, 600))
        let opening = HeldOpening(library)
        let held = ImageManager(resources: opening, files: PosixFileOperations())
        let calls = Recorder<Answer>()
        await withCheckedContinuation { continuation in
            let id = held.requestImage(
                for: asset, targetSize: Self.square, contentMode: .aspectFit, options: nil
            ) { image, info in
                calls.add(Answer(image: image, info: info))
                continuation.resume()
            }
            Task {
                await opening.isAsked()
                held.cancelImageRequest(id)
                held.cancelImageRequest(id)
                opening.release()
            }
        }
        await requestsAreDone(asset)
        #expect(calls.elements.map(\.info.isCancelled) == [true])
        #expect(calls.elements.allSatisfy { $0.image == nil && $0.info.error == nil })
        await store.close()
    }

    @Test("a request that is canceled between the thumbnail and the image ends there; canceling it later does nothing")
    func cancelAfterDegraded() async throws {
        let asset = try await store.add(photograph: try photograph(800, 600))
        let calls = Recorder<Answer>()
        let manager = manager
        await withCheckedContinuation { continuation in
            manager.requestImage(for: asset, targetSize: Self.square, contentMode: .aspectFit, options: options()) {
                calls.add(Answer(image: $0, info: $1))
                manager.cancelImageRequest($1.requestID)
                if !$1.isDegraded { continuation.resume() }
            }
        }
        await requestsAreDone(asset)
        #expect(calls.elements.map(\.info.isDegraded) == [true, false])
        #expect(calls.elements.map(\.info.isCancelled) == [false, true])
        #expect(calls.elements.last?.image == nil)
        manager.cancelImageRequest(12_345)
        #expect(await answers(asset, Self.square, .aspectFit, options()).last?.size == [100, 75])
        await store.close()
    }

    @Test("images are kept within a limit, and found again while the photo exists")
    func cache() async throws {
        let asset = try await store.add(photograph: try photograph(640, 480))
        let small = ImageManager(resources: library, files: PosixFileOperations(), cacheLimit: 50_000)
        for side in [100, 101, 102, 103, 100] {
            let target = PixelSize(width: side, height: side)
            _ = await answers(asset, target, .aspectFit, options(.highQualityFormat), from: small)
            #expect(small.cachedBytes <= 50_000 && small.cachedBytes >= 22_500)
        }
        try FileManager.default.removeItem(atPath: asset.path)
        let kept = await answers(asset, Self.square, .aspectFit, options(.highQualityFormat), from: small)
        #expect(kept.map(\.size) == [[100, 75]])
        let other = await answers(
            asset, PixelSize(width: 101, height: 101), .aspectFit, options(.highQualityFormat), from: small)
        #expect(other.map(\.info.error?.code) == [.libraryVolumeOffline])
        await store.close()
    }

    @Test("the least recently used image makes room")
    func leastRecentlyUsed() throws {
        let image = try PhotoImage.read(photograph(10, 10))
        var cache = ImageCache(byteLimit: 3 * image.byteCount)
        func key(_ name: String) -> ImageCache.Key {
            ImageCache.Key(identifier: name, targetSize: .maximum, contentMode: .aspectFit, resizeMode: .exact)
        }
        for name in ["a", "b", "c"] { cache.insert(image, for: key(name)) }
        #expect(cache.image(for: key("a")) != nil)
        cache.insert(image, for: key("d"))
        cache.insert(image, for: key("d"))
        #expect(cache.image(for: key("b")) == nil)
        #expect(["a", "c", "d"].allSatisfy { cache.image(for: key($0)) != nil })
        #expect(cache.byteCount == 3 * image.byteCount)
        cache.insert(try PhotoImage.read(photograph(20, 20)), for: key("large"))
        #expect(cache.image(for: key("large")) == nil && cache.byteCount == 3 * image.byteCount)
    }

    @Test("a photo deleted meanwhile gives an error, also when its image was kept")
    func deleted() async throws {
        let asset = try await store.add(photograph: try photograph(640, 480))
        #expect(await answers(asset).last?.image != nil)
        try await store.delete([asset.localIdentifier], for: .console)
        let calls = await answers(asset)
        #expect(calls.map(\.info.error?.code) == [.identifierNotFound] && calls.map(\.size) == [nil])
        let error = await withCheckedContinuation { continuation in
            manager.requestImageDataAndOrientation(for: asset, options: nil) { data, _, _, info in
                continuation.resume(returning: data == nil ? info.error : nil)
            }
        }
        #expect(error?.code == .identifierNotFound)
        await store.close()
    }

    @Test("a client that may only add sees no image")
    func denied() async throws {
        let asset = try await store.add(photograph: try photograph(640, 480))
        let adding = ImageManager(library: PhotoLibrary(store: store, client: .shutter))
        let calls = await answers(asset, from: adding)
        #expect(calls.map(\.info.error?.code) == [.accessUserDenied] && calls.map(\.size) == [nil])
        await store.close()
    }

    @Test("a damaged file is an error that names the fault, after the small picture it still has")
    func damaged() async throws {
        let bytes = try photograph(640, 480)
        let asset = try await store.add(photograph: bytes)
        try fixture.put(bytes.prefix(bytes.count * 3 / 4), at: asset.path)
        let calls = await answers(asset, Self.square, .aspectFit, options())
        #expect(calls.map(\.info.isDegraded) == [true, false])
        #expect(calls.last?.info.error?.code == .invalidResource)
        #expect(calls.last?.info.error?.message.hasSuffix("it is damaged: Premature end of JPEG file.") == true)

        let text = try await store.add(photograph: Data("no picture".utf8))
        let error = await answers(text).last?.info.error
        #expect(error?.message.hasSuffix("it does not start like a JPEG file.") == true)
        await store.close()
    }

    @Test("the whole file comes as it is, with its type and orientation")
    func data() async throws {
        let bytes = try photograph(64, 48, orientation: 8)
        let asset = try await store.add(photograph: bytes)
        let (data, type, orientation) = await withCheckedContinuation { continuation in
            manager.requestImageDataAndOrientation(for: asset, options: nil) { data, type, orientation, _ in
                continuation.resume(returning: (data, type, orientation))
            }
        }
        #expect(data == bytes && type == "public.jpeg" && orientation == 8)
        await store.close()
    }

    @Test("a thousand requests at once are all answered and leave no file open")
    func thousand() async throws {
        let asset = try await store.add(photograph: try photograph(64, 48))
        let manager = manager
        let ends = await withTaskGroup(of: Int.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        manager.requestImage(
                            for: asset, targetSize: PixelSize(width: 1 + index % 50, height: 50),
                            contentMode: .aspectFit, options: options(.highQualityFormat)
                        ) { image, _ in continuation.resume(returning: image?.width ?? 0) }
                    }
                }
            }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(ends.count == 1000 && ends.allSatisfy { (1...50).contains($0) })
        #expect(openFiles(below: fixture.layout.photos).isEmpty)
        await store.close()
    }
}

/// The files below a folder that this process holds open.
func openFiles(below folder: String) -> [String] {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
        .filter { $0.hasPrefix(folder) }
}
