import Glibc
import Platform

/// A file that is taken in piece by piece, until an asset is made of it by moving it.
///
/// It lies in the staging folder, which is never listed, and a start removes what a crash leaves of it.
/// - Isolation: one thread at a time.
/// - Blocking: every call, for the file system.
/// - Ownership: the file is removed with this object, unless an asset has been made of it.
package final class IncomingFile: Sendable {
    /// The path of the temporary file.
    package let path: String

    private let files: any FileOperations
    /// Kept until the file is an asset's or gone.
    private let room: SpaceReservation
    private let descriptor: Descriptor

    init(at path: String, files: any FileOperations, room: SpaceReservation) throws(PhotosError) {
        do throws(SystemError) {
            descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
        } catch {
            throw PhotosError(error)
        }
        (self.path, self.files, self.room) = (path, files, room)
    }

    deinit {
        // An asset has another name for it.
        try? files.remove(path)
        room.end()
    }

    /// Adds bytes at the end.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(PhotosError) {
        var rest = bytes[...]
        do throws(SystemError) {
            while !rest.isEmpty {
                rest = rest.dropFirst(try descriptor.write(UnsafeRawBufferPointer(rebasing: rest)))
            }
        } catch {
            throw PhotosError(error)
        }
    }

    /// Makes the file durable, once everything was added.
    package func complete() throws(PhotosError) {
        guard fsync(descriptor.raw) == 0 else { throw PhotosError(.last("sync", path)) }
    }
}

extension LibraryStore {
    /// Begins to take in a file of at most so many bytes.
    ///
    /// - Throws: `.notEnoughSpace`, and what else keeps photos from being saved.
    /// - Blocking: for the file system.
    package func beginFile(bytes: Int64) throws(PhotosError) -> IncomingFile {
        let room = try admit(bytes: bytes)
        return try IncomingFile(at: layout.incoming(AssetIdentifier()), files: files, room: room)
    }
}
