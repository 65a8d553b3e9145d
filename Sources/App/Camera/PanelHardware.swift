import Configuration
import Console
import GPIOPanel
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

        /// Opens the light; one of the LED class is taken over from the kernel's trigger.
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
            throw CommandFailure(.configuration, "led.line and led.name are both set; there is one light, so set one")
        }
        guard !led.name.contains("/"), !led.name.hasPrefix(".") else {
            throw CommandFailure(.configuration, "led.name is \"\(led.name)\", expected a name from /sys/class/leds")
        }
        light = line.map { .line($0, isActiveLow: led.isActiveLow) } ?? (led.name.isEmpty ? nil : .named(led.name))
    }

    private static func address(_ text: String, _ key: String) throws(CommandFailure) -> GPIOLineAddress? {
        guard !text.isEmpty else { return nil }
        guard let address = GPIOLineAddress(text) else {
            throw CommandFailure(
                .configuration,
                "\(key) is \"\(text)\", expected a line name such as GPIO17, or a chip and offset such as gpiochip0:17")
        }
        return address
    }
}
