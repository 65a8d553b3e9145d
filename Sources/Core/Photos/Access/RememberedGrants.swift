import FoundationEssentials

/// The grants that the camera's state folder keeps.
///
/// They are not on the card, so that a card from another camera brings none.
package struct RememberedGrants: Hashable, Sendable {
    /// The grants of clients, by name.
    package var answers: [String: Grant] = [:]
    /// The selections of clients that the configuration limits, by name.
    package var selections: [String: AssetIdentifier] = [:]

    /// Creates an empty set of grants.
    package init() {}

    /// The most bytes of the file.
    static let byteLimit = 1 << 20

    private struct Document: Codable {
        struct Answer: Codable {
            var adding: Bool?
            var reading: String?
            var selection: String?
        }

        var version: Int
        var answers: [String: Answer]
        var selections: [String: String]
    }

    private static let version = 1

    /// Reads the file's content; nil when any part is not valid, because half of the decisions are not what was decided.
    package init?(_ bytes: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)),
            document.version == Self.version
        else { return nil }
        for (name, answer) in document.answers {
            guard Client.isValidName(name) else { return nil }
            var grant = Grant()
            grant.adding = answer.adding
            switch answer.reading {
            case nil: break
            case "refused": grant.reading = .refused
            case "all": grant.reading = .all
            case "selected":
                guard let selection = answer.selection.flatMap({ AssetIdentifier($0) }) else { return nil }
                grant.reading = .selected(selection)
            default: return nil
            }
            answers[name] = grant
        }
        for (name, text) in document.selections {
            guard Client.isValidName(name), let selection = AssetIdentifier(text) else { return nil }
            selections[name] = selection
        }
    }

    /// The content of the file: JSON with sorted keys.
    package var bytes: [UInt8] {
        let document = Document(
            version: Self.version,
            answers: answers.mapValues { grant in
                let reading: String? =
                    switch grant.reading {
                    case .refused: "refused"
                    case .selected: "selected"
                    case .all: "all"
                    case nil: nil
                    }
                return Document.Answer(
                    adding: grant.adding, reading: reading, selection: grant.selection?.description)
            }, selections: selections.mapValues(\.description))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        // Texts and flags can always be written.
        return (try? encoder.encode(document)).map { Array($0) + [UInt8(ascii: "\n")] } ?? []
    }
}
