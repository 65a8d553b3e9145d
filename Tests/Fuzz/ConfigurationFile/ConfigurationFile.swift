import Configuration

/// A configuration file's bytes.
enum ConfigurationFile {
    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        do throws(ConfigurationError) {
            let configuration = try CameraConfiguration.parse(Array(bytes), file: "f")
            check(configuration)
        } catch {
            Fuzz.expect(!error.problems.isEmpty, "a file was refused without a reason")
            let isSafe = error.problems.allSatisfy { problem in
                problem.description.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            }
            Fuzz.expect(isSafe, "a reason holds control characters: \(error)")
        }
        return 0
    }

    /// What was taken keeps every key's rule, and written down it is read as the same.
    private static func check(_ configuration: CameraConfiguration) {
        var text = ""
        for group in Set(ConfigurationSchema.core.keys.map(\.group)) {
            text += group + " : {\n"
            for key in ConfigurationSchema.core.keys where key.group == group {
                guard let value = key.value(in: configuration) else { continue }
                Fuzz.expect(key.accepted(value) != nil, "\(key.path) was taken as \(value)")
                text += "    \(key.name) = \(value.fileText);\n"
            }
            text += "};\n"
        }
        let again = try? CameraConfiguration.parse(Array(text.utf8), file: "f")
        Fuzz.expect(again == configuration, "this was read as something else than it was written from:\n\(text)")
    }
}
