import Platform

/// The file in the state folder that keeps the date over a restart.
package struct ClockFile: Sendable {
    private let path: String
    private let files: any FileOperations

    /// The file of a camera's state folder.
    package init(state: String, files: any FileOperations) {
        path = state + "/clock"
        self.files = files
    }

    /// What was kept; nil when there is nothing, or nothing readable.
    ///
    /// - Blocking: reads a file.
    package func load() -> SystemTime.Record? {
        (try? files.read(path, limit: 256)).flatMap { SystemTime.Record(text: String(decoding: $0, as: UTF8.self)) }
    }

    /// Keeps the date. It is a help, not a promise: failing is only worth a line in the log.
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
