import Console
import Platform
import Testing

@Suite("Picking photos on a console")
struct PickMachineTests {
    static func photo(_ index: Int) -> PhotoRecord {
        var photo = Examples.photo
        photo.id = "id\(index)"
        photo.number = "100-\(1000 + index)"
        return photo
    }

    static func page(_ range: ClosedRange<Int>, more: Bool = false) -> PickMachine.Event {
        .page(range.map(photo), hasMore: more)
    }

    /// A machine driven by lines: pages come of themselves, twenty photos each.
    private struct Conversation {
        var machine: PickMachine
        let count: Int
        var pages = 0
        var messages: [String] = []
        var choices: [ChoiceRecord] = []
        var picked: [String] = []
        var result: [String]?
        var isCancelled = false
        var asks = 0

        init(
            count: Int, limit: Int = 0, ordered: Bool = false, preselected: [String] = [], lines: [String?] = []
        ) {
            self.count = count
            machine = PickMachine(limit: limit, ordered: ordered, preselected: preselected)
            perform(machine.start())
            for line in lines { type(line) }
        }

        mutating func type(_ line: String?) { perform(machine.handle(.line(line))) }

        private mutating func perform(_ actions: [PickMachine.Action]) {
            for action in actions {
                switch action {
                case .nextPage:
                    let first = pages * PickMachine.pageSize + 1
                    let last = min(count, first + PickMachine.pageSize - 1)
                    pages += 1
                    let photos = first <= last ? (first...last).map(PickMachineTests.photo) : []
                    perform(machine.handle(.page(photos, hasMore: last < count)))
                case .send(.choice(let choice)): choices.append(choice)
                case .send(.picked(let record)):
                    messages.append(record.message)
                    picked = record.picked
                case .send: Issue.record("another record")
                case .readLine: asks += 1
                case .done(let ids): result = ids
                case .cancelled: isCancelled = true
                }
            }
        }
    }

