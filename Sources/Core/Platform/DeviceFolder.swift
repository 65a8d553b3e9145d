/// Names in the kernel's folders of devices.
package enum DeviceFolder {
    /// The names in a folder that are wanted, sorted; none when it cannot be read.
    ///
    /// - Blocking: reads the folder.
    package static func names(in folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        let names = (try? PosixFileOperations().list(folder)) ?? []
        return names.filter(isWanted).sorted()
    }
}
