import FoundationEssentials
import Glibc
import Platform

/// What is wanted of a resource's bytes besides the bytes.
public final class AssetResourceRequestOptions {
    /// Receives the progress after each piece, from 0 to 1. Called on the thread that reads.
    public var progressHandler: (@Sendable (Double) -> Void)?

    /// Options without a progress handler.
    public init() {}
}

/// Names a request for bytes, to cancel it; above zero.
public typealias AssetResourceDataRequestID = Int32

/// Gives the bytes of assets' files, for one client's view of the library.
///
/// Files are read on the thread `resources`; handlers are called there, and the next piece is read when they have
/// returned. No more than one piece is in memory.
public final class AssetResourceManager: Sendable {
    private let resources: any ResourceOpening
    private let files: any FileOperations
    private let requests = RequestTable()

    /// A manager for what a client sees of a library.
    public convenience init(library: PhotoLibrary) {
        self.init(resources: library, files: library.files)
    }

    init(resources: any ResourceOpening, files: any FileOperations) {
        self.resources = resources
        self.files = files
    }

    /// Gives a file's bytes in pieces of at most 1 MiB, in order, then calls the completion handler exactly once.
    ///
    /// - Parameters:
    ///   - dataReceivedHandler: gets the pieces.
    ///   - completionHandler: gets nil when all were given, else the `PhotosError`; `.operationInterrupted` when the
    ///     request was canceled.
    /// - Returns: the request's number.
    @discardableResult
    public func requestData(
        for resource: AssetResource, options: AssetResourceRequestOptions?,
        dataReceivedHandler: @escaping @Sendable (Data) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> AssetResourceDataRequestID {
        let id = requests.begin()
        let progressHandler = options?.progressHandler
        RequestExecutor.resources.run { [self] in
            let error = await stream(resource, id, progressHandler, dataReceivedHandler)
            completionHandler(requests.end(id) ? Self.cancelled : error)
        }
        return id
    }

    /// Cancels a request: no further piece is given, and its completion handler says so. A piece whose handler has
    /// begun is not taken back; nothing happens when the request is over.
    public func cancelDataRequest(_ requestID: AssetResourceDataRequestID) {
        requests.cancel(requestID)
    }

    /// Copies a resource into a new file, durably.
    ///
    /// - Parameters:
    ///   - fileURL: a file that must not exist.
    ///   - completionHandler: gets nil when the file is complete, else the `PhotosError`; then there is no file.
    public func writeData(
        for resource: AssetResource, toFile fileURL: URL, options: AssetResourceRequestOptions?,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let progressHandler = options?.progressHandler
        RequestExecutor.resources.run { [self] in
            let error = await write(resource, fileURL)
            if error == nil { progressHandler?(1) }
            completionHandler(error)
        }
    }

    private static let cancelled = PhotosError(.operationInterrupted, "The request was canceled.")

    private func stream(
        _ resource: AssetResource, _ id: AssetResourceDataRequestID, _ progressHandler: (@Sendable (Double) -> Void)?,
        _ dataReceivedHandler: @Sendable (Data) -> Void
    ) async -> PhotosError? {
        let identifier = resource.assetLocalIdentifier
        do throws(PhotosError) {
            let path = try await resources.path(of: identifier, resource: resource.position)
            var given: Int64 = 0
            do throws(SystemError) {
                try files.readWhile(path) { piece in
                    guard !requests.isCancelled(id) else { return false }
                    dataReceivedHandler(Data(piece))
                    given += Int64(piece.count)
                    progressHandler?(min(Double(given) / Double(max(resource.bytes, 1)), 1))
                    return true
                }
            } catch {
                throw await resources.failure(error, of: identifier, resource: resource.position)
            }
            return nil
        } catch {
            return error
        }
    }

    private func write(_ resource: AssetResource, _ fileURL: URL) async -> PhotosError? {
        let identifier = resource.assetLocalIdentifier
        let target = fileURL.path
        guard fileURL.isFileURL, !target.isEmpty else {
            return PhotosError(.changeNotSupported, "\(fileURL.absoluteString) is not a file URL.")
        }
        do throws(PhotosError) {
            let path = try await resources.path(of: identifier, resource: resource.position)
            do throws(SystemError) {
                // Looked for before: where the photo cannot be opened, nothing at the target is ours to remove.
                guard try files.metadata(target) == nil else {
                    throw SystemError(code: EEXIST, operation: "create", path: target)
                }
                _ = try files.copyNew(path, to: target) { _ in }
                return nil
            } catch {
                if error.code == EEXIST {
                    return PhotosError(.changeNotSupported, "\(target) already exists; choose another name.")
                }
                try? files.remove(target)
                guard error.path != path else {
                    return await resources.failure(error, of: identifier, resource: resource.position)
                }
                return error.condition == .full
                    ? .full : PhotosError(.storageFailed, "The copy failed (\(error)); choose another place.")
            }
        } catch {
            return error
        }
    }
}
