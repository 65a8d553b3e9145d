import CGPIOShim
import Panel
import Platform
import Synchronization

/// An LED on a GPIO line: off at brightness 0, on above.
///
/// - Ownership: holds the line until the last reference goes; the LED is dark then.
package final class GPIOLight: Light {
    private let line: Mutex<GPIOLine>

    /// Asks the kernel for the line.
    ///
    /// - Throws: ENOENT no such chip or line, EACCES not in the group, EBUSY used by another program or driver.
    package init(_ address: GPIOLineAddress, isActiveLow: Bool) throws(SystemError) {
        line = Mutex(try GPIOLine(output: address, isActiveLow: isActiveLow))
    }

    deinit { set(0) }

    package func set(_ brightness: Double) {
        line.withLock { _ = pinhole_gpio_set($0.handle, brightness > 0) }
    }
}
