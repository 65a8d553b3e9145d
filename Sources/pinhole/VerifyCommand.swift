import Console
import Photos
import Platform

/// `pinhole verify` from a shell: with no camera running it recovers, then checks; beside a running one it only reads.
enum VerifyCommand {
    /// Checks the library of a state folder.
    ///
    /// - Throws: why it could not be looked at.
    static func verify(state: String) async throws(CommandFailure) -> VerifyRecord {
        let time = SystemTime(continuing: nil)
        do throws(LibraryError) {
            let report = try await LibraryStore.verify(
                library: state + "/library", state: state, files: PosixFileOperations(), time: time,
                reader: LibraryFileReader())
            return VerifyRecord(report)
        } catch {
            throw CommandFailure(error)
        }
    }
}
