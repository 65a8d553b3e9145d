import Panel
import Photos
import Platform

/// Shows the library's questions with the light and on the consoles, and gives it the answer of the button.
///
/// - Isolation: the library calls from any thread; everything is done on the event loop.
package final class PromptDisplay: PromptPresenter {
    private struct State {
        /// The question that a hold of the button answers.
        var shown: AccessQuestion?
        var timer: EventLoop.Timer?
        var didShow: @Sendable (AccessQuestion) -> Void = { _ in }
        var didHide: @Sendable (AccessQuestion, PromptOutcome) -> Void = { _, _ in }
    }

    private let loop: EventLoop
    private let library: LibraryStore
    private let panel: PanelDriver
    private let consoleClients: Set<String>
    private let state: LoopConfined<State>

    /// Creates a display that shows nothing.
    ///
    /// - Parameter consoleClients: the clients that ask for the console, which has a light pattern of its own.
    init(loop: EventLoop, library: LibraryStore, panel: PanelDriver, consoleClients: Set<String>) {
        self.consoleClients = consoleClients
        self.loop = loop
        self.library = library
        self.panel = panel
        state = LoopConfined(State(), to: loop)
    }

    /// Reports questions from now on.
    ///
    /// - Parameters:
    ///   - didShow: reports a question to the consoles; called on the event loop, as `didHide` is.
    ///   - didHide: reports how it ended.
    /// - Isolation: the event loop.
    func follow(
        didShow: @escaping @Sendable (AccessQuestion) -> Void,
        didHide: @escaping @Sendable (AccessQuestion, PromptOutcome) -> Void
    ) {
        (state.value.didShow, state.value.didHide) = (didShow, didHide)
    }

    package func show(_ question: AccessQuestion) {
        loop.post { [self] in
            state.value.shown = question
            panel.showPrompt(isForConsole: consoleClients.contains(question.client))
            state.value.didShow(question)
        }
    }

    package func hide(_ question: AccessQuestion, _ outcome: PromptOutcome) {
        loop.post { [self] in
            state.value.shown = nil
            panel.hidePrompt()
            state.value.didHide(question, outcome)
        }
    }

    package func wake(at moment: MonotonicTime?) {
        loop.post { [self] in
            if let timer = state.value.timer { loop.cancel(timer) }
            state.value.timer = moment.map { loop.schedule(at: $0) { [library] in library.endOverdueQuestions() } }
        }
    }

    /// Allows the question under which the button was held: it may have ended in the library already, and the next question
    /// needs its own hold.
    ///
    /// - Isolation: the event loop.
    func held() {
        if let question = state.value.shown { library.answer(question.number, .allowed) }
    }
}
