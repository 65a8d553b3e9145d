import Platform

/// Which photos `list` and `pick` show.
package indirect enum PhotoFilter: Hashable, Sendable {
    /// Single photos and bursts: everything that is a picture.
    case images
    /// Photos with a RAW file.
    case raw
    /// Photos marked as favorites.
    case favorites
    /// Photos that belong to a burst.
    case bursts
    /// Photos that belong to a time lapse.
    case timelapse
    /// Photos captured at or after a time.
    case since(TimeArgument)
    /// Photos the inner filter leaves out.
    case not(PhotoFilter)
    /// Photos that at least one of the filters takes.
    case any([PhotoFilter])
    /// Photos that all of the filters take.
    case all([PhotoFilter])

    /// How deep filters may stand in each other.
    package static let nestingLimit = 16
    /// How the filter language is written, for help and errors.
    package static let syntax = "images|raw|bursts|favorites|timelapse|since:TIME|not(F)|any(F,F..)|all(F,F..)"

    /// Reads a filter as it is typed after `--filter`.
    package init(_ text: String) throws(CommandFailure) {
        var reader = Reader(rest: text[...])
        self = try reader.filter(depth: 1)
        guard reader.rest.isEmpty else {
            throw reader.failure("remove the rest")
        }
    }

    private struct Reader {
        var rest: Substring

        func failure(_ reason: String) -> CommandFailure {
            let place = rest.isEmpty ? "at its end" : "at \"\(TerminalText.escaped(String(rest.prefix(20))))\""
            return .usage("The filter is wrong \(place): \(reason). A filter is \(PhotoFilter.syntax).")
        }

        mutating func filter(depth: Int) throws(CommandFailure) -> PhotoFilter {
            guard depth <= PhotoFilter.nestingLimit else {
                throw failure("filters nest at most \(PhotoFilter.nestingLimit) deep")
            }
            let start = rest
            let word = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(word.count)
            switch word {
            case "images": return .images
            case "favorites": return .favorites
            case "bursts": return .bursts
            case "raw": return .raw
            case "timelapse": return .timelapse
            case "since":
                guard take(":") else { throw failure("since needs a time, as in since:2026-11-30") }
                let time = rest.prefix { $0 != "," && $0 != ")" }
                rest = rest.dropFirst(time.count)
                return .since(try TimeArgument(String(time)))
            case "not":
                guard take("(") else { throw failure("not needs ( and one filter") }
                let inner = try filter(depth: depth + 1)
                guard take(")") else { throw failure("not takes one filter and is closed by )") }
                return .not(inner)
            case "any": return .any(try list(depth))
            case "all": return .all(try list(depth))
            default:
                rest = start
                throw failure("this is not a filter")
            }
        }

        private mutating func list(_ depth: Int) throws(CommandFailure) -> [PhotoFilter] {
            guard take("(") else { throw failure("any and all need ( and filters separated by commas") }
            var filters = [try filter(depth: depth + 1)]
            while take(",") { filters.append(try filter(depth: depth + 1)) }
            guard take(")") else { throw failure("filters are separated by commas and closed by )") }
            return filters
        }

        private mutating func take(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest = rest.dropFirst()
            return true
        }
    }
}

/// How a person names a photo: by its identifier or by its DCF number.
package enum PhotoReference: Hashable, Sendable, CustomStringConvertible {
    /// The asset's identifier: 32 hexadecimal digits, in lower case.
    case identifier(String)
    /// Directory and file number: 100…999 and 1…9999.
    case number(directory: Int, file: Int)

    /// Reads `100-0001` or an identifier.
    package init(_ text: String) throws(CommandFailure) {
        let bytes = Array(text.utf8)
        if bytes.count == 32, bytes.allSatisfy(Self.isHexadecimal) {
            self = .identifier(text.lowercased())
            return
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0].utf8.count == 3, parts[1].utf8.count == 4,
            let directory = Self.digits(parts[0]), let file = Self.digits(parts[1]),
            (100...999).contains(directory), (1...9999).contains(file)
        {
            self = .number(directory: directory, file: file)
            return
        }
        throw .usage(
            "\"\(TerminalText.escaped(text))\" is not a photo: give its number (100-0001) or its identifier (32 hexadecimal digits); `list` shows both."
        )
    }

    /// The reference as it is typed.
    package var description: String {
        switch self {
        case .identifier(let identifier): identifier
        case .number(let directory, let file):
            "\(directory)-" + String(repeating: "0", count: max(0, 4 - String(file).count)) + String(file)
        }
    }

    private static func digits(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }
}

/// A date and time that a person typed; without an offset it is local to the camera's zone.
package struct TimeArgument: Hashable, Sendable {
    /// The text as it was typed, for messages.
    package let text: String
    /// The time, read as UTC when `isLocal`.
    private let time: WallTime
    private let isLocal: Bool

    /// Reads RFC 3339, where seconds, time and offset may be left out.
    package init(_ text: String) throws(CommandFailure) {
        var isLocal = false
        let read = WallTime(rfc3339: text) { _ in
            isLocal = true
            return 0
        }
        guard let read else {
            throw .usage(
                "\"\(TerminalText.escaped(text))\" is not a time: write 2026-11-30, 2026-11-30T09:15 or 2026-11-30T09:15:00+01:00."
            )
        }
        self.text = text
        self.time = read
        self.isLocal = isLocal
    }

    /// The moment meant.
    ///
    /// - Parameter zone: seconds east of UTC at a local time given as if it were UTC.
    package func wallTime(zone: (_ unixSeconds: Int64) -> Int) -> WallTime {
        guard isLocal else { return time }
        let offset = zone(time.unixSeconds)
        return WallTime(
            unixNanoseconds: time.unixNanoseconds - Int64(offset) * 1_000_000_000, offsetSeconds: offset,
            isTrusted: time.isTrusted)
    }
}
