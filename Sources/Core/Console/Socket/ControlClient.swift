import Glibc
import Platform

/// A shell command's side of the control socket.
///
/// - Isolation: one thread at a time.
/// - Blocking: every call, until the camera answers.
package final class ControlClient {
    /// One line of the answer.
    package enum Reply: Sendable {
        /// A record: the line as it came, and what this version reads in it.
        case record(line: String, Record?)
        /// The end, with the command's exit status.
        case exit(Int32)
    }

    private static let lineLimit = 4 << 20
    private let descriptor: Descriptor
    private var received: [UInt8] = []
    /// Bytes of `received` that hold no line's end.
    private var searched = 0

    private init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Connects to the camera of a state folder.
    package static func connect(state: String) throws(CommandFailure) -> ControlClient {
        try connect(path: try ControlSocket.path(state: state), state: state)
    }

    /// Connects to a socket; the state folder is for the error's sentence.
    static func connect(path: String, state: String) throws(CommandFailure) -> ControlClient {
        do throws(SystemError) {
            return ControlClient(try ControlSocket.connect(path))
        } catch {
            switch error.code {
            case ENOENT, ECONNREFUSED, ENOTDIR:
                throw CommandFailure(
                    .notRunning, "no camera is running on \(state): start one with `pinhole run --state \(state)`.")
            case EACCES, EPERM:
                throw CommandFailure(
                    .notPermitted,
                    "\(path) is not accessible: join its group, or use the camera's user.")
            default: throw CommandFailure(.unavailable, "\(error).", retry: true)
            }
        }
    }

    /// Sends a command as one line; the answer follows with `next`.
    package func send(_ words: [String]) throws(CommandFailure) {
        let line = try Tokenizer.line(words)
        guard line.utf8.count <= ControlServer.Limits().requestBytes else {
            throw .usage("The command is longer than \(ControlServer.Limits().requestBytes) bytes: split it.")
        }
        try send(line: line)
    }

    /// Gives the line that an `input` record asks for; nil when there is none, which cancels the command.
    package func answer(_ line: String?) throws(CommandFailure) {
        guard let line else {
            shutdown(descriptor.raw, Int32(SHUT_WR))
            return
        }
        guard line.utf8.count <= ControlServer.Limits().requestBytes else {
            throw .usage("The line is longer than \(ControlServer.Limits().requestBytes) bytes: split it.")
        }
        try send(line: line)
    }

    func send(line: String) throws(CommandFailure) {
        var rest = Array((line + "\n").utf8)[...]
        do throws(SystemError) {
            while !rest.isEmpty { rest = rest.dropFirst(try descriptor.send(Array(rest))) }
        } catch {
            // A camera that refuses the connection has said why: its words wait to be read.
            if error.code != EPIPE { throw Self.gone }
        }
    }

    /// The next line of the answer.
    package func next() throws(CommandFailure) -> Reply {
        let line = try line()
        if let status = Self.exit(line) { return .exit(status) }
        return .record(line: line, Record(json: line))
    }

    private func line() throws(CommandFailure) -> String {
        while true {
            if let end = received[searched...].firstIndex(of: 0x0A) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                searched = 0
                return line
            }
            searched = received.count
            guard received.count <= Self.lineLimit else {
                throw CommandFailure(.internal, "The camera sent a line that is too long: report it.")
            }
            var bytes: [UInt8] = []
            do throws(SystemError) {
                bytes = try descriptor.read(upTo: 65536)
            } catch {
                throw Self.gone
            }
            if bytes.isEmpty { throw Self.gone }
            received += bytes
        }
    }

    /// The status in `{"exit":N}`; nil for any other line.
    private static func exit(_ line: String) -> Int32? {
        guard line.hasPrefix("{\"exit\":"), line.hasSuffix("}") else { return nil }
        return Int32(line.dropFirst("{\"exit\":".count).dropLast())
    }

    private static var gone: CommandFailure {
        CommandFailure(
            .unavailable, "The camera stopped before it answered: `pinhole status` shows whether it is running.",
            retry: true)
    }
}
