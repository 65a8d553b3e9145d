import Foundation
import Panel
import Platform
import Testing

/// That many rounds; twenty times as many in the long mode, `PINHOLE_LONG=1 make test`.
private func rounds(_ count: Int) -> Range<Int> {
    0..<(ProcessInfo.processInfo.environment["PINHOLE_LONG"] == "1" ? 20 * count : count)
}

@Suite("Generated bounce, noise and lost edges")
struct ButtonPropertyTests {
    typealias Script = ButtonScript

    /// An active stretch of a line.
    struct Stretch {
        var begin: Int64
        var end: Int64
        /// The release was lost: what is known of it is that it came before `end`, where another press begins.
        var lacksRelease = false
    }

    /// What a recording in the order of its delivery says about the line, an edge or reading at a time.
    static func stretches(of events: [ButtonMachine.Event]) -> [Stretch] {
        var stretches: [Stretch] = []
        var begin: Int64?
        var newest = Script.start.nanoseconds
        for event in events {
            let edge: ButtonEdge
            let isReading: Bool
            switch event {
            case .edge(let taken): (edge, isReading) = (taken, false)
            case .levelRead(let taken): (edge, isReading) = (taken, true)
            case .time, .promptShown, .promptHidden: continue
            }
            let time = edge.time.nanoseconds
            guard time >= newest else { continue }
            let quiet = time - newest
            newest = time
            switch (begin, edge.isActive) {
            case (nil, true): begin = time
            case (let since?, false):
                stretches.append(Stretch(begin: since, end: time))
                begin = nil
            case (_, _) where isReading: break
            case (nil, false): stretches.append(Stretch(begin: time, end: time))
            case (let since?, true):
                stretches.append(Stretch(begin: since, end: time, lacksRelease: quiet >= 50_000_000))
                begin = time
            }
        }
        return stretches
    }

    /// What the definition of a press says about a whole recording, worked out from all its stretches at once.
    static func expected(_ stretches: [Stretch]) -> [ButtonMachine.Action] {
        let ms: Int64 = 1_000_000
        var groups: [[Stretch]] = []
        for stretch in stretches {
            if let last = groups.last?.last, !last.lacksRelease, stretch.begin - last.end < 50 * ms {
                groups[groups.count - 1].append(stretch)
            } else {
                groups.append([stretch])
            }
        }
        return groups.flatMap { group -> [ButtonMachine.Action] in
            let begin = group[0].begin
            let first = MonotonicTime(nanoseconds: begin)
            let isPress = group.contains { $0.begin - begin < 50 * ms && $0.end - $0.begin >= 10 * ms }
            guard isPress else { return [.pin(first), .unpin(first)] }
            // A moment known only by a repeated edge holds nothing.
            guard let held = group.first(where: { $0.end >= begin + 600 * ms && $0.end > $0.begin }) else {
                return [.pin(first), .press(first)]
            }
            let last = group[group.count - 1]
            return [
                .pin(first), .press(first),
                .burstBegan(
                    press: first, start: MonotonicTime(nanoseconds: max(begin + 600 * ms, held.begin))),
                .burstEnded(
                    press: first, end: MonotonicTime(nanoseconds: last.lacksRelease ? last.begin : last.end)),
            ]
        }
    }

    static func edges(_ stretches: [Stretch]) -> [ButtonEdge] {
        stretches.flatMap {
            [
                ButtonEdge(line: .shutter, isActive: true, time: MonotonicTime(nanoseconds: $0.begin)),
                ButtonEdge(line: .shutter, isActive: false, time: MonotonicTime(nanoseconds: $0.end)),
            ]
        }
    }

