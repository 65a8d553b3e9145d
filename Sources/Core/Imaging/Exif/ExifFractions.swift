import CExif

/// Values of a photograph as Exif's fractions; nil where a value cannot be said.
enum ExifFractions {
    /// An exposure time or length, exact to a nanosecond below one second.
    static func positive(_ value: Double) -> ExifRational? {
        guard value > 0, value.isFinite, value < 4_294_967_295 else { return nil }
        let denominator: Double = value <= 1 ? 1_000_000_000 : value <= 4_000 ? 1_000_000 : 1
        let numerator = UInt32((value * denominator).rounded())
        guard numerator > 0 else { return nil }
        let divisor = greatestCommonDivisor(numerator, UInt32(denominator))
        return ExifRational(numerator: numerator / divisor, denominator: UInt32(denominator) / divisor)
    }

    /// Subject distance in metres; Exif 2.32 writes infinity as the largest numerator.
    static func distance(_ metres: Double) -> ExifRational? {
        metres == .infinity ? ExifRational(numerator: .max, denominator: 1) : positive(metres)
    }

    /// Exposure compensation: halves and thirds exactly, other values to a hundredth.
    static func exposureBias(_ value: Double) -> ExifSRational? {
        guard value.isFinite, abs(value) < 100 else { return nil }
        let sixths = (value * 6).rounded()
        let denominator: UInt32 = abs(value * 6 - sixths) < 0.03 ? 6 : 100
        let numerator = Int32((value * Double(denominator)).rounded())
        let divisor = greatestCommonDivisor(numerator.magnitude, denominator)
        return ExifSRational(numerator: numerator / Int32(divisor), denominator: Int32(denominator / divisor))
    }

    /// Degrees, minutes and seconds of an angle's magnitude (at most 180), to a thousandth of a second (3 cm).
    static func angle(_ degrees: Double) -> [ExifRational] {
        let units = UInt32((abs(degrees) * 3_600_000).rounded())
        // In thousandths of a second, so that 59.9999 rounds up into the minutes and never to 60.
        return [
            ExifRational(numerator: units / 3_600_000, denominator: 1),
            ExifRational(numerator: units / 60_000 % 60, denominator: 1),
            ExifRational(numerator: units % 60_000, denominator: 1_000),
        ]
    }

    private static func greatestCommonDivisor(_ a: UInt32, _ b: UInt32) -> UInt32 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }
}
