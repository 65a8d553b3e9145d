import Glibc

/// An address and port to listen on: `127.0.0.1:15740` or `[::1]:15740`.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IPv4 or IPv6 address, without brackets.
    package let host: String
    /// 0 lets the system choose.
    package var port: UInt16

    /// Reads `ADDRESS:PORT`; nil when the text is anything else. Names are not looked up.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(digits) else { return nil }
        var host = text[..<colon]
        var address = in6_addr()
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard inet_pton(AF_INET6, String(host), &address) == 1 else { return nil }
        } else {
            guard inet_pton(AF_INET, String(host), &address) == 1 else { return nil }
        }
        self.host = String(host)
        self.port = port
    }

    /// As it is read.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
