import Glibc
import Platform
import Synchronization

/// The open descriptors of a console, none of which blocks, and the terminal's mode.
final class ConsoleDevice: Sendable {
    let input: Descriptor
    let output: Descriptor
    /// True for a terminal that is typed at; false for pipes and files.
    let isTerminal: Bool
    private let mode: TerminalMode?
    /// Descriptors of other owners that were made non-blocking, to be set back.
    private let changed: [Int32]

    /// Standard input and output.
    ///
    /// They are reopened where that is possible, because O_NONBLOCK is a property of the open file, which the
    /// shell and others share. Where not (sockets, a terminal of another user) it is set and set back at the end.
    static func standard(input: Int32, output: Int32) throws(SystemError) -> ConsoleDevice {
        let isTerminal = isatty(input) == 1 && isatty(output) == 1
        var changed: [Int32] = []
        let input = try own(input, O_RDONLY, &changed)
        let output = try own(output, O_WRONLY, &changed)
        return try ConsoleDevice(input: input, output: output, isTerminal: isTerminal, changed: changed)
    }

    /// Opens a terminal device, such as a serial line, by its path.
    static func terminal(_ path: String) throws(SystemError) -> ConsoleDevice {
        let input = try Descriptor.open(path, O_RDWR | O_NONBLOCK | O_NOCTTY)
        guard isatty(input.raw) == 1 else { throw SystemError(code: ENOTTY, operation: "use as a console", path: path) }
        let output = try input.duplicate()
        return try ConsoleDevice(input: input, output: output, isTerminal: true, changed: [])
    }

    private init(
        input: consuming Descriptor, output: consuming Descriptor, isTerminal: Bool, changed: [Int32]
    ) throws(SystemError) {
        mode = isTerminal ? try TerminalMode(input.raw) : nil
        self.input = input
        self.output = output
        self.isTerminal = isTerminal
        self.changed = changed
    }

    deinit {
        // While the descriptors are open.
        mode?.restore()
        for raw in changed { Self.setBlocking(raw) }
    }

    private static func own(_ raw: Int32, _ flags: Int32, _ changed: inout [Int32]) throws(SystemError) -> Descriptor {
        var information = stat()
        guard fstat(raw, &information) == 0 else { throw .last("use standard input and output") }
        let kind = information.st_mode & S_IFMT
        if isatty(raw) == 1 || kind == S_IFIFO,
            let opened = try? Descriptor.open("/proc/self/fd/\(raw)", flags | O_NONBLOCK | O_NOCTTY)
        {
            return opened
        }
        let copy = fcntl(raw, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("use standard input and output") }
        let descriptor = Descriptor(owning: copy)
        // Files never block, and their position is shared with the next reader.
        if kind != S_IFREG, !(try descriptor.setNonblocking(true)) { changed.append(raw) }
        return descriptor
    }

    private static func setBlocking(_ raw: Int32) {
        let flags = fcntl(raw, F_GETFL)
        if flags >= 0 { _ = fcntl(raw, F_SETFL, flags & ~O_NONBLOCK) }
    }
}

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
