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
    }

    private let loop: EventLoop
    private let library: LibraryStore
    private let panel: PanelDriver
    private let didShow: @Sendable (AccessQuestion) -> Void
    private let didHide: @Sendable (AccessQuestion, PromptOutcome) -> Void
    private let state: LoopConfined<State>

    /// Creates a display that shows nothing.
    ///
    /// - Parameters:
    ///   - didShow: reports a question to the consoles; called on the event loop, as `didHide` is.
    ///   - didHide: reports how it ended.
    init(
        loop: EventLoop, library: LibraryStore, panel: PanelDriver,
        didShow: @escaping @Sendable (AccessQuestion) -> Void,
        didHide: @escaping @Sendable (AccessQuestion, PromptOutcome) -> Void
    ) {
        self.loop = loop
        self.library = library
        self.panel = panel
        self.didShow = didShow
        self.didHide = didHide
        state = LoopConfined(State(), to: loop)
    }

    package func show(_ question: AccessQuestion) {
        loop.post { [self] in
            state.value.shown = question
            panel.showPrompt(isForConsole: question.client == ServedClient.usbConsole.rawValue)
            didShow(question)
        }
    }

    package func hide(_ question: AccessQuestion, _ outcome: PromptOutcome) {
        loop.post { [self] in
            state.value.shown = nil
            panel.hidePrompt()
            didHide(question, outcome)
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
