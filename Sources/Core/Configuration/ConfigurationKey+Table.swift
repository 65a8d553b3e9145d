import Platform

extension ConfigurationKey {
    /// The camera's own keys that stand before those of doors, group by group. docs/configuration.md and the default file
    /// are written from the schema that they are part of.
    static let first: [ConfigurationKey] = [
        .text("camera.make", \.camera.make, "Maker of the camera, written into each photo."),
        .text("camera.model", \.camera.model, "Name of the camera, written into each photo."),
        .text("camera.serial", \.camera.serial, "Serial number, written into each photo if set."),
        .text("camera.artist", settable: true, \.camera.artist, "Photographer, written into each photo if set."),
        .text(
            "camera.copyright", settable: true, \.camera.copyright,
            "Copyright notice, written into each photo if set."),
        .text(
            "camera.description", settable: true, \.camera.description,
            "Description, written into each photo if set."),
        .duration(
            "camera.exposure_time_us", 1...200_000_000, zero: "automatic", .microseconds, settable: true,
            \.camera.exposureTime, "Exposure time."),
        .integer("camera.iso", 25...102_400, zero: "automatic", settable: true, \.camera.iso, "ISO speed."),
        .number(
            "camera.exposure_bias", -8...8, unit: "EV", settable: true, \.camera.exposureBias,
            "Exposure compensation while exposure is automatic."),

        .text("lens.model", \.lens.model, "Name of the lens, written into each photo if set."),
        .optionalNumber("lens.f_number", 0.5...128, example: 2.8, \.lens.fNumber, "F-number of the lens."),
        .optionalNumber(
            "lens.focal_length", 0.5...5000, unit: "mm", example: 6, \.lens.focalLength, "Focal length of the lens."),
        .optionalInteger(
            "lens.focal_length_35mm", 1...20_000, unit: "mm", example: 34, \.lens.focalLengthIn35mm,
            "35 mm equivalent focal length."),

        .optionalNumber(
            "position.latitude", -90...90, unit: "°", settable: true, example: 47.3769, \.position.latitude,
            "Latitude on WGS 84, north positive; needs the longitude."),
        .optionalNumber(
            "position.longitude", -180...180, unit: "°", settable: true, example: 8.5417, \.position.longitude,
            "Longitude on WGS 84, east positive; needs the latitude."),
        .optionalNumber(
            "position.altitude", -1000...20_000, unit: "m", settable: true, example: 408, \.position.altitude,
            "Height above sea level; needs latitude and longitude."),

        .integer("photo.quality", 1...100, settable: true, \.photo.quality, "JPEG quality."),
        .integer(
            "photo.orientation", 1...8, settable: true, \.photo.orientation,
            "Exif orientation: 1 upright, 3 upside down, 6 and 8 rotated by 90 degrees."),
        .flag("photo.thumbnail", settable: true, \.photo.hasThumbnail, "Embed a thumbnail in each photo."),

        .integer(
            "capture.buffers", 3...32, zero: "4 on boards with up to 512 MiB of memory and 6 above",
            \.capture.buffers, "Frame buffers for the moment of a press; the sensor always holds two of them."),
        .integer(
            "capture.backlog_mb", 8...4096, unit: "MiB", \.capture.backlogMebibytes,
            "Refuse presses when this much photo data waits to be written."),

        .text(
            "board.config_txt", limit: 1024, \.board.firmwareLines,
            "Lines that this board needs in the firmware's config.txt, separated by semicolons; `pinhole doctor` checks them."
        ),

        .text(
            "button.shutter_line", limit: 64, \.button.shutterLine,
            "GPIO line of the shutter button, by name (`GPIO17`) or chip and offset (`gpiochip0:17`); empty for no button."
        ),
        .text(
            "button.focus_line", limit: 64, \.button.focusLine,
            "GPIO line of the half-press contact; empty for none."),
        .flag("button.active_low", \.button.isActiveLow, "Buttons connect their line to ground when pressed."),
        .choice("button.bias", \.button.bias, "Internal pull resistor of the button lines."),
        .duration(
            "button.rest_ms", 10...500, .milliseconds, \.button.rest,
            "Count a button as released when its line has been inactive this long; only then can the next press start."),
        .duration(
            "button.confirm_ms", 1...50, .milliseconds, \.button.confirmation,
            "Ignore presses shorter than this as noise."),
        .duration(
            "button.confirm_within_ms", 1...100, .milliseconds, \.button.confirmationWindow,
            "Allow a button to bounce this long before `button.confirm_ms` starts."),
        .duration(
            "button.burst_hold_ms", 200...10_000, .milliseconds, \.button.burstHold,
            "Start a burst when the button is held this long; it ends on release."),
        .duration(
            "button.consent_hold_ms", 500...30_000, .milliseconds, \.button.consentHold,
            "Allow a client's request when the button is held this long."),
        .duration(
            "button.shut_down_hold_ms", 1000...30_000, zero: "never", .milliseconds, \.button.shutDownHold,
            "Shut down when the button is held this long; this disables bursts."),
        .duration(
            "button.stuck_s", 40...3600, .seconds, \.button.stuckLimit,
            "Report a fault when a button is held this long."),

        .text(
            "led.line", limit: 64, \.led.line,
            "GPIO line of the light, by name or chip and offset; without it and `led.name` there is no light."),
        .text("led.name", limit: 64, \.led.name, "Name of the light in the kernel's LED class, such as `ACT`."),
        .flag("led.active_low", \.led.isActiveLow, "The light is on when its line is low."),

        .integer(
            "library.reserve_mb", 8...65_536, unit: "MiB", \.library.reserveMebibytes,
            "Space that photos never use, so that the camera keeps working when the card is full."),
        .integer(
            "library.files_per_directory", 1...9999, \.library.filesPerDirectory,
            "Start a new directory after this many photos."),
        .integer(
            "library.trash_days", 1...3650, unit: "days", \.library.trashDays,
            "Keep deleted photos this long; time counts only while the clock is trusted."),

        ConfigurationKey(
            "clock.zone", .zone, settable: true, "Time zone of photo dates.", read: { .text($0.clock.zone) },
            write: { if case .text(let zone) = $1 { $0.clock.zone = zone } }),
    ]

