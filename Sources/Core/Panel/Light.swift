import Platform
import Synchronization

/// An LED, real or simulated.
package protocol Light: Sendable {
    /// Sets the brightness, from 0 (off) to 1. A light that can only be on or off is on above 0.
    ///
    /// - Blocking: no.
    func set(_ brightness: Double)
}

/// A light that may not be there yet. It is opened again and again until that succeeds, and then shows the brightness that
/// was set last.
///
/// - Isolation: its state belongs to the event loop. Methods without a note may be called from any thread.
package final class RetriedLight: Light {
    /// A change that the camera reports.
    package enum Event: Hashable, Sendable {
        /// The light cannot be opened, and why; reported once.
        case lost(SystemError)
        /// The light works after all.
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
    private let state: LoopConfined<State>

    /// Creates a light that is opened later.
    ///
    /// - Parameter open: called on the event loop.
    package init(loop: EventLoop, open: @escaping @Sendable () throws(SystemError) -> any Light) {
        self.loop = loop
        self.open = open
        state = LoopConfined(State(), to: loop)
    }

    /// Opens the light, and tries again until that succeeds or `end` is called.
    ///
    /// - Parameter report: receives events, on the event loop.
    package func start(report: @escaping @Sendable (Event) -> Void) {
        loop.post { [self] in attempt(report) }
    }

    /// Sets the brightness, from 0 to 1.
    ///
    /// - Isolation: the event loop.
    package func set(_ brightness: Double) {
        state.value.brightness = brightness
        state.value.light?.set(brightness)
    }

    /// Turns the light off and closes it for good.
    package func end() async {
        _ = await loop.run { [self] in
            state.value.hasEnded = true
            state.value.light.take()?.set(0)
        }
    }

    private func attempt(_ report: @escaping @Sendable (Event) -> Void) {
        if state.value.hasEnded { return }
        do throws(SystemError) {
            let light = try open()
            state.value.light = light
            light.set(state.value.brightness)
            if state.value.wasLost { report(.returned) }
        } catch {
            if !state.value.wasLost { report(.lost(error)) }
            state.value.wasLost = true
            loop.schedule(at: .now() + Self.retryInterval) { [weak self] in self?.attempt(report) }
        }
    }
}

/// The simulated board's light, which remembers its latest changes for tests.
package final class SimulatedLight: Light {
    /// A new brightness and its moment.
    package struct Change: Hashable, Sendable {
        /// The brightness, from 0 to 1.
        package var brightness: Double
        /// When the brightness changed.
        package var time: MonotonicTime
    }

    private static let limit = 1000

    private let time: any TimeSource
    private let history = Mutex<[Change]>([])

    /// Creates a light that is off.
    package init(time: any TimeSource) {
        self.time = time
    }

    /// The latest thousand changes, oldest first.
    package var changes: [Change] { history.withLock { $0 } }

    package func set(_ brightness: Double) {
        let change = Change(brightness: brightness, time: time.now)
        history.withLock {
            if ($0.last?.brightness ?? 0) == brightness { return }
            if $0.count == Self.limit { $0.removeFirst() }
            $0.append(change)
        }
    }
}
