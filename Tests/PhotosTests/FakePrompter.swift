import Photos
import PinholeTesting

/// A prompter that answers when a test says so.
final class FakePrompter: AccessPrompter {
    private struct State {
        var asked: [AccessQuestion] = []
        var taken = 0
        var withdrawn: [AccessQuestion] = []
        var always: AccessAnswer?
        var answers: [Int: AccessAnswer] = [:]
    }

    private let state: Watched<State>

    /// - Parameter always: answers every question with it at once.
    init(always: AccessAnswer? = nil) {
        state = Watched(State(always: always))
    }

    /// Every question so far.
    var asked: [AccessQuestion] { state.withLock { $0.asked } }
    /// Every question that became void.
    var withdrawn: [AccessQuestion] { state.withLock { $0.withdrawn } }

    func ask(_ question: AccessQuestion) async -> AccessAnswer {
        let number = question.number
        state.withLock { state in
            state.asked.append(question)
            if let always = state.always { state.answers[number] = always }
        }
        return await state.until { $0.answers[number] != nil }.answers[number] ?? .unanswered
    }

    func withdraw(_ question: AccessQuestion) {
        state.withLock { state in
            state.withdrawn.append(question)
            if state.answers[question.number] == nil { state.answers[question.number] = .unanswered }
        }
    }

    /// Waits for the next question.
    func next() async -> AccessQuestion {
        await state.until { $0.taken < $0.asked.count }
        return state.withLock { state in
            state.taken += 1
            return state.asked[state.taken - 1]
        }
    }

    /// Waits until a question is void.
    func withdrawal(of question: AccessQuestion) async {
        await state.until { $0.withdrawn.contains(question) }
    }

    /// Answers a question.
    func answer(_ question: AccessQuestion, _ answer: AccessAnswer) {
        state.withLock { $0.answers[question.number] = answer }
    }
}
