import Glibc
import Platform

@testable import Console

/// What a program writes to the control socket, through a connection on the event loop. The first byte says in how
/// large pieces it is written.
enum SocketRequest {
    private static let limit = 256
    /// Answers whose records are read: reading is slow, and more of the same finds nothing new.
    private static let recordLimit = 8
    private static let loop: EventLoop = {
        guard let loop = try? EventLoop(), (try? loop.start()) != nil else { fatalError("no event loop") }
        return loop
    }()

    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let piece = Int(bytes.first ?? 0) + 1
        let request = Array(bytes.dropFirst())
        let lines = answer(to: request, piece: piece).split(separator: UInt8(ascii: "\n"))
        var ends = 0
        for line in lines.map({ String(decoding: $0, as: UTF8.self) }) {
            if line.hasPrefix("{\"exit\":") {
                ends += 1
            } else if ends < recordLimit {
                Fuzz.expect(Record(json: line)?.json == line, "an answer is no record: \(line)")
            }
        }
        let expected = requests(in: request)
        Fuzz.expect(ends == expected, "\(expected) requests were answered \(ends) times")
        return 0
    }

    /// The lines of a request up to and with the first that is too long.
    private static func requests(in request: [UInt8]) -> Int {
        var lines = request.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.firstIndex { $0.count > limit }.map { $0 + 1 } ?? lines.count
    }

    private static func answer(to request: [UInt8], piece: Int) -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { fatalError("no sockets") }
        let client = Descriptor(owning: ends[0])
        let server = Descriptor(owning: ends[1])
        var limits = ControlServer.Limits()
        limits.requestBytes = limit
        var answer: [UInt8] = []
        do {
            try server.setNonblocking(true)
            let connection = ControlConnection(
                server, loop: loop, context: CommandContext(handler: Echo()), limits: limits, onEnd: { _ in })
            loop.post { connection.start() }
            var rest = request[...]
            while !rest.isEmpty {
                // A connection that was refused is closed while more is written.
                guard let count = try? client.send(Array(rest.prefix(piece))) else { break }
                rest = rest.dropFirst(count)
            }
            shutdown(client.raw, Int32(SHUT_WR))
            while case let bytes = try client.read(upTo: 65_536), !bytes.isEmpty { answer += bytes }
        } catch {
            // Bytes that were never read turn the end into a reset; what was answered before is here.
            Fuzz.expect(error.code == ECONNRESET, "the connection failed: \(error)")
        }
        // After two turns the loop has let go of the connection; until then that would look like a leak.
        let isOver = Semaphore()
        loop.post { loop.post { isOver.signal() } }
        isOver.wait()
        return answer
    }
}

/// Answers with what it was asked.
private final class Echo: CommandHandler {
    func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink) {
        switch command {
        case .set(let key, let value):
            reply.send(.setting(SettingRecord(key: key, value: .string(value), source: key)))
        case .log, .events:
            for _ in 0..<3 { reply.offer(.log(LogRecord(time: "", level: "info", message: "\(command)"))) }
        case .show(let photo):
            reply.fail(CommandFailure(.noSuchPhoto, "there is no photo \(photo)"))
            return
        default:
            reply.send(.help(HelpRecord(help: "\(command)")))
        }
        reply.finish(.done)
    }

    let grammar = CommandGrammar()
    func consoleEnded() {}
}
