import CGPIOShim
import Platform

/// Where a GPIO line is: by the kernel's name for it (`GPIO17`) or by chip and offset (`gpiochip0:17`).
package enum GPIOLineAddress: Hashable, Sendable {
    /// The name, looked for on every chip.
    case name(String)
    /// The chip's path and the line's offset on it.
    case place(chip: String, offset: UInt32)

    /// Reads an address; nil when it is none.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 64, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        switch parts.count {
        case 1:
            self = .name(text)
        case 2:
            let chip = parts[0].hasPrefix("/dev/") ? parts[0].dropFirst(5) : parts[0]
            guard chip.hasPrefix("gpiochip"), !chip.contains("/"), let offset = UInt32(parts[1]) else { return nil }
            self = .place(chip: "/dev/" + chip, offset: offset)
        default:
            return nil
        }
    }

    /// The chip's path and the line's offset.
    ///
    /// - Throws: ENOENT when no chip has a line of this name, EACCES or EPERM when there are chips that may not be opened.
    /// - Blocking: opens every chip for a name.
    package func located() throws(SystemError) -> (chip: String, offset: UInt32) {
        switch self {
        case .place(let chip, let offset):
            return (chip, offset)
        case .name(let name):
            var path = [CChar](repeating: 0, count: 64)
            var offset: UInt32 = 0
            guard pinhole_gpio_find(name, &path, path.count, &offset) else {
                throw SystemError.last("find the GPIO line", name)
            }
            return (String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), offset)
        }
    }
}
