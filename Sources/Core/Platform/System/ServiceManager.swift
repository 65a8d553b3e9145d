import Glibc

/// The service manager that started this program. It receives the program's state as datagrams (sd_notify(3)).
///
/// - Isolation: any thread.
package struct ServiceManager: Sendable {
    /// A state to report, one datagram each.
    package enum Message: Hashable, Sendable {
        /// The start is complete.
        case ready
        /// The program is alive; the manager's watchdog timer begins again.
        case watchdog
        /// The end has begun.
        case stopping
        /// A sentence that `systemctl status` shows.
        case status(String)

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .watchdog: "WATCHDOG=1"
            case .stopping: "STOPPING=1"
            case .status(let sentence): "STATUS=" + sentence.split(whereSeparator: \.isNewline).joined(separator: " ")
            }
        }
    }

    private let socket: String

    /// The manager that listens on a socket: a path, or `@` and an abstract name; nil for anything else.
    package init?(socket: String) {
        guard let first = socket.first, first == "/" || first == "@", (2...107).contains(socket.utf8.count) else {
            return nil
        }
        self.socket = socket
    }

    /// The manager named in the environment; nil when none started this program.
    package static var fromEnvironment: ServiceManager? {
        getenv("NOTIFY_SOCKET").flatMap { ServiceManager(socket: String(cString: $0)) }
    }

    /// How often it expects a watchdog message: half of its limit. Nil when it does not watch this program.
    package static var watchdogInterval: Duration? {
        watchdogInterval(
            limit: getenv("WATCHDOG_USEC").map { String(cString: $0) },
            process: getenv("WATCHDOG_PID").map { String(cString: $0) }, own: getpid())
    }

    /// The same by the values of WATCHDOG_USEC and WATCHDOG_PID.
    static func watchdogInterval(limit: String?, process: String?, own: Int32) -> Duration? {
        guard let limit = limit.flatMap({ Int64($0) }), (2...Int64.max / 1000).contains(limit) else { return nil }
        // The variables may have been inherited from another service.
        if let process, Int32(process) != own { return nil }
        return .microseconds(limit / 2)
    }

    /// Reports a state. A manager that does not listen is ignored.
    ///
    /// - Blocking: no.
    package func send(_ message: Message) {
        let raw = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard raw >= 0 else { return }
        let descriptor = Descriptor(owning: raw)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socket.utf8)
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // The length decides where an abstract name ends.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(message.text.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    descriptor.raw, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0, length
                )
            }
        }
    }
}
