import Glibc
import Platform
import Synchronization

/// A terminal set for line editing, and set back when this goes or the process ends by quick_exit(3).
final class TerminalMode: Sendable {
    /// The settings to return to, by descriptor.
    private static let saved = Mutex<[Int32: termios]>([:])
    /// A process ends without the deinits: a terminal left without echo would be the owner's last impression.
    private static let restoringAtExit: Void = {
        at_quick_exit { TerminalMode.saved.withLock { $0.forEach { TerminalMode.apply($0.value, to: $0.key) } } }
    }()

    private let descriptor: Int32

    /// Sets the terminal: bytes come as they are typed, without echo and signals; LF is shown as CR LF.
    ///
    /// - Ownership: the caller keeps the descriptor open as long as this lives.
    init(_ descriptor: Int32) throws(SystemError) {
        var mode = termios()
        guard tcgetattr(descriptor, &mode) == 0 else { throw .last("read the settings of the terminal") }
        let before = mode
        mode.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
        mode.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
        mode.c_oflag |= tcflag_t(OPOST | ONLCR)
        // A serial line without modem wires is never "hung up".
        mode.c_cflag |= tcflag_t(CREAD | CLOCAL)
        withUnsafeMutableBytes(of: &mode.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        guard tcsetattr(descriptor, TCSANOW, &mode) == 0 else { throw .last("set the terminal") }
        self.descriptor = descriptor
        _ = Self.restoringAtExit
        Self.saved.withLock { $0[descriptor] = before }
    }

    deinit { restore() }

    /// Sets the terminal back, once.
    func restore() {
        let before = Self.saved.withLock { $0.removeValue(forKey: descriptor) }
        if let before { Self.apply(before, to: descriptor) }
    }

    private static func apply(_ mode: termios, to descriptor: Int32) {
        var mode = mode
        tcsetattr(descriptor, TCSANOW, &mode)
    }
}