    /// A duration in nanoseconds, often at a limit.
    static func duration(_ random: inout SeededGenerator) -> Int64 {
        let limits: [Int64] = [1, 1_000, 9_999_999, 10_000_000, 49_999_999, 50_000_000, 50_000_001, 600_000_000]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: return limits.randomElement(using: &random) ?? 1
        case 3..<6: return Int64.random(in: 1...3_000_000, using: &random)
        case 6..<9: return Int64.random(in: 1...60_000_000, using: &random)
        default: return Int64.random(in: 1...700_000_000, using: &random)
        }
    }

    static func stretches(_ random: inout SeededGenerator) -> [Stretch] {
        var time = Script.start.nanoseconds
        return (0..<Int.random(in: 1...12, using: &random)).map { _ in
            let begin = time + duration(&random)
            let end = begin + duration(&random)
            time = end
            return Stretch(begin: begin, end: end)
        }
    }

    @Test("any sequence of edges gives what the definition of a press says, called in time or late")
    func definition() {
        var random = SeededGenerator(seed: 1)
        for round in rounds(50_000) {
            let stretches = Self.stretches(&random)
            let expected = Self.expected(stretches)
            var machine = DrivenMachine()
            if round.isMultiple(of: 2) {
                machine.play(Self.edges(stretches))
            } else {
                for edge in Self.edges(stretches) { machine.send(.edge(edge)) }
            }
            machine.settle()
            guard machine.actions == expected else {
                Issue.record("\(stretches): \(machine.actions), expected \(expected)")
                return
            }
        }
    }

    @Test("edges and readings of any level in any order give what the definition of a press says of what they prove")
    func definitionOfLostEdges() {
        var random = SeededGenerator(seed: 7)
        for _ in rounds(50_000) {
            var time = Script.start.nanoseconds
            var events = (0..<Int.random(in: 1...24, using: &random)).map { _ -> ButtonMachine.Event in
                time += Self.duration(&random)
                // Some are delivered after later ones.
                let late =
                    Int.random(in: 0..<8, using: &random) == 0 ? Int64.random(in: 0...1_000_000, using: &random) : 0
                let edge = ButtonEdge(
                    line: .shutter, isActive: Bool.random(using: &random),
                    time: MonotonicTime(nanoseconds: time - late))
                return Int.random(in: 0..<8, using: &random) == 0 ? .levelRead(edge) : .edge(edge)
            }
            events.append(
                .levelRead(
                    ButtonEdge(
                        line: .shutter, isActive: false, time: MonotonicTime(nanoseconds: time + 1_000_000))))
            let expected = Self.expected(Self.stretches(of: events))
            var machine = DrivenMachine()
            machine.play(events)
            machine.settle()
            guard machine.actions == expected else {
                Issue.record("\(events): \(machine.actions), expected \(expected)")
                return
            }
        }
    }

    @Test("every press of a bouncing button is one press with the moment of its first edge")
    func bouncingButton() {
        var random = SeededGenerator(seed: 2)
        for seed in rounds(10_000) {
            var button = SimulatedButton(seed: UInt64(seed))
            var machine = DrivenMachine()
            var moment = Script.at(1)
            var moments: [MonotonicTime] = []
            for _ in 0..<3 {
                let bounce = Duration.microseconds(Int.random(in: 0...40_000, using: &random))
                let hold = bounce + .milliseconds(Int.random(in: 10...550, using: &random))
                machine.play(button.press(.shutter, hold: hold, bounce: bounce, at: moment))
                moments.append(moment)
                moment = moment + hold + bounce + .microseconds(Int.random(in: 50_000...200_000, using: &random))
            }
            machine.settle()
            guard machine.presses == moments, machine.actions.isBalanced, machine.machine.nextDeadline == nil else {
                Issue.record("seed \(seed): \(machine.actions), expected presses at \(moments)")
                return
            }
        }
    }

    @Test("noise takes no photo and leaves nothing pinned")
    func noise() {
        var random = SeededGenerator(seed: 3)
        for _ in rounds(10_000) {
            var time = Script.start.nanoseconds
            let stretches = (0..<15).map { _ in
                let begin = time + Self.duration(&random)
                time = begin + Int64.random(in: 1..<10_000_000, using: &random)
                return Stretch(begin: begin, end: time)
            }
            var machine = DrivenMachine()
            machine.play(Self.edges(stretches))
            machine.settle()
            guard machine.presses.isEmpty, machine.actions.isBalanced, machine.machine.nextDeadline == nil else {
                Issue.record("\(stretches): \(machine.actions)")
                return
            }
        }
    }

    /// One fault of a real edge queue, somewhere in a recording.
    static func damage(
        _ events: inout [ButtonMachine.Event], isOverflow: Bool, _ random: inout SeededGenerator
    ) {
        let index = Int.random(in: 1..<events.count, using: &random)
        guard case .edge(let former) = events[index - 1], case .edge(let edge) = events[index] else { return }
        let isBrief = edge.time - former.time < .milliseconds(1)
        switch isOverflow ? 0 : Int.random(in: 1...3, using: &random) {
        case 0:
            // The queue overflowed: edges of one bounce are gone, and the level is read.
            var begin = index
            let limit = Int.random(in: max(0, index - 5)...index, using: &random)
            while begin > limit, case .edge(let earlier) = events[begin - 1],
                edge.time - earlier.time < .milliseconds(20)
            {
                begin -= 1
            }
            events.replaceSubrange(begin...index, with: [.levelRead(edge)])
        case 1:
            events.insert(.edge(edge), at: index)
        case 2 where isBrief:
            events.swapAt(index - 1, index)
        case 3 where isBrief:
            // Two changes seen as one: the level after them is what is read.
            events.remove(at: index - 1)
        default:
            break
        }
    }

    /// True when edges that belong together were delivered as they happened.
    static func isWhole(_ edges: ArraySlice<ButtonEdge>, in events: [ButtonMachine.Event]) -> Bool {
        guard let first = edges.first, let index = events.firstIndex(of: .edge(first)) else { return false }
        return events[index...].starts(with: edges.map { .edge($0) })
    }

    @Test("of lost, repeated, merged and reordered edges what they prove is taken, and the next clean press always is")
    func damagedRecordings() {
        var random = SeededGenerator(seed: 4)
        var lost = 0
        var doubled = 0
        for seed in rounds(15_000) {
            var button = SimulatedButton(seed: UInt64(seed))
            var edges: [ButtonEdge] = []
            // Closing and opening of each press in turn.
            var changes: [ArraySlice<ButtonEdge>] = []
            var moment = Script.at(1)
            for _ in 0..<3 {
                let hold = Duration.milliseconds(Int.random(in: 60...900, using: &random))
                let press = button.press(.shutter, hold: hold, bounce: .milliseconds(20), at: moment)
                let closing = press.prefix { $0.time < moment + hold }
                changes += [closing, press[closing.endIndex...]]
                edges += press
                moment = moment + hold + .milliseconds(Int.random(in: 80...400, using: &random))
            }
            var events = edges.map { ButtonMachine.Event.edge($0) }
            // Overflows first: what is read after one is the true level.
            for isOverflow in [true, false] {
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    Self.damage(&events, isOverflow: isOverflow, &random)
                }
            }
            let clean = moment + .milliseconds(100)
            events += button.press(.shutter, hold: .milliseconds(80), bounce: .zero, at: clean).map { .edge($0) }
            let stretches = Self.stretches(of: events)
            var machine = DrivenMachine()
            machine.play(events)
            machine.settle()
            let count = machine.presses.count
            // Where a release and the press after it are both damaged, nothing need be left that parts them; and a press
            // whose bounce has lost its last edge may look like noise.
            let joined = [1, 3].count {
                !Self.isWhole(changes[$0], in: events) && !Self.isWhole(changes[$0 + 1], in: events)
            }
            let unproven = [0, 2, 4].count { index in
                !changes[index].suffix(1).allSatisfy { events.contains(.edge($0)) }
            }
            lost += max(0, 4 - count)
            doubled += max(0, count - 4)
            guard machine.actions == Self.expected(stretches), machine.presses.last == clean,
                count >= 4 - joined - unproven, count <= 4 + stretches.count(where: \.lacksRelease),
                machine.actions.isBalanced, machine.machine.nextDeadline == nil
            else {
                Issue.record("seed \(seed): \(events): \(machine.actions)")
                return
            }
        }
        print("damaged recordings: \(rounds(15_000).count), presses lost \(lost), doubled \(doubled)")
    }

    @Test("edges swapped by less than a millisecond change no count of presses")
    func reordered() {
        var random = SeededGenerator(seed: 5)
        for seed in rounds(10_000) {
            var button = SimulatedButton(seed: UInt64(seed))
            var edges =
                button.press(.shutter, hold: .milliseconds(100), bounce: .milliseconds(5), at: Script.at(1))
                + button.press(.shutter, hold: .milliseconds(100), bounce: .milliseconds(5), at: Script.at(200))
            for _ in 0..<3 {
                let index = Int.random(in: 1..<edges.count, using: &random)
                if edges[index].time - edges[index - 1].time < .milliseconds(1) { edges.swapAt(index - 1, index) }
            }
            var machine = DrivenMachine()
            machine.play(edges)
            machine.settle()
            guard machine.presses.count == 2, machine.actions.isBalanced,
                machine.presses[0] - Script.at(1) < .milliseconds(3),
                machine.presses[1] - Script.at(200) < .milliseconds(3)
            else {
                Issue.record("seed \(seed): \(edges): \(machine.actions)")
                return
            }
        }
    }

    @Test("a storm of 10 kHz takes no photo, is reported as a fault, and the button works after it")
    func storm() throws {
        var machine = DrivenMachine(try ButtonTiming(stuckLimit: .seconds(4)))
        for index in 0..<50_000 {
            let moment = Script.at(Double(index) * 0.1)
            machine.play([
                ButtonEdge(line: .shutter, isActive: true, time: moment),
                ButtonEdge(line: .shutter, isActive: false, time: moment + .microseconds(50)),
            ])
        }
        machine.settle()
        #expect(
            machine.take() == [.pin(Script.at(0)), .unpin(Script.at(0)), .stuck(.shutter), .recovered(.shutter)])
        machine.play(Script.edges(6000, 6100))
        #expect(machine.presses == [Script.at(6000)])
    }

    @Test("prompts that come and go at any time leave pins and presses balanced and never give two answers to one hold")
    func prompts() {
        var random = SeededGenerator(seed: 6)
        for seed in rounds(10_000) {
            var button = SimulatedButton(seed: UInt64(seed))
            var machine = DrivenMachine()
            var moment = Script.at(1)
            for _ in 0..<3 {
                let hold = Duration.milliseconds(Int.random(in: 20...4000, using: &random))
                for edge in button.press(.shutter, hold: hold, bounce: .milliseconds(5), at: moment) {
                    if Int.random(in: 0..<6, using: &random) == 0 {
                        machine.run(before: edge.time)
                        machine.send(
                            Bool.random(using: &random) ? .promptShown(at: edge.time) : .promptHidden)
                    }
                    machine.play([edge])
                }
                moment = moment + hold + .milliseconds(200)
            }
            machine.settle()
            let consents = machine.actions.filter { $0 == .consent }.count
            guard machine.actions.isBalanced, machine.presses.count + consents == 3 else {
                Issue.record("seed \(seed): \(machine.actions)")
                return
            }
        }
    }
}
