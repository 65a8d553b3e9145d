import Glibc
import Platform
import Testing

@Suite("Descriptor")
struct DescriptorTests {
    @Test("an opened file reads what was written, then ends")
    func readsAndWrites() throws {
        let path = "/tmp/pinhole-descriptor-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        defer { unlink(path) }
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        do {
            let writer = try Descriptor.open(path, O_WRONLY | O_CREAT, mode: 0o600)
            try writer.writeAll(bytes)
        }
        let reader = try Descriptor.open(path, O_RDONLY)
        var all: [UInt8] = []
        while true {
            let part = try reader.read(upTo: 4096)
            if part.isEmpty { break }
            all += part
        }
        #expect(all == bytes)
    }

    @Test("a missing file is an error with its reason and path")
    func missing() {
        #expect(throws: SystemError(code: ENOENT, operation: "open", path: "/nowhere/at all")) {
            _ = try Descriptor.open("/nowhere/at all", O_RDONLY)
        }
    }

    @Test("an empty non-blocking pipe says EAGAIN, and the flag can be set back")
    func nonblocking() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reader = Descriptor(owning: ends[0])
        let writer = Descriptor(owning: ends[1])
        #expect(try reader.setNonblocking(true) == false)
        #expect(throws: SystemError(code: EAGAIN, operation: "read")) { _ = try reader.read(upTo: 1) }
        #expect(try reader.setNonblocking(false) == true)
        try writer.writeAll([7])
        #expect(try reader.read(upTo: 10) == [7])
    }

    @Test("sending to a socket whose other end is gone is EPIPE and no signal")
    func sendsToNobody() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        close(ends[1])
        let sender = Descriptor(owning: ends[0])
        #expect(throws: SystemError(code: EPIPE, operation: "send")) { _ = try sender.send([1]) }
    }

    @Test("a year that 64 bits of nanoseconds cannot hold is no date", arguments: ["2262-01-01", "9999-12-31T23:59"])
    func farYears(text: String) {
        #expect(WallTime(rfc3339: text) { _ in 0 } == nil)
    }
}
