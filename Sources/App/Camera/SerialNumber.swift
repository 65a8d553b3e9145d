import Glibc
import Photos
import Platform

/// What tells this camera from others on a host: the same for USB and for PTP.
package enum SerialNumber {
    /// Places that name the machine, the first one that is there counts: the board's own number, then the installation's.
    private static let places = ["/proc/device-tree/serial-number", "/etc/machine-id"]

    /// Reads it: sixteen hexadecimal digits.
    ///
    /// It is a checksum, because systemd asks that the identifier of an installation not be shown to others.
    /// - Blocking: reads a file.
    package static func read(from places: [String] = places) -> String {
        for place in places {
            guard let bytes = try? Descriptor.open(place, O_RDONLY).read(upTo: 256) else { continue }
            let name = bytes.filter { $0 > 0x20 && $0 < 0x7f }
            if !name.isEmpty { return digits(name) }
        }
        return digits([])
    }

    private static func digits(_ name: [UInt8]) -> String {
        let value = (Array("pinhole ".utf8) + name).withUnsafeBytes { Checksum.of($0) }
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
