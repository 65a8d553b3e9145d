import Platform
import Testing

@testable import Photos

/// Random questions, answers and pauses. What must hold is judged from the actions alone.
@Suite("Queue of prompts, generated")
struct PromptQueuePropertyTests {
    typealias Queue = PromptQueue

    /// Plays events and keeps what was asked, shown and answered.
    private struct Play {
        var queue = Queue()
        var now = MonotonicTime(nanoseconds: 0)
        var asked: Set<Int> = []
        var ended: [Int: Int] = [:]
        var shown: (question: AccessQuestion, end: MonotonicTime)?
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
                case .show(let question):
                    if shown != nil { faults.append("two questions are shown") }
                    if let quiet = quietUntil[question.client], now < quiet { faults.append("a quiet client is shown") }
                    shown = (question, now + question.subject.limit)
                case .hide(let question, let outcome):
                    if shown?.question != question { faults.append("what is hidden was not shown") }
                    remember(outcome, of: question.client, isEarly: event.isUnanswered)
                    shown = nil
                case .end(let number, _):
                    ended[number, default: 0] += 1
                    if !asked.contains(number) { faults.append("an end of a question that nobody asked") }
                case .grant(let client, _):
                    quietUntil[client] = nil
                    timesUnanswered[client] = 0
                }
            }
            if let end = shown?.end, end <= now { faults.append("shown beyond its time") }
            if queue.nextDeadline != shown?.end { faults.append("the deadline is not the end of what is shown") }
            if queue.shown != shown?.question { faults.append("not what is shown") }
        }

        private mutating func remember(_ outcome: PromptOutcome, of client: String, isEarly: Bool) {
            switch outcome {
            case .answered(.unanswered):
                if !isEarly, let end = shown?.end, now < end { faults.append("ended too early") }
                let times = timesUnanswered[client, default: 0]
                timesUnanswered[client] = times + 1
                quietUntil[client] = now + [Duration.seconds(60), .seconds(300), .seconds(1800)][min(times, 2)]
            case .withdrawn: break
            case .answered(.allowed), .answered(.granted), .answered(.refused):
                timesUnanswered[client] = 0
                quietUntil[client] = nil
            }
        }
    }

    @Test(
        "every question ends once, one is shown at a time, and quiet clients stay quiet",
        arguments: 0..<200 as Range<Int>)
    func generated(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var play = Play()
        let clients = ["usb", "share:anna", "web:1"]
        for number in 0..<300 {
            play.now = play.now + .milliseconds(Int.random(in: 0...40_000, using: &random))
            if Int.random(in: 0..<20, using: &random) == 0 { play.now = play.now + .seconds(600) }
            let client = clients.randomElement(using: &random) ?? "usb"
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                let subject: AccessQuestion.Subject =
                    [.access(.addOnly), .access(.readWrite), .deletion(count: 2)].randomElement(using: &random)
                    ?? .deletion(count: 1)
                play.asked.insert(number)
                play.send(
                    .asked(
                        AccessQuestion(number: number, client: client, subject: subject, purpose: "p"), at: play.now))
            case 6:
                let answers: [AccessAnswer] = [.allowed, .granted(.limited), .refused, .unanswered]
                let isShown = Int.random(in: 0..<4, using: &random) > 0
                play.send(
                    .answered(
                        isShown ? play.shown?.question.number ?? number : Int.random(in: 0...number, using: &random),
                        answers.randomElement(using: &random) ?? .allowed, at: play.now))
            case 7:
                let some = play.asked.sorted().filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
                play.send(.withdrawn(Set(some), at: play.now))
            case 8:
                play.send(.allowed(client: client, ClientLevel.allCases.randomElement(using: &random), at: play.now))
            case 9: play.send(.denied(client: client, at: play.now))
            default: play.send(.time(play.now))
            }
        }
        while let deadline = play.queue.nextDeadline {
            play.now = max(play.now, deadline)
            play.send(.time(play.now))
        }
        #expect(play.faults.isEmpty, "\(play.faults)")
        #expect(Set(play.ended.keys) == play.asked)
        #expect(play.ended.values.allSatisfy { $0 == 1 })
    }
}

extension PromptQueue.Event {
    /// True for the answer that a person gave none.
    fileprivate var isUnanswered: Bool {
        if case .answered(_, .unanswered, _) = self { true } else { false }
    }
}
