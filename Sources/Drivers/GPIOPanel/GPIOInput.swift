import CGPIOShim
import Platform
import Synchronization

/// An input line of a GPIO chip.
///
/// - Ownership: holds the line until the last reference goes.
package final class GPIOInput: InputLine {
    private static let capacity = 256
    package let descriptor: Int32
    private let line: Mutex<GPIOLine>

    /// Asks the kernel for the line.
    ///
    /// - Throws: ENOENT no such chip or line, EACCES not in the group, EBUSY used by another program or driver.
    /// - Blocking: briefly, for the kernel.
    package init(_ options: GPIOInputOptions) throws(SystemError) {
        let line = try GPIOLine(input: options)
        descriptor = pinhole_gpio_descriptor(line.handle)
        self.line = Mutex(line)
    }

    package func read() throws(SystemError) -> InputEdges {
        try line.withLock { (line) throws(SystemError) in
            var edges = [pinhole_gpio_edge](
                repeating: pinhole_gpio_edge(time: 0, is_active: false), count: Self.capacity)
            var didLose = false
            let count = pinhole_gpio_read(line.handle, &edges, edges.count, &didLose)
            guard count >= 0 else { throw SystemError.last("read the GPIO line") }
            return InputEdges(
                edges: edges.prefix(Int(count)).map {
                    InputEdges.Edge(time: MonotonicTime(nanoseconds: $0.time), isActive: $0.is_active)
                }, didLose: didLose)
        }
    }

    package func level() throws(SystemError) -> Bool {
        try line.withLock { (line) throws(SystemError) in
            let level = pinhole_gpio_level(line.handle)
            guard level >= 0 else { throw SystemError.last("read the GPIO line") }
            return level == 1
        }
    }
}
