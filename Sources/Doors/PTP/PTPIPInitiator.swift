/// Who has connected over PTP/IP. All of it is what the other end says of itself, but for the address.
package struct PTPIPInitiator: Hashable, Sendable {
    /// Its name (CIPA DC-005, 2.3.1), without control characters.
    package var name: String
    /// What tells initiators apart: 16 bytes.
    package var guid: [UInt8]
    /// The literal address it has connected from.
    package var address: String

    init(name: String, guid: [UInt8], address: String) {
        self.name = String(String.UnicodeScalarView(name.unicodeScalars.filter { !Self.isControl($0) }))
        self.guid = guid
        self.address = address
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
}
