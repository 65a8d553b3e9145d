import Configuration
import Console
import Platform

// What the doors and sensors add to the configuration and to the console.

extension ConfigurationSchema {
    /// The keys and clients of this program.
    package static let pinhole = ConfigurationSchema(
        adding: [.usbMode, .ptpipAddress], clients: ServedClient.allCases.map(\.configured))
}

extension ConfigurationKey {
    /// What a computer at the USB port sees when the camera has started.
    package static let usbMode = ConfigurationKey(
        "usb.mode", .choice(["on", "mass-storage", "off"]), default: .text("on"),
        "What the USB port shows a computer after a start: a camera, a disk, or nothing.")

    /// Where PTP/IP is spoken.
    package static let ptpipAddress = ConfigurationKey(
        "ptpip.address", .listenAddress, default: .text(""),
        "Address and port where the camera serves PTP/IP, such as `127.0.0.1:15740`; empty for none.")
}

extension CameraConfiguration {
    /// Where PTP/IP is spoken; nil for nowhere.
    package var ptpipAddress: ListenAddress? { ListenAddress(text(.ptpipAddress)) }
}

extension ServedClient {
    /// What holds for it while the configuration does not name it.
    var configured: ConfiguredClient {
        var configured = ConfiguredClient()
        configured.name = rawValue
        configured.purpose = purpose
        configured.onHold = isVisitor ? .full : .limited
        return configured
    }
}

extension CommandGrammar {
    /// The commands of this program.
    package static let pinhole = CommandGrammar(adding: additions)

    private static var additions: Additions {
        var additions = Additions()
        additions.entries = [.usb]
        additions.runOptions = [
            SettingOption(
                Option(
                    name: "--ptpip", value: "ADDRESS:PORT",
                    summary:
                        "Serve the library as a network camera over PTP/IP, for example at 127.0.0.1:15740; clients need your consent."
                ), key: ConfigurationKey.ptpipAddress.path)
        ]
        additions.statusRows = [
            StatusRow("usb", keys: ["usb", "usb_mode"]) { fields in
                guard case .string(let word) = fields["usb"], let state = USBState(rawValue: word) else { return nil }
                let mode: USBMode? =
                    if case .string(let word) = fields["usb_mode"] { USBMode(rawValue: word) } else { nil }
                return state.meaning(mode)
            },
            StatusRow("ptpip", keys: ["ptpip"]) { fields in
                guard let address = fields["ptpip"] else { return nil }
                return address == .null ? "off" : address.description
            },
        ]
        additions.sensors = [
            SensorForm("libcamera", "the same"), SensorForm("simulated", "a test picture"),
            SensorForm("simulated", argument: "DIR", "the photographs in a directory, in turn"),
        ]
        return additions
    }
}

extension CommandGrammar.Entry {
    /// `usb`.
    static let usb = CommandGrammar.Entry(
        door: "usb", usage: ["usb [status|on|mass-storage|off]"],
        summary: "Show what a computer at the USB port sees, or change it until the camera restarts.",
        detail:
            "on shows a camera; mass-storage shows a read-only disk, for devices that do not support cameras; off shows nothing. Each change disconnects the computer. After off, the light is on for 2 seconds when it is safe to unplug the cable.",
        words: 0...1
    ) { (command) throws(CommandFailure) in
        guard USBCommand(command) != nil else {
            let word = TerminalText.escaped(command.words.first ?? "")
            throw .usage("usb: there is no \"\(word)\": give status, on, mass-storage or off.")
        }
    }
}

/// What `usb` is to do.
enum USBCommand: String {
    /// Tell how the port is.
    case status
    /// Show a computer a camera.
    case on
    /// Show it a disk.
    case massStorage = "mass-storage"
    /// Show it nothing.
    case off

    /// The command that was typed; nil when it is none of these.
    init?(_ command: DoorCommand) {
        guard command.name == "usb" else { return nil }
        self.init(rawValue: command.words.first ?? USBCommand.status.rawValue)
    }
}

extension Appliance {
    /// The doors' fields of `status`.
    var doorFields: [String: FieldValue] {
        let (usb, usbMode) = usbPort?.state ?? (.unavailable, nil)
        return [
            "usb": .string(usb.rawValue), "usb_mode": usbMode.map { .string($0.rawValue) } ?? .null,
            "ptpip": networkPort.map { .string($0.address.description) } ?? .null,
        ]
    }
}

/// What a computer at the USB port sees of the camera.
package enum USBState: String, Hashable, Sendable, CaseIterable {
    /// This board's port cannot show it a camera, or is not set up for that.
    case unavailable
    /// Nothing, as it was switched off.
    case off
    /// There is no computer.
    case unplugged
    /// The camera.
    case connected

    /// What it means, for a person.
    ///
    /// - Parameter mode: what the port shows, if it shows anything.
    func meaning(_ mode: USBMode?) -> String {
        let shown = "shows " + (mode ?? .camera).noun
        return switch self {
        case .unavailable: "this port cannot show a computer the camera"
        case .off: "switched off"
        case .unplugged: shown + "; no computer is connected"
        case .connected: shown + "; a computer is connected"
        }
    }
}

/// What the camera is for a computer at the USB port.
package enum USBMode: String, Hashable, Sendable, CaseIterable {
    /// A camera.
    case camera
    /// A disk with photos that can only be read.
    case massStorage = "mass-storage"

    /// What it is, for a person.
    var noun: String {
        switch self {
        case .camera: "a camera"
        case .massStorage: "a disk"
        }
    }
}

extension USBMode {
    /// What the configuration says; nil for nothing.
    package init?(configured configuration: CameraConfiguration) {
        switch configuration.text(.usbMode) {
        case "on": self = .camera
        case "mass-storage": self = .massStorage
        default: return nil
        }
    }
}
