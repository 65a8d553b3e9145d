import Camera
import Configuration
import Console
import Platform

/// Checks a configuration file as `run` would read it.
enum ConfigurationCheck {
    /// The path that `run` reads when it is given none.
    static let installedPath = "/etc/pinhole/pinhole.conf"

    /// Reads a file and says that it is good.
    ///
    /// - Throws: `CommandFailure` with every problem.
    /// - Blocking: reads the file.
    static func check(_ file: String) throws(CommandFailure) -> ConfigurationRecord {
        _ = try load(file)
        return ConfigurationRecord(file: file)
    }

    /// The configuration in a file.
    ///
    /// - Parameter base: what holds where the file says nothing.
    static func load(
        _ file: String, over base: CameraConfiguration = CameraConfiguration(schema: .pinhole)
    ) throws(CommandFailure) -> CameraConfiguration {
        let configuration: CameraConfiguration
        do throws(ConfigurationError) {
            configuration = try CameraConfiguration.load(path: file, over: base, files: PosixFileOperations())
        } catch {
            throw CommandFailure(error)
        }
        try check(configuration, source: file)
        return configuration
    }

    /// Checks what one key alone cannot say.
    ///
    /// - Parameter source: what gave the configuration its values, for the message.
    static func check(_ configuration: CameraConfiguration, source: String) throws(CommandFailure) {
        guard SystemTime.isKnownZone(configuration.clock.zone) else {
            throw CommandFailure(
                .configuration,
                "\(source): there is no time zone \(configuration.clock.zone); use a name such as Europe/Zurich")
        }
        _ = try PanelWiring(configuration)
    }
}
