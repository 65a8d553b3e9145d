/// The conversation of `pick`: pages of rows go out, lines come in, and in the end there are photos.
///
/// Rows are numbered through all pages, so that what was shown before can still be picked or dropped.
package struct PickMachine: Sendable {
    /// Input of the machine.
    package enum Event: Sendable {
        /// The next photos, at most `pageSize`, and whether there are more.
        case page([PhotoRecord], hasMore: Bool)
        /// What was typed; nil when nothing more comes.
        case line(String?)
    }

    /// What is to be done, in order. After `done` or `cancelled` there is nothing more.
    package enum Action: Hashable, Sendable {
        /// Send `page` with the photos after the last page.
        case nextPage
        /// Show this record to the person.
        case send(Record)
        /// Ask for a line and send it.
        case readLine(prompt: String)
        /// These photos were picked, by identifier, in the order of the result.
        case done([String])
        /// The person left without picking a photo.
        case cancelled
    }

    /// Photos on a page.
    package static let pageSize = 20
    private static let prompt = "pick> "
    /// Numbers that a sentence lists.
    private static let namedLimit = 10

    private let limit: Int
    private let isOrdered: Bool
    private var rows: [(id: String, number: String)] = []
    /// Row of each photo shown, counted from 0.
    private var places: [String: Int] = [:]
    private var picked: [String]
    private var hasMore = true
    private var isOver = false

    /// A conversation that has not begun.
    ///
    /// - Parameters:
    ///   - limit: how many may be picked; 0 for as many as the system allows.
    ///   - ordered: true to keep the order in which they are picked; false for the order of the rows.
    ///   - preselected: identifiers of what is picked at first; those beyond the limit are left out.
    package init(limit: Int, ordered: Bool, preselected: [String] = []) {
        self.limit = limit
        isOrdered = ordered
        picked = limit > 0 ? Array(preselected.prefix(limit)) : preselected
    }

    /// Asks for the first page of photos.
    package func start() -> [Action] { [.nextPage] }

    /// Takes a page or a typed line and returns what to do, in order; nothing once the conversation is over.
    package mutating func handle(_ event: Event) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .page(let photos, let hasMore): return show(photos, hasMore: hasMore)
        case .line(let line?): return take(line)
        case .line(nil): return end(.cancelled)
        }
    }

    private mutating func show(_ photos: [PhotoRecord], hasMore: Bool) -> [Action] {
        self.hasMore = hasMore
        let first = rows.count
        for photo in photos where places[photo.id] == nil {
            places[photo.id] = rows.count
            rows.append((photo.id, photo.number))
        }
        sort()
        let shown = photos.compactMap { photo -> Action? in
            guard let place = places[photo.id], place >= first else { return nil }
            let position = picked.firstIndex(of: photo.id).map { $0 + 1 }
            return .send(.choice(ChoiceRecord(choice: place + 1, position: position, photo: photo)))
        }
        guard !rows.isEmpty else { return [say("There are no photos to pick.")] + end(.done(picked)) }
        let paging = hasMore ? "n for the next page, " : ""
        let hint = "Type numbers or ranges (1-3 7) to pick or unpick, \(paging)Enter when done, q to cancel."
        return shown + [say(picked.isEmpty ? hint : hint + " " + summary), .readLine(prompt: Self.prompt)]
    }

    private mutating func take(_ line: String) -> [Action] {
        let words = line.split { " \t,".contains($0) }
        switch words {
        case []: return end(.done(picked))
        case ["q"]: return end(.cancelled)
        case ["n"]:
            if hasMore { return [.nextPage] }
            return again("There are no more photos.")
        default: break
        }
        var chosen: [Int] = []
        for word in words {
            guard let range = range(word) else {
                return again(
                    "\"\(TerminalText.escaped(String(word.prefix(40))))\" is not a row: give numbers from 1 to \(rows.count), as in 1-3 7."
                )
            }
            chosen += range
            // A range that is repeated over and over means no more than all rows.
            if chosen.count > rows.count { chosen = unique(chosen) }
        }
        return toggle(unique(chosen).compactMap { rows.indices.contains($0 - 1) ? rows[$0 - 1].id : nil })
    }

    private mutating func toggle(_ chosen: [String]) -> [Action] {
        let former = Set(picked)
        let dropped = former.intersection(chosen)
        let added = chosen.filter { !former.contains($0) }
        let kept = picked.filter { !dropped.contains($0) }
        if limit > 0, kept.count + added.count > limit {
            guard limit == 1, added.count == 1 else {
                return again("At most \(limit) can be picked: first unpick one by typing its number.")
            }
            picked = added
        } else {
            picked = kept + added
        }
        sort()
        return again(summary)
    }

    /// Brings the picked photos into the order of the rows, unless the order of picking is kept.
    private mutating func sort() {
        guard !isOrdered else { return }
        let places = places
        let known = picked.filter { places[$0] != nil }.sorted { (places[$0] ?? 0) < (places[$1] ?? 0) }
        picked = picked.filter { places[$0] == nil } + known
    }

    /// The rows of `7` or `1-3`, all of which must be there.
    private func range(_ word: Substring) -> ClosedRange<Int>? {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = ends.first.flatMap(number), let last = ends.last.flatMap(number), ends.count <= 2,
            first >= 1, first <= last, last <= rows.count
        else { return nil }
        return first...last
    }

    private func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private func unique(_ numbers: [Int]) -> [Int] {
        var seen: Set<Int> = []
        return numbers.filter { seen.insert($0).inserted }
    }

    private var summary: String {
        guard !picked.isEmpty else { return "Nothing is picked." }
        let most = limit > 1 ? " of at most \(limit)" : ""
        let numbers = picked.compactMap { places[$0].map { rows[$0].number } }
        let named = numbers.prefix(Self.namedLimit).joined(separator: " ")
        let others = picked.count - min(numbers.count, Self.namedLimit)
        let rest = others > 0 ? (named.isEmpty ? "" : " and ") + "\(others) more" : ""
        return "\(picked.count)\(most) picked: \(named)\(rest)."
    }

    private func say(_ message: String) -> Action {
        .send(.picked(PickedRecord(picked: picked, limit: limit, more: hasMore, message: message)))
    }

    private func again(_ message: String) -> [Action] { [say(message), .readLine(prompt: Self.prompt)] }

    private mutating func end(_ action: Action) -> [Action] {
        isOver = true
        return [action]
    }
}

extension PickMachine {
    /// Holds the conversation with the sender of the command.
    ///
    /// - Parameters:
    ///   - reply: shows the rows and gives the lines; it is not finished here.
    ///   - page: the photos after the last page, at most `pageSize`, and whether there are more.
    /// - Returns: the identifiers of what was picked, in order; nil when it was canceled.
    package static func converse(
        _ machine: PickMachine, reply: any ReplySink,
        page: () async throws(CommandFailure) -> (photos: [PhotoRecord], hasMore: Bool)
    ) async throws(CommandFailure) -> [String]? {
        var machine = machine
        var actions = machine.start()[...]
        while let action = actions.popFirst() {
            switch action {
            case .send(let record): reply.send(record)
            case .nextPage:
                let (photos, hasMore) = try await page()
                actions += machine.handle(.page(photos, hasMore: hasMore))
            case .readLine(let prompt):
                actions += machine.handle(.line(await reply.readLine(prompt: prompt)))
            case .done(let picked): return picked
            case .cancelled: return nil
            }
        }
        return nil
    }
}
