import Camera
import Console
import Photos
import Platform

/// `pinhole verify` from a shell: with no camera running it recovers, then checks; beside a running one it only reads.
enum VerifyCommand {
    /// Checks the library of a state folder.
    ///
    /// - Throws: why it could not be looked at.
    static func verify(state: String) async throws(CommandFailure) -> VerifyRecord {
        let check = LibraryCheck(
            library: state + "/library", state: state, files: PosixFileOperations(),
            time: SystemTime(continuing: nil), photoReader: LibraryFileReader())
        do throws(LibraryError) {
            return VerifyRecord(try await check.run())
        } catch {
            throw CommandFailure(error)
        }
    }
}
