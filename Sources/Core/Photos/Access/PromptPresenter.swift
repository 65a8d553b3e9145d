import Platform
import Synchronization

/// Shows questions to a person, for instance with a light and on consoles. The library's `Authority` decides which question
/// is shown, and for how long.
///
/// - Isolation: any thread; calls come one at a time and in order.
/// - Blocking: no.
package protocol PromptPresenter: Sendable {
    /// Shows a question. No other question is shown until `hide`.
    func show(_ question: AccessQuestion)
    /// Hides the question that is shown.
    func hide(_ question: AccessQuestion, _ outcome: PromptOutcome)
    /// Has `LibraryStore.endOverdueQuestions` called at this moment instead of the one named before; nil means never.
    func wake(at moment: MonotonicTime?)
}

/// Presents questions by means of an `AccessPrompter`, which answers them itself.
final class PrompterPresenter: PromptPresenter {
    private struct State {
        /// The number of the question that the prompter has not answered yet.
        var asked: Int?
        var waking: Task<Void, Never>?
    }

    private let prompter: any AccessPrompter
    private let time: any TimeSource
    private let answer: @Sendable (Int, AccessAnswer) -> Void
    private let endOverdue: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a presenter that passes answers, by number, and the end of a question's time to these closures.
    init(
        _ prompter: any AccessPrompter, time: any TimeSource, answer: @escaping @Sendable (Int, AccessAnswer) -> Void,
        endOverdue: @escaping @Sendable () -> Void
    ) {
        self.prompter = prompter
        self.time = time
        self.answer = answer
        self.endOverdue = endOverdue
    }

    func show(_ question: AccessQuestion) {
        state.withLock { $0.asked = question.number }
        Task {
            let answer = await prompter.ask(question)
            if take(question) { self.answer(question.number, answer) }
        }
    }

    func hide(_ question: AccessQuestion, _ outcome: PromptOutcome) {
        if take(question) { prompter.withdraw(question) }
    }

    func wake(at moment: MonotonicTime?) {
        let waking = moment.map { moment in
            Task {
                try? await Task.sleep(for: moment - time.now)
                if !Task.isCancelled { endOverdue() }
            }
        }
        let old = state.withLock { state in
            defer { state.waking = waking }
            return state.waking
        }
        old?.cancel()
    }

    /// True for the first caller: a question is either answered by the prompter or withdrawn from it.
    private func take(_ question: AccessQuestion) -> Bool {
        state.withLock { state in
            guard state.asked == question.number else { return false }
            state.asked = nil
            return true
        }
    }
}
