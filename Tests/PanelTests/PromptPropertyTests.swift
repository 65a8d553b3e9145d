import Panel
import Platform
import Testing

/// Random questions, answers and pauses. What must hold is judged from the actions alone.
@Suite("Queue of prompts, generated")
struct PromptPropertyTests {
    typealias Queue = PromptQueue

    /// Plays events and keeps what was asked, shown and answered.
    private struct Play {
        var queue = Queue()
        var now = ButtonScript.at(0)
        var asked: Set<Int> = []
        var answered: [Int: Int] = [:]
        var shown: (prompt: Queue.Prompt, end: MonotonicTime)?
        var quietUntil: [String: MonotonicTime] = [:]
        var timesUnanswered: [String: Int] = [:]
        var faults: [String] = []

        mutating func send(_ event: Queue.Event) {
            defer {
                // A person who allows or refuses a client knows of it, whether it asked or not.
                switch event {
                case .allowed(let client, _, _), .denied(let client, _):
                    quietUntil[client] = nil
                    timesUnanswered[client] = 0
                default: break
                }
            }
            for action in queue.handle(event) {
                switch action {
                case .show(let prompt):
                    if shown != nil { faults.append("two prompts are shown") }
                    if let quiet = quietUntil[prompt.client], now < quiet { faults.append("a quiet client is shown") }
                    shown = (prompt, now + prompt.subject.limit)
                case .hide(let prompt, let answer):
                    if shown?.prompt != prompt { faults.append("what is hidden was not shown") }
                    if answer == .unanswered, let end = shown?.end, now < end { faults.append("ended too early") }
                    shown = nil
                    remember(answer, of: prompt.client)
                case .answer(let id, _):
                    answered[id, default: 0] += 1
                    if !asked.contains(id) { faults.append("an answer nobody asked for") }
                case .grant(let client, _), .refuse(let client):
                    quietUntil[client] = nil
                    timesUnanswered[client] = 0
                }
            }
            if let end = shown?.end, end <= now { faults.append("shown beyond its time") }
            if queue.nextDeadline != shown?.end { faults.append("the deadline is not the end of what is shown") }
            if queue.shown != shown?.prompt { faults.append("not what is shown") }
        }

        private mutating func remember(_ answer: Queue.Answer, of client: String) {
            switch answer {
            case .unanswered:
                let times = timesUnanswered[client, default: 0]
                timesUnanswered[client] = times + 1
                quietUntil[client] = now + [Duration.seconds(60), .seconds(300), .seconds(1800)][min(times, 2)]
            case .withdrawn: break
            case .allowed, .granted, .denied:
                timesUnanswered[client] = 0
                quietUntil[client] = nil
            }
        }
    }

    @Test(
        "every question is answered once, one is shown at a time, and quiet clients stay quiet",
        arguments: 0..<200 as Range<Int>)
    func generated(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var play = Play()
        let clients = ["usb", "share:anna", "web:1"]
        for id in 0..<300 {
            play.now = play.now + .milliseconds(Int.random(in: 0...40_000, using: &random))
            if Int.random(in: 0..<20, using: &random) == 0 { play.now = play.now + .seconds(600) }
            let client = clients.randomElement(using: &random) ?? "usb"
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                let subject: Queue.Subject =
                    [.access(.addOnly), .access(.readWrite), .deletion(count: 2)].randomElement(using: &random)
                    ?? .deletion(count: 1)
                play.asked.insert(id)
                play.send(
                    .asked(Queue.Prompt(id: id, client: client, subject: subject, purpose: "p"), at: play.now))
            case 6: play.send(.held(at: play.now))
            case 7: play.send(.withdrawn(client: client, at: play.now))
            case 8:
                play.send(.allowed(client: client, Queue.Level.allCases.randomElement(using: &random), at: play.now))
            case 9: play.send(.denied(client: client, at: play.now))
            default: play.send(.time(play.now))
            }
        }
        while let deadline = play.queue.nextDeadline {
            play.now = max(play.now, deadline)
            play.send(.time(play.now))
        }
        #expect(play.faults.isEmpty, "\(play.faults)")
        #expect(Set(play.answered.keys) == play.asked)
        #expect(play.answered.values.allSatisfy { $0 == 1 })
    }
}
