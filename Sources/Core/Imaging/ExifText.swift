/// Text for Exif's ASCII fields.
package enum ExifText {
    /// Longest text written to one field, in bytes without the final zero.
    package static let limit = 2_000

    /// The text in printable ASCII: Latin letters lose their marks, what has no Latin base is left out, white space
    /// becomes single spaces, and the result is cut to `limit`.
    package static func ascii(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            guard result.utf8.count < limit else { break }
            if scalar.properties.isWhitespace {
                if !result.isEmpty, !result.hasSuffix(" ") { result += " " }
            } else if scalar.isASCII {
                if scalar.value > 0x20, scalar.value < 0x7f { result.unicodeScalars.append(scalar) }
            } else {
                result += base(of: scalar)
            }
        }
        while result.utf8.count > limit || result.hasSuffix(" ") { result.removeLast() }
        return result
    }

    /// The ASCII letters a Latin letter is built on, read from its name in Unicode: `LATIN SMALL LETTER E WITH ACUTE`.
    private static func base(of scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "ß": return "ss"
        case "©": return "(c)"
        case "‘", "’": return "'"
        case "“", "”": return "\""
        case "‐", "‑", "–", "—": return "-"
        default: break
        }
        guard let words = scalar.properties.name?.split(separator: " "), words.count >= 4,
            words[0] == "LATIN", words[2] == "LETTER", words[3].utf8.count <= 2,
            words.count == 4 || words[4] == "WITH"
        else { return "" }
        return words[1] == "SMALL" ? words[3].lowercased() : String(words[3])
    }
}
