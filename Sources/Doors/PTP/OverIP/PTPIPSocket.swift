import Glibc
import Platform

/// One TCP connection or listening socket of PTP/IP (CIPA DC-005, section 2.2). It never blocks.
final class PTPIPSocket: Sendable {
    let descriptor: Descriptor

    /// Takes ownership of a socket.
    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Listens on a literal address of IPv4 or IPv6; port 0 is any free one.
    static func listen(address: String, port: UInt16) throws(SystemError) -> PTPIPSocket {
        let (family, place) = try SocketAddress.bytes(of: address, port: port)
        let raw = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard raw >= 0 else { throw .last("create a socket for", address) }
        let listener = PTPIPSocket(Descriptor(owning: raw))
        // A restarted camera need not wait until the connections of the last process have ended.
        listener.set(SOL_SOCKET, SO_REUSEADDR, 1)
        let result = place.withUnsafeBytes { bytes in
            bind(raw, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0, Glibc.listen(raw, 16) == 0 else { throw .last("listen on", "\(address) port \(port)") }
        return listener
    }

    /// Accepts a waiting connection.
    func accept() throws(SystemError) -> PTPIPSocket {
        let connection = PTPIPSocket(try Descriptor.accept(descriptor))
        // A response must not wait for more bytes, and an unplugged initiator must be noticed eventually.
        connection.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        connection.set(SOL_SOCKET, SO_KEEPALIVE, 1)
        connection.set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30)
        connection.set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10)
        connection.set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        return connection
    }

    /// Reads the bytes that have arrived.
    ///
    /// - Returns: nil when none have arrived yet.
    /// - Throws: `.closed` when the connection has ended.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LinkError) -> Int? {
        do throws(SystemError) {
            let count = try descriptor.read(into: buffer)
            if count > 0 { return count }
        } catch {
            if error.code == EAGAIN { return nil }
        }
        throw .closed
    }

    /// Writes some of the bytes.
    ///
    /// - Returns: the number of bytes written; nil when the socket's buffer is full.
    func write(_ bytes: UnsafeRawBufferPointer) throws(LinkError) -> Int? {
        do throws(SystemError) {
            return try descriptor.send(bytes)
        } catch {
            if error.code == EAGAIN { return nil }
            throw .closed
        }
    }

    /// The port of this end.
    var port: UInt16 { SocketAddress(of: descriptor.raw, getsockname)?.port ?? 0 }

    /// The address of the other end; nil after it has closed.
    var peer: SocketAddress? { SocketAddress(of: descriptor.raw, getpeername) }

    /// True when the other end has closed and everything it sent before was read.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        return recv(descriptor.raw, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Ends the connection for both ends, and wakes the threads that wait for it.
    func shutDown() {
        shutdown(descriptor.raw, Int32(SHUT_RDWR))
    }

    /// Sets an option; a socket without it still works.
    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor.raw, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// An address with its port, as text and number.
struct SocketAddress: Hashable, Sendable {
    /// The literal address, of IPv4 or IPv6.
    let host: String
    let port: UInt16

    /// The address that a call such as getpeername(2) returns.
    fileprivate init?(
        of socket: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let isKnown = withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return ask(socket, address, &size) == 0
                && getnameinfo(
                    address, size, &host, socklen_t(host.count), &service, socklen_t(service.count),
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0
        }
        guard isKnown, let port = UInt16(Self.text(service)) else { return nil }
        self.host = Self.text(host)
        self.port = port
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The family of a literal address, and the bytes of its `sockaddr`.
    fileprivate static func bytes(of address: String, port: UInt16) throws(SystemError) -> (Int32, [UInt8]) {
        var four = sockaddr_in()
        if inet_pton(AF_INET, address, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            return (AF_INET, withUnsafeBytes(of: &four) { Array($0) })
        }
        var six = sockaddr_in6()
        if inet_pton(AF_INET6, address, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            return (AF_INET6, withUnsafeBytes(of: &six) { Array($0) })
        }
        throw SystemError(code: EINVAL, operation: "listen on", path: address)
    }
}
