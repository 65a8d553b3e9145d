import Foundation
import Glibc
import Testing

@testable import Platform

@Suite("The service manager")
struct ServiceManagerTests {
    @Test("each message is one datagram, on a path and on an abstract name", arguments: [false, true])
    func datagrams(isAbstract: Bool) throws {
        let name = (isAbstract ? "@pinhole-" : "/tmp/pinhole-") + UUID().uuidString
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer {
            close(socket)
            unlink(name)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = (isAbstract ? [0] : [UInt8(ascii: "/")]) + Array(name.utf8.dropFirst())
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
        }
        #expect(bound == 0)
        let manager = try #require(ServiceManager(socket: name))
        for message in [ServiceManager.Message.ready, .watchdog, .status("one\nline"), .stopping] {
            manager.send(message)
        }
        for expected in ["READY=1", "WATCHDOG=1", "STATUS=one line", "STOPPING=1"] {
            var buffer = [UInt8](repeating: 0, count: 200)
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == expected)
        }
    }

    @Test("a manager that is gone, or no address at all, does no harm", arguments: ["", "@", "relative", "/"])
    func nobody(_ address: String) {
        #expect(ServiceManager(socket: address) == nil)
        ServiceManager(socket: "/no/such/socket")?.send(.ready)
    }

    @Test("a sign of life is due at half of the watchdog's time, and only when this process is meant")
    func interval() {
        #expect(ServiceManager.watchdogInterval(limit: "20000000", process: nil, own: 7) == .seconds(10))
        #expect(ServiceManager.watchdogInterval(limit: "20000000", process: "7", own: 7) == .seconds(10))
        #expect(ServiceManager.watchdogInterval(limit: "20000000", process: "8", own: 7) == nil)
        for limit in [nil, "", "0", "-5", "never", "99999999999999999999"] {
            #expect(ServiceManager.watchdogInterval(limit: limit, process: nil, own: 7) == nil)
        }
    }

    @Test("a journal gets each line with its level before it, anybody else with its level's name")
    func journal() {
        let time = WallTime(unixNanoseconds: 0, offsetSeconds: 0, isTrusted: true)
        let line = Log.Line(time: time, level: .warning, message: "fault: one\ntwo")
        #expect(JournalFormat(isJournal: true).text(line) == "<4>fault: one\n<4>two\n")
        #expect(JournalFormat(isJournal: false).text(line) == "warning: fault: one\ntwo\n")
    }
}
