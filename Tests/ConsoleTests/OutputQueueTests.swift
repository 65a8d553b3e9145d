import Glibc
import Platform
import Testing

@testable import Console

@Suite("Output queue")
struct OutputQueueTests {
    private static func event(_ index: Int) -> Record {
        .event(EventRecord(.saved, time: "t\(index)", fields: ["id": .integer(Int64(index))]))
    }

    private static func drain(_ queue: inout OutputQueue, pieces: Int) throws -> [String] {
        var bytes: [UInt8] = []
        _ = try queue.flush(format: \.json) { (buffer) throws(SystemError) in
            bytes += buffer.prefix(pieces)
            return min(pieces, buffer.count)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("bytes come out in order, whatever the receiver takes at once", arguments: [1, 7, 100_000])
    func order(pieces: Int) throws {
        var queue = OutputQueue()
        for index in 0..<100 { queue.append("line \(index)\n".utf8, format: \.json) }
        #expect(try Self.drain(&queue, pieces: pieces) == (0..<100).map { "line \($0)" })
        #expect(queue.isEmpty)
    }

    @Test("a receiver that takes no more keeps the rest waiting; one that fails says so")
    func full() throws {
        var queue = OutputQueue()
        queue.append("abc".utf8, format: \.json)
        let isDone = try queue.flush(format: \.json) { (_) throws(SystemError) in
            throw SystemError(code: EAGAIN, operation: "write")
        }
        #expect(!isDone && queue.count == 3)
        #expect(throws: SystemError.self) {
            try queue.flush(format: \.json) { (_) throws(SystemError) in
                throw SystemError(code: EPIPE, operation: "write")
            }
        }
    }

    @Test("a slow reader of a stream gets the newest 1,000 records and the number it missed")
    func slowReader() throws {
        var queue = OutputQueue()
        for index in 0..<20_000 { queue.offer(Self.event(index), format: \.json) }
        let lines = try Self.drain(&queue, pieces: 4096)
        let indices = lines.compactMap { line -> Int? in
            guard case .event(let event) = Record(json: line), case .integer(let id) = event.fields["id"] else {
                return nil
            }
            return Int(id)
        }
        let gap = indices.firstIndex { $0 == 19_000 }
        #expect(Array(indices.suffix(1000)) == Array(19_000..<20_000))
        #expect(gap.map { Array(indices[..<$0]) == Array(0..<$0) } == true)
        let notice = lines.first { $0.contains("dropped") }
        #expect(notice == #"{"count":\#(20_000 - indices.count),"event":"dropped","time":"t19000"}"#)
    }

    @Test("plain bytes stay behind the stream's records that came before them")
    func behindStream() throws {
        var queue = OutputQueue()
        for index in 0..<1500 { queue.offer(Self.event(index), format: \.json) }
        queue.append("{\"exit\":0}\n".utf8, format: \.json)
        #expect(try Self.drain(&queue, pieces: 100_000).last == "{\"exit\":0}")
    }
}
