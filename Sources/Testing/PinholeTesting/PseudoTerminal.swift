import Glibc
import Platform

/// A pseudo-terminal: the end that a person or a computer holds, and the path that the camera opens.
package struct PseudoTerminal: ~Copyable {
    /// The end of a person or a computer.
    package let person: Descriptor
    /// The path of the other end, such as `/dev/pts/3`, which the camera opens.
    package let path: String

    /// A terminal that no process has opened yet.
    package init() throws(SystemError) {
        let opened = try Descriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), macros that Swift does not see.
        guard ioctl(opened.raw, 0x4004_5431, &unlocked) == 0, ioctl(opened.raw, 0x8004_5430, &number) == 0 else {
            throw .last("make a terminal")
        }
        person = opened
        path = "/dev/pts/\(number)"
    }

    /// True when no process has it open any more. A terminal that was never opened counts as open.
    package var isClosed: Bool {
        var state = pollfd(fd: person.raw, events: 0, revents: 0)
        guard poll(&state, 1, 0) == 1 else { return false }
        return state.revents & Int16(POLLHUP) != 0
    }

    /// Opens and closes it, so that `isClosed` is right from now on.
    package func openOnce() throws(SystemError) {
        _ = try Descriptor.open(path, O_RDWR | O_NOCTTY)
    }

    /// Types a text at the person's end; nothing is added to it, not even a return.
    package func type(_ text: String) throws(SystemError) { try person.writeAll(Array(text.utf8)) }

    /// Reads until the text has been shown, and returns all up to then.
    package func read(until text: String) throws(SystemError) -> String {
        var shown: [UInt8] = []
        while !String(decoding: shown, as: UTF8.self).contains(text) {
            let part = try person.read(upTo: 4096)
            if part.isEmpty { break }
            shown += part
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
