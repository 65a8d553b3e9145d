import CGPIOShim
import Glibc
import Platform

/// The port to one input line: the kernel's through libgpiod, or a test's.
///
/// - Isolation: one thread at a time.
package protocol InputLine: AnyObject, Sendable {
    /// Readable while edges wait.
    var descriptor: Int32 { get }
    /// Takes the edges that wait, oldest first; more may wait afterwards.
    ///
    /// - Throws: ENODEV when the chip is gone.
    func read() throws(SystemError) -> InputEdges
    /// The level now.
    func level() throws(SystemError) -> Bool
}

/// Edges of one line.
package struct InputEdges: Sendable {
    /// A change, stamped by the kernel.
    package struct Edge: Hashable, Sendable {
        /// When it happened.
        package var time: MonotonicTime
        /// The level after it, polarity applied.
        package var isActive: Bool

        /// An edge from its parts.
        package init(time: MonotonicTime, isActive: Bool) {
            self.time = time
            self.isActive = isActive
        }
    }

    /// Oldest first.
    package var edges: [Edge]
    /// True when the kernel's queue ran over, so that edges are missing.
    package var didLose: Bool

    /// Edges from their parts.
    package init(edges: [Edge], didLose: Bool) {
        self.edges = edges
        self.didLose = didLose
    }
}

/// How an input line is wired.
package struct GPIOInputOptions: Hashable, Sendable {
    /// The resistor that holds it while the button is open.
    package enum Bias: String, CaseIterable, Hashable, Sendable {
        /// As the board's firmware left it.
        case asIs = "as-is"
        /// None.
        case disabled
        /// To the supply; for a button to ground.
        case pullUp = "pull-up"
        /// To ground; for a button to the supply.
        case pullDown = "pull-down"
    }

    /// Where the line is.
    package var address: GPIOLineAddress
    /// True when pressing pulls it to ground.
    package var isActiveLow: Bool
    /// Its resistor.
    package var bias: Bias

    /// Options from their parts.
    package init(address: GPIOLineAddress, isActiveLow: Bool, bias: Bias) {
        self.address = address
        self.isActiveLow = isActiveLow
        self.bias = bias
    }
}

/// An input line of a GPIO chip.
///
/// - Ownership: holds the line until the last reference goes.
// The pointer is used by one thread at a time (the event loop, and deinit after everybody), which is all libgpiod asks.
package final class GPIOInput: InputLine, @unchecked Sendable {
    private static let capacity = 256
    private let line: OpaquePointer

    /// Asks the kernel for the line.
    ///
    /// - Throws: ENOENT no such chip or line, EACCES not in the group, EBUSY used by another program or driver.
    /// - Blocking: briefly, for the kernel.
    package init(_ options: GPIOInputOptions) throws(SystemError) {
        let (chip, offset) = try options.address.located()
        let bias =
            switch options.bias {
            case .asIs: PINHOLE_GPIO_BIAS_AS_IS
            case .disabled: PINHOLE_GPIO_BIAS_DISABLED
            case .pullUp: PINHOLE_GPIO_BIAS_PULL_UP
            case .pullDown: PINHOLE_GPIO_BIAS_PULL_DOWN
            }
        guard let line = pinhole_gpio_open_input(chip, offset, options.isActiveLow, bias) else {
            throw SystemError.last("watch the GPIO line", "\(chip):\(offset)")
        }
        self.line = line
    }

    deinit { pinhole_gpio_close(line) }

    package var descriptor: Int32 { pinhole_gpio_descriptor(line) }

    package func read() throws(SystemError) -> InputEdges {
        var edges = [pinhole_gpio_edge](repeating: pinhole_gpio_edge(time: 0, is_active: false), count: Self.capacity)
        var didLose = false
        let count = pinhole_gpio_read(line, &edges, edges.count, &didLose)
        guard count >= 0 else { throw SystemError.last("read the GPIO line") }
        return InputEdges(
            edges: edges.prefix(Int(count)).map {
                InputEdges.Edge(time: MonotonicTime(nanoseconds: $0.time), isActive: $0.is_active)
            }, didLose: didLose)
    }

    package func level() throws(SystemError) -> Bool {
        let level = pinhole_gpio_level(line)
        guard level >= 0 else { throw SystemError.last("read the GPIO line") }
        return level == 1
    }
}
