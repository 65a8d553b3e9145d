import Console
import Panel
import Photos
import Platform
import Synchronization

/// Asks the owner what the library wants to know: joins the queue of prompts with the light, the button and the consoles.
///
/// - Isolation: any thread may ask and answer; prompts change on the event loop.
package final class PromptKeeper: AccessPrompter, Sendable {
    private struct State {
        var queue = PromptQueue()
        var waiting: [Int: CheckedContinuation<AccessAnswer, Never>] = [:]
        var timer: EventLoop.Timer?
        var isClosed = false
    }

    private let loop: EventLoop
    private let time: any TimeSource
    private let panel: PanelDriver
    private let show: @Sendable (PromptQueue.Prompt) -> Void
    private let ended: @Sendable (PromptQueue.Prompt, PromptQueue.Answer) -> Void
    private let state = Mutex(State())

    /// A keeper without questions.
    ///
    /// - Parameters:
    ///   - show: tells the consoles of a prompt; called on the event loop, as `ended` is.
    ///   - ended: tells them what came of it.
    init(
        loop: EventLoop, time: any TimeSource, panel: PanelDriver,
        show: @escaping @Sendable (PromptQueue.Prompt) -> Void,
        ended: @escaping @Sendable (PromptQueue.Prompt, PromptQueue.Answer) -> Void
    ) {
        self.loop = loop
        self.time = time
        self.panel = panel
        self.show = show
        self.ended = ended
    }

    package func ask(_ question: AccessQuestion) async -> AccessAnswer {
        let subject: PromptQueue.Subject =
            switch question.subject {
            case .access(.addOnly): .access(.addOnly)
            case .access(.readWrite): .access(.readWrite)
            case .deletion(let count): .deletion(count: count)
            }
        let prompt = PromptQueue.Prompt(
            id: question.number, client: question.client, subject: subject, purpose: question.purpose)
        return await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiting[prompt.id] = continuation }
                return state.isClosed
            }
            if isClosed { return continuation.resume(returning: .unanswered) }
            loop.post { [self] in handle(.asked(prompt, at: time.now)) }
        }
    }

    package func withdraw(_ question: AccessQuestion) {
        loop.post { [self] in handle(.withdrawn(client: question.client, at: time.now)) }
    }

    /// The button was held while a prompt was shown.
    ///
    /// - Isolation: the event loop.
    func held() {
        handle(.held(at: time.now))
    }

    /// The owner allows a client what it asks, or this.
    ///
    /// - Returns: what no prompt asked and is therefore to be granted; nil when a prompt was answered.
    func allow(_ client: String, _ level: PromptQueue.Level?) async -> PromptQueue.Level? {
        for case .grant(_, let level) in await decide(.allowed(client: client, level, at: time.now)) { return level }
        return nil
    }

    /// The owner refuses a client.
    ///
    /// - Returns: true when no prompt asked, so that it is to be refused beforehand.
    func deny(_ client: String) async -> Bool {
        for case .refuse in await decide(.denied(client: client, at: time.now)) { return true }
        return false
    }

    private func decide(_ event: PromptQueue.Event) async -> [PromptQueue.Action] {
        await withCheckedContinuation { continuation in
            loop.post { [self] in continuation.resume(returning: handle(event)) }
        }
    }

    /// Leaves every question unanswered, those to come too.
    package func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isClosed = true
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume(returning: .unanswered) }
    }

    @discardableResult
    private func handle(_ event: PromptQueue.Event) -> [PromptQueue.Action] {
        let actions = state.withLock { $0.queue.handle(event) }
        schedule()
        for action in actions {
            switch action {
            case .show(let prompt):
                panel.showPrompt(isForConsole: prompt.client == ServedClient.usbConsole.rawValue)
                show(prompt)
            case .hide(let prompt, let answer):
                panel.hidePrompt()
                ended(prompt, answer)
            case .answer(let id, let answer):
                let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
                continuation?.resume(returning: Self.answer(answer))
            case .grant, .refuse:
                break  // whoever asked does it
            }
        }
        return actions
    }

    private static func answer(_ answer: PromptQueue.Answer) -> AccessAnswer {
        switch answer {
        case .allowed: .allowed
        case .granted(.addOnly): .granted(.addOnly)
        case .granted(.limited): .granted(.limited)
        case .granted(.full): .granted(.full)
        case .denied: .refused
        case .unanswered, .withdrawn: .unanswered
        }
    }

    private func schedule() {
        let (old, deadline) = state.withLock { ($0.timer, $0.queue.nextDeadline) }
        if let old { loop.cancel(old) }
        let timer = deadline.map { loop.schedule(at: $0) { [self] in handle(.time(time.now)) } }
        state.withLock { $0.timer = timer }
    }
}
