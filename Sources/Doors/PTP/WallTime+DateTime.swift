import Platform

extension WallTime {
    /// The local date and time as datasets have it: `YYYYMMDDThhmmss` (MTP 1.1, 3.2.5).
    package var dateTime: String {
        var units = exifDateTime.utf8.filter { $0 != UInt8(ascii: ":") }
        if let space = units.firstIndex(of: UInt8(ascii: " ")) { units[space] = UInt8(ascii: "T") }
        return String(decoding: units, as: UTF8.self)
    }
}
