import Panel
import Platform
import Synchronization

/// A light that may not be there yet: it is asked for until it is, and then shows what was last wanted.
///
/// - Isolation: any thread; the light itself is used on the event loop alone.
package final class RetriedLight: Light {
    /// What became of the light.
    package enum Event: Hashable, Sendable {
        /// It cannot be had, and why; told once.
        case lost(SystemError)
        /// It is there after all.
        case returned
    }

    private struct State {
        var light: (any Light)?
        var brightness = 0.0
        var wasLost = false
        var hasEnded = false
    }

    private static let retryInterval = Duration.seconds(2)

    private let loop: EventLoop
    private let open: @Sendable () throws(SystemError) -> any Light
    private let state = Mutex(State())

    /// A light that is not asked for yet.
    package init(loop: EventLoop, open: @escaping @Sendable () throws(SystemError) -> any Light) {
        self.loop = loop
        self.open = open
    }

    /// Begins to ask for it.
    ///
    /// - Parameter tell: takes events, on the event loop.
    package func start(tell: @escaping @Sendable (Event) -> Void) {
        loop.post { [self] in attempt(tell) }
    }

    package func set(_ brightness: Double) {
        let light = state.withLock { state in
            state.brightness = brightness
            return state.light
        }
        light?.set(brightness)
    }

    /// Leaves it dark and lets it go, for good.
    package func end() async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                let light = state.withLock { state in
                    state.hasEnded = true
                    return state.light.take()
                }
                light?.set(0)
                continuation.resume()
            }
        }
    }

    private func attempt(_ tell: @escaping @Sendable (Event) -> Void) {
        if state.withLock({ $0.hasEnded }) { return }
        do throws(SystemError) {
            let light = try open()
            let (brightness, wasLost) = state.withLock { state in
                state.light = light
                return (state.brightness, state.wasLost)
            }
            light.set(brightness)
            if wasLost { tell(.returned) }
        } catch {
            let isNew = state.withLock { state in
                defer { state.wasLost = true }
                return !state.wasLost
            }
            if isNew { tell(.lost(error)) }
            loop.schedule(at: .now() + Self.retryInterval) { [weak self] in self?.attempt(tell) }
        }
    }
}
