import Glibc

/// A date and time with its zone offset, and whether it can be trusted.
public struct WallTime: Hashable, Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z, not counting leap seconds; negative before.
    public var unixNanoseconds: Int64
    /// Seconds east of UTC that were in force.
    public var offsetSeconds: Int
    /// True when the clock was set by a time server, a battery-backed clock or a person.
    public var isTrusted: Bool

    /// A date in nanoseconds since 1970, with the offset of local time from UTC in seconds.
    public init(unixNanoseconds: Int64, offsetSeconds: Int, isTrusted: Bool) {
        self.unixNanoseconds = unixNanoseconds
        self.offsetSeconds = offsetSeconds
        self.isTrusted = isTrusted
    }

    /// Whole seconds since 1970, rounded down.
    public var unixSeconds: Int64 {
        unixNanoseconds >= 0 ? unixNanoseconds / 1_000_000_000 : (unixNanoseconds + 1) / 1_000_000_000 - 1
    }

    /// Nanoseconds past the whole second.
    public var subsecondNanoseconds: Int64 { unixNanoseconds &- unixSeconds &* 1_000_000_000 }

    /// The calendar fields of local time, by `offsetSeconds` and not by the system's zone.
    private var fields: tm {
        var seconds = time_t(unixSeconds) &+ time_t(offsetSeconds)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        return fields
    }

    /// RFC 3339 with offset and milliseconds: `2026-11-30T09:15:00.123+01:00`.
    public var rfc3339: String {
        let f = fields
        return Self.padded(Int(f.tm_year) + 1900, 4) + "-" + Self.padded(Int(f.tm_mon) + 1, 2) + "-"
            + Self.padded(Int(f.tm_mday), 2) + "T" + Self.padded(Int(f.tm_hour), 2) + ":"
            + Self.padded(Int(f.tm_min), 2) + ":" + Self.padded(Int(f.tm_sec), 2) + "."
            + Self.padded(Int(subsecondNanoseconds / 1_000_000), 3) + offsetText
    }

    /// Exif's `YYYY:MM:DD HH:MM:SS` in local time.
    public var exifDateTime: String {
        let f = fields
        return Self.padded(Int(f.tm_year) + 1900, 4) + ":" + Self.padded(Int(f.tm_mon) + 1, 2) + ":"
            + Self.padded(Int(f.tm_mday), 2) + " " + Self.padded(Int(f.tm_hour), 2) + ":"
            + Self.padded(Int(f.tm_min), 2) + ":" + Self.padded(Int(f.tm_sec), 2)
    }

    /// Exif's SubSecTime: six digits of the fraction.
    public var exifSubsecond: String { Self.padded(Int(subsecondNanoseconds / 1000), 6) }

    /// The zone offset as `+hh:mm`, as both RFC 3339 and Exif write it.
    public var offsetText: String {
        let minutes = Int(offsetSeconds.magnitude / 60)
        return (offsetSeconds < 0 ? "-" : "+") + Self.padded(minutes / 60, 2) + ":" + Self.padded(minutes % 60, 2)
    }

    /// Reads RFC 3339: `2026-11-30`, `2026-11-30T09:15`, with optional seconds and fraction, and `Z` or an offset.
    ///
    /// - Parameters:
    ///   - text: what was typed.
    ///   - zone: gives the offset for a local time without one; called with the time read as if it were UTC.
    /// - Returns: nil when the text is not such a date.
    public init?(rfc3339 text: String, zone: (_ unixSeconds: Int64) -> Int) {
        var rest = Substring(text)
        func number(_ digits: Int) -> Int? {
            let part = rest.prefix(digits)
            guard part.count == digits, part.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
            rest = rest.dropFirst(digits)
            return Int(part)
        }
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
            (1...12).contains(month), (1...31).contains(day),
            (1970...2261).contains(year)  // what 64 bits of nanoseconds hold
        else { return nil }
        var hour = 0
        var minute = 0
        var second = 0
        var nanoseconds: Int64 = 0
        if skip("Tt ") {
            guard let h = number(2), skip(":"), let m = number(2), h < 24, m < 60 else { return nil }
            (hour, minute) = (h, m)
            if skip(":") {
                guard let s = number(2), s < 61 else { return nil }
                second = s
                if skip(".") {
                    let digits = rest.prefix { $0.isASCII && $0.isNumber }
                    guard !digits.isEmpty, digits.count <= 9, let value = Int64(digits) else { return nil }
                    rest = rest.dropFirst(digits.count)
                    nanoseconds = (digits.count..<9).reduce(value) { value, _ in value * 10 }
                }
            }
        }
        var fields = tm()
        fields.tm_year = Int32(year - 1900)
        fields.tm_mon = Int32(month - 1)
        fields.tm_mday = Int32(day)
        fields.tm_hour = Int32(hour)
        fields.tm_min = Int32(minute)
        fields.tm_sec = Int32(second)
        let asUTC = Int64(timegm(&fields))
        guard Int(fields.tm_mday) == day else { return nil }  // 31 April was moved to 1 May
        let offset: Int
        if rest.isEmpty {
            offset = zone(asUTC)
        } else if skip("Zz") {
            offset = 0
        } else {
            let negative = rest.first == "-"
            guard skip("+-"), let h = number(2), skip(":"), let m = number(2), h < 24, m < 60 else { return nil }
            offset = (negative ? -1 : 1) * (h * 3600 + m * 60)
        }
        guard rest.isEmpty else { return nil }
        self.init(
            unixNanoseconds: (asUTC - Int64(offset)) * 1_000_000_000 + nanoseconds, offsetSeconds: offset,
            isTrusted: true)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
