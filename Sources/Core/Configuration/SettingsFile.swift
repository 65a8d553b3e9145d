import Glibc
import Platform

/// The file that keeps an owner's changes over a restart, in the syntax of the configuration file.
///
/// A file that is not taken, for whatever reason, is kept aside as `<path>.rejected`, and nothing counts as changed:
/// the camera must start.
package struct SettingsFile: Sendable {
    private let path: String
    private let files: any FileOperations

    /// The settings file in a camera's state folder.
    package init(state: String, files: any FileOperations) {
        path = state + "/settings.conf"
        self.files = files
    }

    /// The stored changes over a configuration.
    ///
    /// - Returns: the settings, and a sentence for the log when a file was there and was not taken.
    /// - Blocking: reads, and may rename.
    package func load(
        over base: CameraConfiguration, overrides: [String: ConfigurationValue] = [:]
    ) -> (settings: Settings, rejection: String?) {
        let unchanged = Settings(base: base, overrides: overrides)
        var settings = unchanged
        do {
            guard try files.metadata(path) != nil else { return (settings, nil) }
            let contents = try CameraConfiguration.contents(
                of: CameraConfiguration.read(path, files), schema: base.schema, file: path)
            if contents.clients != nil {
                let message = "clients can only be set in the configuration file"
                throw ConfigurationError([.init(file: path, line: nil, key: "clients", message: message)])
            }
            for (key, value) in contents.values {
                guard key.isSettable else {
                    let message = "\(key.path) can only be changed in the configuration file"
                    throw ConfigurationError([.init(file: path, line: nil, key: key.path, message: message)])
                }
                settings.restore(value, of: key)
            }
            return (settings, nil)
        } catch {
            let reason = "\(error)".split(separator: "\n").first.map(String.init) ?? ""
            let isAside = (try? files.renameReplacing(path, to: path + ".rejected")) != nil
            let fate = isAside ? "it was renamed to \(path).rejected" : "it could not be renamed"
            return (unchanged, "changed settings are ignored: \(reason); \(fate)")
        }
    }

    /// Stores the changes. When it returns they survive a power cut; when it throws the former ones do.
    ///
    /// - Blocking: until the file and its directory are synced.
    package func save(_ settings: Settings) throws(SystemError) {
        try files.replace(path, Array(Self.text(of: settings).utf8))
    }

    private static func text(of settings: Settings) -> String {
        var text = "# Changed by `pinhole set`. `pinhole set --reset` resets all of it.\n"
        var group = ""
        for key in settings.base.schema.keys {
            guard let value = settings.changes[key.path] else { continue }
            if key.group != group {
                text += (group.isEmpty ? "" : "}\n") + key.group + " : {\n"
                group = key.group
            }
            text += "    \(key.name) = \(value.fileText);\n"
        }
        return text + (group.isEmpty ? "" : "}\n")
    }
}
