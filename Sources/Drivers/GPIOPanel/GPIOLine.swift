import CGPIOShim
import Platform

/// The single owner of a line that the kernel gave; it is let go when the owner goes.
struct GPIOLine: ~Copyable {
    /// libgpiod's handle, valid while the owner lives.
    let handle: OpaquePointer

    /// Requests a line as an input that reports both edges.
    init(input options: GPIOInputOptions) throws(SystemError) {
        let (chip, offset) = try options.address.located()
        let bias =
            switch options.bias {
            case .asIs: PINHOLE_GPIO_BIAS_AS_IS
            case .disabled: PINHOLE_GPIO_BIAS_DISABLED
            case .pullUp: PINHOLE_GPIO_BIAS_PULL_UP
            case .pullDown: PINHOLE_GPIO_BIAS_PULL_DOWN
            }
        guard let handle = pinhole_gpio_open_input(chip, offset, options.isActiveLow, bias) else {
            throw SystemError.last("watch the GPIO line", "\(chip):\(offset)")
        }
        self.handle = handle
    }

    /// Drives an output, inactive at first.
    init(output address: GPIOLineAddress, isActiveLow: Bool) throws(SystemError) {
        let (chip, offset) = try address.located()
        guard let handle = pinhole_gpio_open_output(chip, offset, isActiveLow) else {
            throw SystemError.last("drive the GPIO line", "\(chip):\(offset)")
        }
        self.handle = handle
    }

    deinit { pinhole_gpio_close(handle) }
}