    @Test("a page is shown with numbered rows, and how to go on")
    func page() {
        let conversation = Conversation(count: 3)
        #expect(conversation.choices.map(\.choice) == [1, 2, 3])
        #expect(conversation.choices.map(\.photo.id) == ["id1", "id2", "id3"])
        #expect(conversation.choices.allSatisfy { $0.position == nil })
        #expect(
            conversation.messages == ["Type numbers or ranges (1-3 7) to pick or unpick, Enter when done, q to cancel."]
        )
        #expect(conversation.asks == 1)
    }

    @Test("numbers and ranges pick, numbers of picked rows drop, an empty line ends, in the order of the rows")
    func ranges() {
        var conversation = Conversation(count: 9, lines: ["7 1-3", "2,9", "  "])
        #expect(conversation.result == ["id1", "id3", "id7", "id9"])
        #expect(
            conversation.messages.suffix(2) == [
                "4 picked: 100-1001 100-1002 100-1003 100-1007.", "4 picked: 100-1001 100-1003 100-1007 100-1009.",
            ])
        conversation = Conversation(count: 9, lines: ["3 3 2-3", ""])
        #expect(conversation.result == ["id2", "id3"])
    }

    @Test("when the order counts it is that of picking, and dropping and picking again moves to the end")
    func ordered() {
        let conversation = Conversation(count: 9, ordered: true, lines: ["7 1-3", "7", "7", ""])
        #expect(conversation.result == ["id1", "id2", "id3", "id7"])
        #expect(Conversation(count: 9, ordered: true, lines: ["7 1-2", ""]).result == ["id7", "id1", "id2"])
    }

    @Test("numbers go on over the pages, and earlier rows stay pickable")
    func paging() {
        let conversation = Conversation(count: 45, lines: ["n", "21 1", "n", "45", "n", ""])
        #expect(conversation.pages == 3)
        #expect(conversation.choices.count == 45 && conversation.choices.last?.choice == 45)
        #expect(conversation.messages.first?.contains("n for the next page") == true)
        #expect(conversation.messages.last == "There are no more photos.")
        #expect(conversation.result == ["id1", "id21", "id45"])
    }

    @Test("what would go over the limit changes nothing")
    func limit() {
        var conversation = Conversation(count: 9, limit: 3, lines: ["1-2", "3-4"])
        #expect(conversation.messages.last == "At most 3 can be picked: first unpick one by typing its number.")
        #expect(conversation.picked == ["id1", "id2"])
        conversation.type("1 3 4")
        #expect(conversation.messages.last == "3 of at most 3 picked: 100-1002 100-1003 100-1004.")
        conversation.type("")
        #expect(conversation.result == ["id2", "id3", "id4"])
    }

    @Test("with a limit of one the new photo takes the place of the old one")
    func one() {
        var conversation = Conversation(count: 9, limit: 1, lines: ["1", "2"])
        #expect(conversation.picked == ["id2"])
        conversation.type("3-4")
        #expect(conversation.picked == ["id2"])
        conversation.type("2")
        #expect(conversation.picked == [] && conversation.messages.last == "Nothing is picked.")
    }

    @Test("what is picked beforehand is marked, counts, and can be dropped")
    func preselection() {
        var conversation = Conversation(count: 25, limit: 3, preselected: ["id22", "id2", "elsewhere", "id4"])
        #expect(conversation.choices.map(\.position)[1] == 3)
        #expect(conversation.messages.last?.hasSuffix("3 of at most 3 picked: 100-1002 and 2 more.") == true)
        conversation.type("3")
        #expect(conversation.messages.last?.hasPrefix("At most 3") == true)
        conversation.type("2")
        conversation.type("n")
        #expect(conversation.choices.last { $0.photo.id == "id22" }?.position == 2)
        conversation.type("")
        #expect(conversation.result == ["elsewhere", "id22"])
    }

    @Test(
        "bad input gets one sentence and is asked for again",
        arguments: [
            "x", "0", "10", "1-10", "3-1", "1-2-3", "-", "1-", "-1", "+1", "1.5", "99999999999999999999", "١",
            "1 2 three", "1-3 q", "n n", "\u{1B}[2J", "q1",
        ])
    func bad(line: String) {
        let conversation = Conversation(count: 9, lines: [line])
        #expect(conversation.messages.count == 2)
        #expect(conversation.messages.last?.hasSuffix("is not a row: give numbers from 1 to 9, as in 1-3 7.") == true)
        #expect(conversation.messages.last?.unicodeScalars.contains { $0.value < 0x20 } == false)
        #expect(conversation.picked.isEmpty && conversation.asks == 2)
    }

    @Test("q and the end of input cancel, whatever was picked", arguments: ["q", " q ", nil])
    func cancel(line: String?) {
        let conversation = Conversation(count: 9, lines: ["1-3", line])
        #expect(conversation.isCancelled && conversation.result == nil)
    }

    @Test("without any photo it says so and ends")
    func empty() {
        let conversation = Conversation(count: 0)
        #expect(conversation.messages == ["There are no photos to pick."])
        #expect(conversation.result == [] && conversation.asks == 0)
    }

    @Test("after the end nothing more happens")
    func over() {
        var conversation = Conversation(count: 9, lines: ["", "1", "q"])
        #expect(conversation.result == [] && !conversation.isCancelled)
        #expect(conversation.machine.handle(.line("1")).isEmpty)
        #expect(conversation.machine.handle(Self.page(1...3)).isEmpty)
    }

    @Test("a photo that comes a second time, because others were added meanwhile, gets no second row")
    func repeated() {
        var machine = PickMachine(limit: 0, ordered: false)
        _ = machine.start()
        _ = machine.handle(Self.page(1...3, more: true))
        let actions = machine.handle(Self.page(3...4))
        let rows = actions.compactMap { if case .send(.choice(let choice)) = $0 { choice } else { nil } }
        #expect(rows.map(\.choice) == [4] && rows.map(\.photo.id) == ["id4"])
    }

    @Test("random lines keep the limit and pick only what was shown", arguments: 0..<50 as Range<Int>)
    func random(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let pieces = ["1", "2", "19", "20", "21", "40", "-", " ", ",", "n", "q1", "0", "5-9", "1-20", "18-22"]
        let limit = Int.random(in: 0...4, using: &random)
        var conversation = Conversation(count: 50, limit: limit, ordered: seed.isMultiple(of: 2))
        for _ in 0..<100 {
            let count = Int.random(in: 1...6, using: &random)
            let line = (0..<count).compactMap { _ in pieces.randomElement(using: &random) }.joined()
            if line.allSatisfy({ " ,".contains($0) }) { continue }
            conversation.type(line)
            let shown = Set(conversation.choices.map(\.photo.id))
            #expect(limit == 0 || conversation.picked.count <= limit)
            #expect(shown.isSuperset(of: conversation.picked))
            #expect(Set(conversation.picked).count == conversation.picked.count)
        }
        #expect(!conversation.isCancelled && conversation.result == nil)
    }
}
