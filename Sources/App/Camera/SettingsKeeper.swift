import Capture
import Configuration
import Console
import Imaging
import Panel
import Platform
import Synchronization

/// The configuration in force: the file, what its owner changed since, and what follows from both.
///
/// - Isolation: any thread; `set`, `reset` and `reload` write files and are called on the command thread alone.
package final class SettingsKeeper: Sendable {
    private let settings: Mutex<Settings>
    private let file: SettingsFile
    /// The configuration file; nil when there is none and the defaults hold.
    private let configurationPath: String?
    /// The board's configuration file; nil when it has none.
    private let boardPath: String?
    private let files: any FileOperations

    /// Starts from a configuration and the changes stored in the state folder.
    ///
    /// - Parameters:
    ///   - overrides: settings of this run, over the configuration and the changes.
    ///   - warn: receives a sentence when stored changes had to be set aside.
    package init(
        base: CameraConfiguration, overrides: [String: ConfigurationValue] = [:], boardPath: String? = nil,
        configurationPath: String?, state: String, files: any FileOperations, warn: (String) -> Void
    ) {
        self.files = files
        self.boardPath = boardPath
        self.configurationPath = configurationPath
        file = SettingsFile(state: state, files: files)
        let (settings, rejection) = file.load(over: base, overrides: overrides)
        self.settings = Mutex(settings)
        if let rejection { warn(rejection) }
    }

    /// The configuration to go by.
    package var configuration: CameraConfiguration { current.configuration }

    private var current: Settings { settings.withLock { $0 } }

    /// The records of `get`: one setting, or all settings.
    ///
    /// - Throws: `CommandFailure` when there is no such key.
    func records(of path: String?) throws(CommandFailure) -> [SettingRecord] {
        let settings = current
        guard let path else { return settings.base.schema.keys.map { Self.record($0, settings) } }
        guard let key = settings.base.schema.key(path) else {
            do throws(ConfigurationError) {
                _ = try settings.text(of: path)
            } catch {
                throw .usage("\(error)")
            }
            return []
        }
        return [Self.record(key, settings)]
    }

    /// Changes one setting, durably.
    func set(_ path: String, to text: String) throws(CommandFailure) {
        try change { (settings) throws(ConfigurationError) in try settings.set(path, to: text) }
    }

    /// Takes back the change of one setting, or of all, durably.
    func reset(_ path: String?) throws(CommandFailure) {
        try change { (settings) throws(ConfigurationError) in
            if let path { try settings.reset(path) } else { settings.resetAll() }
        }
    }

    /// Reads the configuration file again; on any fault the last good configuration stays.
    ///
    /// - Returns: true when something changed that needs a restart of the program.
    package func reload() throws(CommandFailure) -> Bool {
        guard let configurationPath else { return false }
        do throws(ConfigurationError) {
            let defaults = CameraConfiguration(schema: configuration.schema)
            let board = try boardPath.map { (path) throws(ConfigurationError) in
                try CameraConfiguration.load(path: path, over: defaults, files: files)
            }
            let base = try CameraConfiguration.load(path: configurationPath, over: board ?? defaults, files: files)
            return settings.withLock { settings in
                let old = settings.configuration
                settings.rebase(onto: base)
                let new = settings.configuration
                return base.schema.keys.contains { !$0.isSettable && $0.value(in: old) != $0.value(in: new) }
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    private func change(_ body: (inout Settings) throws(ConfigurationError) -> Void) throws(CommandFailure) {
        var changed = current
        do throws(ConfigurationError) {
            try body(&changed)
        } catch {
            throw .usage("\(error)")
        }
        let zone = changed.configuration.clock.zone
        guard SystemTime.isKnownZone(zone) else {
            throw .usage("there is no time zone \(zone); use a name such as Europe/Zurich")
        }
        do throws(SystemError) {
            try file.save(changed)
        } catch {
            throw CommandFailure(error)
        }
        settings.withLock { $0 = changed }
    }

    private static func record(_ key: ConfigurationKey, _ settings: Settings) -> SettingRecord {
        let value: FieldValue =
            switch key.value(in: settings.configuration) {
            case .integer(let value)?: .integer(Int64(value))
            case .number(let value)?: .number(value)
            case .flag(let value)?: .bool(value)
            case .text(let value)?: .string(value)
            case nil: .null
            }
        let source: String
        if settings.overrides[key.path] != nil {
            source = "command-line"
        } else if settings.changes[key.path] != nil {
            source = "set"
        } else {
            source = key.value(in: settings.base) == key.defaultValue ? "default" : "configuration"
        }
        return SettingRecord(key: key.path, value: value, source: source)
    }
}

extension CameraConfiguration {
    /// What every photo says, before exposure, time and identifier are filled in.
    func photoMetadata(at time: WallTime) -> PhotoMetadata {
        var metadata = PhotoMetadata(
            make: camera.make, model: camera.model, software: "Pinhole \(Version.current)", captureTime: time)
        func given(_ text: String) -> String? { text.isEmpty ? nil : text }
        metadata.orientation = photo.orientation
        metadata.bodySerialNumber = given(camera.serial)
        metadata.artist = given(camera.artist)
        metadata.copyright = given(camera.copyright)
        metadata.imageDescription = given(camera.description)
        if !lens.model.isEmpty || lens.fNumber != nil || lens.focalLength != nil || lens.focalLengthIn35mm != nil {
            metadata.lens = PhotoMetadata.Lens(
                model: given(lens.model), fNumber: lens.fNumber, focalLength: lens.focalLength,
                focalLengthIn35mm: lens.focalLengthIn35mm)
        }
        if let latitude = position.latitude, let longitude = position.longitude {
            metadata.position = PhotoMetadata.Position(
                latitude: latitude, longitude: longitude, altitude: position.altitude)
        }
        return metadata
    }

    /// Exposure as the sensor is asked for it.
    var sensorControls: SensorControls {
        SensorControls(
            exposureTime: camera.exposureTime == .zero ? nil : camera.exposureTime,
            isoSpeed: camera.iso == 0 ? nil : camera.iso, exposureBias: camera.exposureBias)
    }
}

extension CameraConfiguration.Button {
    /// The times as the gestures take them. The ranges of the keys are such that they always agree.
    package var timing: ButtonTiming {
        let timing = try? ButtonTiming(
            rest: rest, confirmation: confirmation, confirmationWindow: confirmationWindow, burstHold: burstHold,
            consentHold: consentHold, shutDownHold: shutDownHold == .zero ? nil : shutDownHold, stuckLimit: stuckLimit)
        return timing ?? .standard
    }
}
