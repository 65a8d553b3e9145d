import Foundation
import Platform
import Testing

@testable import PTP

/// The other end of one connection of PTP/IP, as an initiator has it. What does not come within a minute never comes.
final class PTPIPFarEnd {
    struct Received: Equatable {
        var packet: PTPIPPacket
        var payload: [UInt8] = []
    }

    let descriptor: Descriptor
    /// The other connection of the same initiator, which is closed no earlier than this one.
    var companion: PTPIPFarEnd?
    private var decoder = PTPIPDecoder()
    private var bytes: [UInt8] = []
    private var rest = 0..<0

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            self.descriptor.raw, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(
            self.descriptor.raw, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a port of this machine, from an address of it.
    static func connect(to port: UInt16, from source: String = "127.0.0.1") throws -> PTPIPFarEnd {
        let raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(raw >= 0)
        let end = PTPIPFarEnd(Descriptor(owning: raw))
        func call(_ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(result == 0)
        }
        try call(source, 0) { bind(raw, $0, $1) }
        try call("127.0.0.1", port) { Foundation.connect(raw, $0, $1) }
        return end
    }

    func send(_ packet: PTPIPPacket, payload: [UInt8] = []) throws {
        try send(packet.bytes + payload)
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty { rest = rest.dropFirst(try descriptor.send(Array(rest))) }
    }

    func send(_ code: OperationCode, _ transaction: UInt32, _ parameters: [UInt32] = []) throws {
        try send(
            .operationRequest(
                OperationRequest(code.rawValue, transaction: transaction, parameters: parameters),
                dataPhase: code.receivesData ? .out : .noneOrIn))
    }

    /// The next packet with its payload; nil when the connection is over.
    func receive() throws -> Received? {
        var received: Received?
        while true {
            while let element = try decoder.next(bytes, &rest) {
                switch element {
                case .packet(.data(let transaction, let count)):
                    received = Received(packet: .data(transaction: transaction, byteCount: count))
                case .packet(.endData(let transaction, let count)):
                    received = Received(packet: .endData(transaction: transaction, byteCount: count))
                case .packet(let packet): return Received(packet: packet)
                case .payload(let piece, let isLast):
                    received?.payload += bytes[piece]
                    if isLast { return received }
                case .malformed, .malformedOperation:
                    Issue.record("the responder sent what is no packet")
                }
            }
            do throws(SystemError) {
                bytes = try descriptor.read(upTo: 65_536)
            } catch {
                guard error.code == ECONNRESET else { throw error }
                bytes = []
            }
            rest = 0..<bytes.count
            if bytes.isEmpty { return nil }
        }
    }

    /// The packets up to the response of a transaction; what comes after the connection has ended is nil.
    func transaction() throws -> (data: [UInt8]?, response: PTPIPPacket?) {
        var data: [UInt8]?
        while let received = try receive() {
            switch received.packet {
            case .startData: data = []
            case .data, .endData: data? += received.payload
            default: return (data, received.packet)
            }
        }
        return (data, nil)
    }

    /// Has the connection end with a reset instead of an orderly end when this end is let go of.
    func breakOff() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor.raw, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends the connection.
    func shutDown() {
        shutdown(descriptor.raw, Int32(SHUT_RDWR))
    }
}
