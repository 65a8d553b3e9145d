import Configuration
import Console
import GPIOPanel
import Glibc
import Panel
import Platform

/// The lines of a board's buttons and light, as the configuration has them.
package struct PanelWiring: Hashable, Sendable {
    /// The buttons that are wired.
    package let buttons: [ButtonLine: GPIOInputOptions]
    /// The light; nil when there is none.
    package let light: LightPlace?

    /// Where a light is.
    package enum LightPlace: Hashable, Sendable {
        /// On a GPIO line.
        case line(GPIOLineAddress, isActiveLow: Bool)
        /// In the kernel's LED class.
        case named(String)

        /// Takes it over.
        package func open() throws(SystemError) -> any Light {
            switch self {
            case .line(let address, let isActiveLow): try GPIOLight(address, isActiveLow: isActiveLow)
            case .named(let name): try LEDClassLight(name: name)
            }
        }
    }

    /// Reads the wiring out of a configuration.
    ///
    /// - Throws: `CommandFailure` when a line's address is none.
    package init(_ configuration: CameraConfiguration) throws(CommandFailure) {
        let (button, led) = (configuration.button, configuration.led)
        var buttons: [ButtonLine: GPIOInputOptions] = [:]
        for (line, key, text) in [
            (ButtonLine.shutter, "button.shutter_line", button.shutterLine),
            (.focus, "button.focus_line", button.focusLine),
        ] {
            guard let address = try Self.address(text, key) else { continue }
            buttons[line] = GPIOInputOptions(
                address: address, isActiveLow: button.isActiveLow,
                bias: GPIOInputOptions.Bias(rawValue: button.bias.rawValue) ?? .asIs)
        }
        self.buttons = buttons
        let line = try Self.address(led.line, "led.line")
        guard line == nil || led.name.isEmpty else {
            throw CommandFailure(.configuration, "led.line and led.name are both given; there is one light, give one")
        }
        guard !led.name.contains("/"), !led.name.hasPrefix(".") else {
            throw CommandFailure(.configuration, "led.name is \"\(led.name)\", expected a name of /sys/class/leds")
        }
        light = line.map { .line($0, isActiveLow: led.isActiveLow) } ?? (led.name.isEmpty ? nil : .named(led.name))
    }

    private static func address(_ text: String, _ key: String) throws(CommandFailure) -> GPIOLineAddress? {
        guard !text.isEmpty else { return nil }
        guard let address = GPIOLineAddress(text) else {
            throw CommandFailure(
                .configuration,
                "\(key) is \"\(text)\", expected a line's name like GPIO17 or a place like gpiochip0:17")
        }
        return address
    }
}

/// Why a line cannot be had, for a person.
package enum MissingLine {
    /// What is missing and what to do.
    ///
    /// - Parameters:
    ///   - what: the button or light that is on the line.
    ///   - chips: the paths of the GPIO chips there are.
    /// - Blocking: looks at device files.
    package static func sentence(_ what: String, _ error: SystemError, chips: [String] = chips) -> String {
        let path = error.path ?? ""
        let advice = path.hasPrefix("/sys/") ? advice(light: path, error) : advice(line: path, error, chips)
        return "the \(what) does not work: \(error); \(advice)"
    }

    private static func advice(light path: String, _ error: SystemError) -> String {
        switch error.code {
        case EACCES, EPERM: DeviceAccess(path: path).advice
        case ENOENT: "there is no such light; `ls /sys/class/leds` lists them, and led.name names one"
        case EROFS: "the service may not write there; `readlink -f` its folder and add that to ReadWritePaths"
        default: "look whether its driver is loaded"
        }
    }

    private static func advice(line path: String, _ error: SystemError, _ chips: [String]) -> String {
        // The path is a place (`/dev/gpiochip0:17`) or a line's name, which may be on any chip.
        let chip = path.hasPrefix("/dev/") ? String(path.prefix { $0 != ":" }) : nil
        switch error.code {
        case EACCES, EPERM:
            let closed = chip ?? chips.first { access($0, R_OK | W_OK) != 0 } ?? chips.first ?? "/dev/gpiochip0"
            return "\(closed): \(DeviceAccess(path: closed).advice)"
        case EBUSY: return "another program or driver has it; `gpioinfo` says which"
        case _ where chips.isEmpty:
            return
                "there is no GPIO chip on this machine; look whether its driver is loaded and its overlay in config.txt"
        case _ where chip.map { !chips.contains($0) } ?? false:
            return
                "there is no \(chip ?? path), only \(chips.joined(separator: " and ")); correct the line in the board's"
                + " file or the configuration, or look whether the chip's overlay is in config.txt"
        case ENOENT, EINVAL:
            return "there is no such line; `gpioinfo` lists them, and the board's file or the configuration names it"
        default: return "check its wiring"
        }
    }

    /// The paths of the GPIO chips that the kernel shows.
    ///
    /// - Blocking: reads the folder of devices.
    package static var chips: [String] {
        DeviceFolder.names(in: "/dev") { $0.hasPrefix("gpiochip") }.map { "/dev/" + $0 }
    }
}
