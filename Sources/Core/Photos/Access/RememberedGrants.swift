import FoundationEssentials

/// What is kept of clients in the camera's state folder.
///
/// A card brings no grants: what another camera has granted on it means nothing here.
package struct RememberedGrants: Hashable, Sendable {
    /// Answers by the client's name.
    package var answers: [String: Grant] = [:]
    /// Selections of clients that configuration has limited, by the client's name.
    package var selections: [String: AssetIdentifier] = [:]

    /// None.
    package init() {}

    /// Nothing in the file is longer.
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

    /// Reads the file's content; nil when any of it cannot be understood, for half of what was decided is not what was
    /// decided.
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

    /// The file's content.
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
