import Glibc
import Platform

/// Facts of the computer that this runs on.
package enum Machine {
    /// Processors in use.
    package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Bytes of memory.
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
