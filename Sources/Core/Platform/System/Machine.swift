import Glibc

/// Properties of the computer that this runs on.
package enum Machine {
    /// How many processors are online; at least 1.
    package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Memory that the kernel manages, in bytes.
    package static var memory: Int64 { Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) }

    /// How full the battery is, in percent; nil when the kernel knows none (kernel: Documentation/ABI/testing/sysfs-class-power).
    ///
    /// - Blocking: reads files of the kernel.
    package static var batteryLevel: Int? { batteryLevel(in: "/sys/class/power_supply") }

    static func batteryLevel(in folder: String) -> Int? {
        for name in DeviceFolder.names(in: folder) {
            func word(_ file: String) -> String? {
                guard let bytes = try? Descriptor.open("\(folder)/\(name)/\(file)", O_RDONLY).read(upTo: 64) else {
                    return nil
                }
                return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
            }
            guard word("type") == "Battery", word("scope") != "Device",
                let level = word("capacity").flatMap({ Int($0) }),
                (0...100).contains(level)
            else { continue }
            return level
        }
        return nil
    }
}

/// The serial number that a host sees: the same for USB and for PTP.
package enum SerialNumber {
    /// Files that identify the machine; the first one that exists counts: the board's number, then the installation's.
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
