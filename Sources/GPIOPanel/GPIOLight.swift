import CGPIOShim
import Panel
import Platform

/// An LED on a GPIO line: off at brightness 0, on above.
///
/// - Ownership: holds the line until the last reference goes; the LED is dark then.
// The pointer is used by the event loop alone, and by deinit after everybody.
package final class GPIOLight: Light, @unchecked Sendable {
    private let line: OpaquePointer

    /// Asks the kernel for the line.
    ///
    /// - Throws: ENOENT no such chip or line, EACCES not in the group, EBUSY used by another program or driver.
    package init(_ address: GPIOLineAddress, isActiveLow: Bool) throws(SystemError) {
        let (chip, offset) = try address.located()
        guard let line = pinhole_gpio_open_output(chip, offset, isActiveLow) else {
            throw SystemError.last("drive the GPIO line", "\(chip):\(offset)")
        }
        self.line = line
    }

    deinit {
        _ = pinhole_gpio_set(line, false)
        pinhole_gpio_close(line)
    }

    package func set(_ brightness: Double) {
        _ = pinhole_gpio_set(line, brightness > 0)
    }
}
