import FoundationEssentials
import Photos
import Platform
import Synchronization

/// A photo that one client uploads into the library.
final class LibraryUpload: ObjectUpload {
    private struct State {
        /// Nil after it became a photo or was discarded.
        var file: IncomingFile?
        /// The first bytes, by which the kind of a file is known.
        var head: [UInt8] = []
        var byteCount: UInt64 = 0
        var failure: OffloadError?
    }

    let handle: UInt32
    let parent: UInt32
    private let name: String
    private let format: FileFormat
    private let byteCount: UInt64
    private let store: LibraryObjectStore
    private let state: Mutex<State>

    /// - Parameter byteCount: the announced size of the file.
    init(
        _ file: IncomingFile, name: String, format: FileFormat, byteCount: UInt64, handle: UInt32, parent: UInt32,
        store: LibraryObjectStore
    ) {
        (self.name, self.format, self.byteCount) = (name, format, byteCount)
        (self.handle, self.parent, self.store) = (handle, parent, store)
        state = Mutex(State(file: file))
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard let file = state.file, state.failure == nil else { return false }
            state.head += bytes.prefix(UploadedKind.headCount - min(state.head.count, UploadedKind.headCount))
            state.byteCount += UInt64(bytes.count)
            if state.byteCount > byteCount {
                state.failure = .invalidFile
            } else if state.head.count == UploadedKind.headCount, UploadedKind(head: state.head) == nil {
                state.failure = .unsupportedFormat
            } else {
                do throws(PhotosError) { try file.write(bytes) } catch { state.failure = OffloadError(error) }
            }
            // Frees its space at once, not when the client ends the transfer.
            if state.failure != nil { state.file = nil }
            return state.failure == nil
        }
    }

    func finish() throws(OffloadError) {
        let state = self.state.withLock { state in
            defer { state.file = nil }
            return state
        }
        if let failure = state.failure { throw failure }
        guard let file = state.file, state.byteCount == byteCount else { throw .incomplete }
        guard let kind = UploadedKind(head: state.head) else { throw .unsupportedFormat }
        let asset = AssetIdentifier()
        let originalFilename = kind.fileName(name, format)
        store.setHandle(handle, ofUpload: asset)
        do throws(PhotosError) {
            try file.complete()
            try CallingThreadExecutor.wait { [view = store.view] () async throws(PhotosError) in
                try await view.performChanges {
                    let options = AssetResourceCreationOptions()
                    options.originalFilename = originalFilename
                    options.shouldMoveFile = true
                    let request = AssetCreationRequest.forAsset()
                    request.identifier = asset.description
                    request.addResource(with: .photo, fileURL: URL(fileURLWithPath: file.path), options: options)
                }
            }
        } catch {
            store.setHandle(nil, ofUpload: asset)
            throw error.code == .missingResource ? .failed : OffloadError(error)
        }
        store.waitForTable()
    }

    func cancel() {
        state.withLock { $0.file = nil }
    }
}

/// The kind of an uploaded photo, by its first bytes.
enum UploadedKind: Sendable {
    case jpeg, tiff

    static let headCount = 4
    /// The longest name that is kept, in bytes (a name of PTP has 255 characters at most).
    private static let nameLimit = 1020

    /// Nil for bytes that do not begin a readable photo.
    init?(head: [UInt8]) {
        if head.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if head == [0x49, 0x49, 42, 0] || head == [0x4d, 0x4d, 0, 42] {
            self = .tiff
        } else {
            return nil
        }
    }

    /// The name to remember: the client's if it is one line of text, with an extension that matches the file.
    func fileName(_ name: String, _ format: FileFormat) -> String {
        let isText = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "/" }
        let stem = isText && !name.isEmpty && name.utf8.count <= Self.nameLimit ? name : "PTP"
        let extensions = self == .jpeg ? [".JPG", ".JPEG"] : [".DNG", ".TIF", ".TIFF"]
        if extensions.contains(where: { stem.uppercased().hasSuffix($0) }) { return stem }
        return stem + (self == .jpeg ? ".JPG" : format == .dng ? ".DNG" : ".TIF")
    }
}