    /// The camera's own keys that stand after those of doors.
    static let last: [ConfigurationKey] = [
        .choice("log.level", settable: true, \.log.level, "Log messages of this level and above.")
    ]
}

extension ConfigurationKey {
    typealias Path<Value> = WritableKeyPath<CameraConfiguration, Value> & Sendable

    /// The unit a duration is counted in.
    enum DurationUnit: String {
        case microseconds = "µs"
        case milliseconds = "ms"
        case seconds = "s"

        var nanoseconds: Int64 {
            switch self {
            case .microseconds: 1000
            case .milliseconds: 1_000_000
            case .seconds: 1_000_000_000
            }
        }
    }

    static func integer(
        _ path: String, _ range: ClosedRange<Int>, zero: String? = nil, unit: String? = nil, settable: Bool = false,
        _ place: Path<Int>, _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, .integer(range, zero: zero), unit: unit, settable: settable, documentation,
            read: { .integer($0[keyPath: place]) },
            write: { if case .integer(let value) = $1 { $0[keyPath: place] = value } })
    }

    static func optionalInteger(
        _ path: String, _ range: ClosedRange<Int>, unit: String? = nil, example: Int, _ place: Path<Int?>,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, .integer(range, zero: nil), unit: unit, settable: false, example: .integer(example), documentation,
            read: { $0[keyPath: place].map { .integer($0) } },
            write: { if case .integer(let value) = $1 { $0[keyPath: place] = value } })
    }

    static func duration(
        _ path: String, _ range: ClosedRange<Int>, zero: String? = nil, _ unit: DurationUnit, settable: Bool = false,
        _ place: Path<Duration>, _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, .integer(range, zero: zero), unit: unit.rawValue, settable: settable, documentation,
            read: { .integer(Int($0[keyPath: place].wholeNanoseconds / unit.nanoseconds)) },
            write: {
                if case .integer(let value) = $1 { $0[keyPath: place] = .nanoseconds(Int64(value) * unit.nanoseconds) }
            })
    }

    static func number(
        _ path: String, _ range: ClosedRange<Double>, unit: String? = nil, settable: Bool = false,
        _ place: Path<Double>, _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, .number(range), unit: unit, settable: settable, documentation,
            read: { .number($0[keyPath: place]) },
            write: { if case .number(let value) = $1 { $0[keyPath: place] = value } })
    }

    static func optionalNumber(
        _ path: String, _ range: ClosedRange<Double>, unit: String? = nil, settable: Bool = false, example: Double,
        _ place: Path<Double?>, _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, .number(range), unit: unit, settable: settable, example: .number(example), documentation,
            read: { $0[keyPath: place].map { .number($0) } },
            write: { if case .number(let value) = $1 { $0[keyPath: place] = value } })
    }

    static func flag(
        _ path: String, settable: Bool = false, _ place: Path<Bool>, _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, .flag, settable: settable, documentation, read: { .flag($0[keyPath: place]) },
            write: { if case .flag(let value) = $1 { $0[keyPath: place] = value } })
    }

    static func text(
        _ path: String, limit: Int = 200, settable: Bool = false, _ place: Path<String>, _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, .text(limit: limit), settable: settable, documentation, read: { .text($0[keyPath: place]) },
            write: { if case .text(let value) = $1 { $0[keyPath: place] = value } })
    }

    static func choice<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ path: String, settable: Bool = false, _ place: Path<Word>, _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, .choice(Word.allCases.map(\.rawValue)), settable: settable, documentation,
            read: { .text($0[keyPath: place].rawValue) },
            write: {
                if case .text(let text) = $1, let word = Word(rawValue: text) { $0[keyPath: place] = word }
            })
    }
}
