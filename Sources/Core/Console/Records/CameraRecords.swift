/// The record of an accepted button edge, which `press` sends.
package struct PressRecord: Codable, Hashable, Sendable {
    /// The button that was pressed: `shutter` or `focus`.
    package var button: String
    /// When its edge came: RFC 3339.
    package var pressed: String
    /// The edge on CLOCK_MONOTONIC, in nanoseconds: what sensor timestamps compare with.
    package var edgeNs: Int64

    /// A press; `edgeNs` is the time of its edge on the monotonic clock, in nanoseconds.
    package init(button: String, pressed: String, edgeNs: Int64) {
        self.button = button
        self.pressed = pressed
        self.edgeNs = edgeNs
    }
}

/// The record of a setting: `get` and `set` send it.
package struct SettingRecord: Codable, Hashable, Sendable {
    /// The key of the setting, such as `photo.quality`.
    package var key: String
    /// The value in force.
    package var value: FieldValue
    /// Where it comes from: `default`, `configuration`, `set`.
    package var source: String

    /// A setting with its value and the place that the value comes from.
    package init(key: String, value: FieldValue, source: String) {
        self.key = key
        self.value = value
        self.source = source
    }
}

/// The record of the clock, which `clock` sends.
package struct ClockRecord: Codable, Hashable, Sendable {
    /// RFC 3339 with offset and milliseconds.
    package var now: String
    /// True when the date can be believed.
    package var trusted: Bool
    /// The time zone's name, or null for the system's own.
    @Nullable package var zone: String?
    /// What `clock set` changed: `system` (the system clock) or `offset` (one of the camera's own, because the system
    /// clock may not be set); null when nothing was set.
    @Nullable package var changed: String?

    /// The clock; `changed` is nil unless the command set it.
    package init(now: String, trusted: Bool, zone: String?, changed: String? = nil) {
        self.now = now
        self.trusted = trusted
        self.zone = zone
        self.changed = changed
    }
}

/// One line of the log.
package struct LogRecord: Codable, Hashable, Sendable {
    /// When the line was written, in RFC 3339.
    package var time: String
    /// `debug`, `info`, `warning`, `error`.
    package var level: String
    /// The text of the line, without level and time.
    package var message: String

    /// A line of the log.
    package init(time: String, level: String, message: String) {
        self.time = time
        self.level = level
        self.message = message
    }
}

/// One finding of `doctor`.
package struct DoctorRecord: Codable, Hashable, Sendable {
    /// How a check ended.
    package enum Result: String, Codable, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, but not fully.
        case warning
        /// It stops the camera.
        case failed
    }

    /// The subject of the check, such as `GPIO`.
    package var check: String
    /// How the check ended; one `failed` check makes `doctor` exit with 69.
    package var result: Result
    /// What was found, and what to do about it.
    package var detail: String

    /// The finding of one check; the detail also says what to do.
    package init(check: String, result: Result, detail: String) {
        self.check = check
        self.result = result
        self.detail = detail
    }

    /// The worst finding decides how `doctor` ends.
    package static func exit(_ findings: [DoctorRecord]) -> ExitStatus {
        findings.contains { $0.result == .failed } ? .unavailable : .done
    }
}

/// What `check-config` says about a good file.
package struct ConfigurationRecord: Codable, Hashable, Sendable {
    /// The path of the configuration file that was checked.
    package var file: String
    /// True: a refused file ends in an error instead.
    package var valid: Bool

    /// A record for a file without problems.
    package init(file: String) {
        self.file = file
        valid = true
    }
}

/// The record that `version` sends.
package struct VersionRecord: Codable, Hashable, Sendable {
    /// The version of the program, such as `0.1.0`.
    package var version: String

    /// A record for one version.
    package init(version: String) {
        self.version = version
    }
}

/// The record that `help` sends.
package struct HelpRecord: Codable, Hashable, Sendable {
    /// The help text, with line breaks.
    package var help: String

    /// A record for one help text.
    package init(help: String) {
        self.help = help
    }
}

/// A running command asks for one more line.
package struct InputRecord: Codable, Hashable, Sendable {
    /// What a person sees before the line.
    package var input: String

    /// A request for a line.
    package init(input: String) {
        self.input = input
    }
}
