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

    /// Reads a filter.
    package init(_ text: String) throws(CommandFailure) {
        var reader = Reader(rest: text[...])
        self = try reader.filter(depth: 1)
        guard reader.rest.isEmpty else {
            throw reader.failure("nothing may follow")
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
                throw failure("filters stand in each other at most \(PhotoFilter.nestingLimit) deep")
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
                throw failure("this is no filter")
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
