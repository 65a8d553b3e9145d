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
        do {
            let store = try await LibraryStore.open(
                library: state + "/library", state: state, files: PosixFileOperations(), time: time,
                photoReader: LibraryFileReader())
            let report = try await store.verify()
            await store.close()
            return VerifyRecord(report)
        } catch {
            throw (error as? LibraryError).map { CommandFailure($0) } ?? .unknown
        }
    }
}
