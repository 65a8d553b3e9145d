import Offload
import Platform

/// The names by which the unit identifies itself (SPC-4, INQUIRY and "Vital product data parameters").
package struct SCSIIdentity: Hashable, Sendable {
    private let vendor: [UInt8]
    private let product: [UInt8]
    private let revision: [UInt8]
    private let serialNumber: [UInt8]

    /// An identity; each text is cut to the width of its field.
    ///
    /// - Parameters:
    ///   - vendor: the manufacturer, eight characters.
    ///   - product: the model, sixteen characters.
    ///   - revision: the firmware's version, four characters.
    ///   - serialNumber: a text that no other unit has and that never changes.
    package init(vendor: String, product: String, revision: String, serialNumber: String) {
        self.vendor = Self.field(vendor, 8)
        self.product = Self.field(product, 16)
        self.revision = Self.field(revision, 4)
        self.serialNumber = Self.text(serialNumber, 32)
    }

    /// The camera's identity, cut to the widths of SCSI.
    init(_ identity: DeviceIdentity) {
        self.init(
            vendor: identity.manufacturer, product: identity.model, revision: identity.version,
            serialNumber: identity.serialNumber)
    }

    /// The standard data of INQUIRY: a disk with a medium that can be taken out (SPC-4, "Standard INQUIRY data").
    var standard: [UInt8] {
        // SPC-4, in the format that says so.
        [0x00, 0x80, 0x06, 0x02, 31, 0, 0, 0] + vendor + product + revision
    }

    /// A page of vital product data; nil for an unknown page.
    func page(_ code: UInt8) -> [UInt8]? {
        var content: [UInt8]
        switch code {
        case 0x00: content = [0x00, 0x80, 0x83]
        case 0x80: content = serialNumber
        case 0x83:
            // A designator in ASCII that begins with the vendor, for the unit itself (SPC-4, "T10 vendor ID based designator format").
            let designator = vendor + product + serialNumber
            content = [0x02, 0x01, 0x00, UInt8(clamping: designator.count)] + designator
        default: return nil
        }
        var bytes: [UInt8] = [0x00, code]
        bytes.append(bigEndian: UInt16(clamping: content.count))
        return bytes + content
    }

    private static func field(_ text: String, _ length: Int) -> [UInt8] {
        let kept = Self.text(text, length)
        return kept + [UInt8](repeating: UInt8(ascii: " "), count: length - kept.count)
    }

    /// The characters that such fields may have (SPC-4, "ASCII data field requirements").
    private static func text(_ text: String, _ length: Int) -> [UInt8] {
        Array(text.utf8.filter { (0x20...0x7e).contains($0) }.prefix(length))
    }
}
