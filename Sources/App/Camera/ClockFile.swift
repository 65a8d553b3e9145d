import Platform

/// The file in the state folder that keeps the date across a restart.
package struct ClockFile: Sendable {
    private let path: String
    private let files: any FileOperations

    /// The clock file of the camera with this state folder.
    package init(state: String, files: any FileOperations) {
        path = state + "/clock"
        self.files = files
    }

    /// The stored date; nil when the file is missing or not readable.
    ///
    /// - Blocking: reads a file.
    package func load() -> SystemTime.Record? {
        (try? files.read(path, limit: 256)).flatMap { SystemTime.Record(text: String(decoding: $0, as: UTF8.self)) }
    }

    /// Stores the date. A failure is only logged, because the camera can work without it.
    ///
    /// - Blocking: writes and syncs a file.
    package func save(_ record: SystemTime.Record, log: Log) {
        do throws(SystemError) {
            try files.replace(path, Array(record.text.utf8))
        } catch {
            log.write(.warning, "the date could not be saved for the next start: \(error)")
        }
    }
}
