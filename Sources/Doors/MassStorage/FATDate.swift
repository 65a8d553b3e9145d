import Platform

/// A local date and time as directory entries have it (Microsoft FAT Specification, section 6.3): from 1980 to 2107, in
/// steps of two seconds.
struct FATDate: Hashable, Comparable, Sendable {
    /// Year from 1980 in seven bits, month in four, day in five.
    let day: UInt16
    /// Hour in five bits, minute in six, half the second in five.
    let time: UInt16
    /// Hundredths of a second past the even second, 0…199.
    let hundredths: UInt8

    /// The first moment there is, which stands for one that is not known.
    static let unknown = FATDate(day: 0x21, time: 0, hundredths: 0)
    /// The last moment there is.
    private static let last = FATDate(day: 127 << 9 | 12 << 5 | 31, time: 23 << 11 | 59 << 5 | 29, hundredths: 199)

    private init(day: UInt16, time: UInt16, hundredths: UInt8) {
        (self.day, self.time, self.hundredths) = (day, time, hundredths)
    }

    /// The local time of a moment, the nearest there is.
    init(_ moment: WallTime?) {
        guard let moment else {
            self = .unknown
            return
        }
        // The fields as Exif has them, which is what every other door shows: YYYY:MM:DD HH:MM:SS.
        let fields = moment.exifDateTime.split { $0 == ":" || $0 == " " }.compactMap { UInt16($0) }
        guard fields.count == 6, fields[0] >= 1980 else {
            self = .unknown
            return
        }
        guard fields[0] <= 2107 else {
            self = .last
            return
        }
        let second = min(59, fields[5])
        let hundredths = UInt8(clamping: moment.subsecondNanoseconds / 10_000_000)
        self.init(
            day: (fields[0] - 1980) << 9 | fields[1] << 5 | fields[2],
            time: fields[3] << 11 | fields[4] << 5 | second / 2,
            hundredths: UInt8(second % 2) * 100 + min(99, hundredths))
    }

    /// Orders by time.
    static func < (a: FATDate, b: FATDate) -> Bool {
        (a.day, a.time, a.hundredths) < (b.day, b.time, b.hundredths)
    }
}
