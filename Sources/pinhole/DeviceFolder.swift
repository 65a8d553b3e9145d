import Platform

/// Names of device files.
enum DeviceFolder {
    /// The names in a folder that are wanted, sorted; none when it cannot be read.
    ///
    /// - Blocking: reads the folder.
    static func names(in folder: String, where isWanted: (String) -> Bool) -> [String] {
        let names = (try? PosixFileOperations().list(folder)) ?? []
        return names.filter(isWanted).sorted()
    }
}
