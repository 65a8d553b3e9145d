import Photos
import Synchronization

/// Answers as a test says, when it says so.
final class FakePrompter: AccessPrompter {
    private struct State {
        var asked: [AccessQuestion] = []
        var taken = 0
        var withdrawn: [AccessQuestion] = []
        var always: AccessAnswer?
        var waiting: [Int: CheckedContinuation<AccessAnswer, Never>] = [:]
        var early: [Int: AccessAnswer] = [:]
        var expecting: CheckedContinuation<AccessQuestion, Never>?
    }

    private let state: Mutex<State>

    /// - Parameter always: answers every question with it at once.
    init(always: AccessAnswer? = nil) {
        state = Mutex(State(always: always))
    }

    /// Every question so far.
    var asked: [AccessQuestion] { state.withLock { $0.asked } }
    /// Every question that became void.
    var withdrawn: [AccessQuestion] { state.withLock { $0.withdrawn } }

    func ask(_ question: AccessQuestion) async -> AccessAnswer {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.asked.append(question)
                if let answer = state.always ?? state.early.removeValue(forKey: question.number) {
                    continuation.resume(returning: answer)
                } else {
                    state.waiting[question.number] = continuation
                }
                if let expecting = state.expecting {
                    state.expecting = nil
                    state.taken += 1
                    expecting.resume(returning: question)
                }
            }
        }
    }

    func withdraw(_ question: AccessQuestion) {
        state.withLock { $0.withdrawn.append(question) }
    }

    /// Waits for the next question.
    func next() async -> AccessQuestion {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.taken < state.asked.count {
                    state.taken += 1
                    continuation.resume(returning: state.asked[state.taken - 1])
                } else {
                    state.expecting = continuation
                }
            }
        }
    }

    /// Answers a question.
    func answer(_ question: AccessQuestion, _ answer: AccessAnswer) {
        state.withLock { state in
            if let waiting = state.waiting.removeValue(forKey: question.number) {
                waiting.resume(returning: answer)
            } else {
                state.early[question.number] = answer
            }
        }
    }
}
