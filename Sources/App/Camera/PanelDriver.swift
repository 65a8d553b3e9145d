import Panel
import Platform
import Synchronization

/// Drives the panel's pure machines: feeds edges and time to the gestures, and shows the light's pattern.
///
/// - Isolation: any thread may call; actions and light changes happen on the event loop.
package final class PanelDriver: Sendable {
    private struct State {
        var button: ButtonMachine
        var light: StatusLight
        var buttonTimer: EventLoop.Timer?
        var lightTimer: EventLoop.Timer?
        var simulated: SimulatedButton
        /// Edges of simulated presses that are still to come.
        var edgesToCome = 0
        /// When each simulated button is at rest again.
        var restFrom: [ButtonLine: MonotonicTime] = [:]
    }

    /// Between a simulated press's rest and the next one.
    private static let margin = Duration.milliseconds(5)

    private let loop: EventLoop
    private let time: any TimeSource
    private let timing: ButtonTiming
    private let light: any Light
    private let state: Mutex<State>
    private let level = Mutex<(@Sendable (ButtonLine) -> Bool?)?>(nil)
    private let act: @Sendable (ButtonMachine.Action) -> Void

    /// A panel with its buttons at rest.
    ///
    /// - Parameter act: carries out what a gesture means; called on the event loop.
    init(
        loop: EventLoop, time: any TimeSource, timing: ButtonTiming, light: any Light,
        act: @escaping @Sendable (ButtonMachine.Action) -> Void
    ) {
        self.loop = loop
        self.time = time
        self.timing = timing
        self.light = light
        self.act = act
        let now = time.now
        state = Mutex(
            State(
                button: ButtonMachine(timing: timing, start: now - timing.rest), light: StatusLight(start: now),
                simulated: SimulatedButton(seed: UInt64(bitPattern: now.nanoseconds))))
    }

    /// Tells the light of a change.
    package func tell(_ event: StatusLight.Event) {
        loop.post { [self] in
            state.withLock { $0.light.handle(event, at: time.now) }
            showLight()
        }
    }

    /// Lets a hold answer a prompt from now on.
    ///
    /// - Parameter isForConsole: true for one that gives more than photos.
    /// - Isolation: the event loop.
    func showPrompt(isForConsole: Bool) {
        handle(.promptShown(at: time.now))
        tell(isForConsole ? .consolePromptShown : .promptShown)
    }

    /// No hold answers anything any more.
    ///
    /// - Isolation: the event loop.
    func hidePrompt() {
        handle(.promptHidden)
        tell(.promptHidden)
    }

    /// The name of what the light shows.
    var patternName: String { state.withLock { $0.light.patternName } }

    /// True while no gesture is under way.
    var isAtRest: Bool { state.withLock { $0.edgesToCome == 0 && $0.button.nextDeadline == nil } }

    /// Presses a button of the simulated board. A press that would overlap the one before begins after it.
    ///
    /// - Parameter accepted: told the moment of the first edge, when that edge has been taken.
    package func press(
        _ line: ButtonLine, hold: Duration, bounce: Duration, accepted: @escaping @Sendable (MonotonicTime) -> Void
    ) {
        let edges = state.withLock { state in
            let start = max(time.now, state.restFrom[line] ?? time.now)
            let edges = state.simulated.press(line, hold: hold, bounce: bounce, at: start)
            state.edgesToCome += edges.count
            state.restFrom[line] = (edges.last?.time ?? start) + timing.rest + Self.margin
            return edges
        }
        for (index, edge) in edges.enumerated() {
            // The edge carries the moment meant, as a kernel's timestamp does, however late this thread wakes.
            _ = loop.schedule(at: edge.time) { [self] in
                state.withLock { $0.edgesToCome -= 1 }
                take(edge)
                if index == 0 { accepted(edge.time) }
            }
        }
    }

    /// Takes an edge of a button.
    ///
    /// - Isolation: the event loop.
    func take(_ edge: ButtonEdge) {
        handle(.edge(edge))
    }

    /// Takes the level of a button that was read after edges were lost.
    ///
    /// - Isolation: the event loop.
    func take(reading level: ButtonEdge) {
        handle(.levelRead(level))
    }

    /// Has the edges of real buttons taken before anything is decided, and the level read before a hold is: what happened
    /// before a late wake-up must count, and a lost edge of the release must not make a hold of a short press.
    ///
    /// - Parameter level: takes the edges that wait and then gives the level, or nil; called on the event loop.
    func readLevels(_ level: @escaping @Sendable (ButtonLine) -> Bool?) {
        self.level.withLock { $0 = level }
    }

    private func timeCame() {
        if let level = level.withLock({ $0 }) {
            _ = level(.focus)
            if let isActive = level(.shutter), let hold = dueHold {
                // Whatever edge was lost came before this hold was over.
                handle(
                    .levelRead(
                        ButtonEdge(
                            line: .shutter, isActive: isActive, time: MonotonicTime(nanoseconds: hold.nanoseconds - 1)))
                )
            }
        }
        handle(.time(time.now))
    }

    /// When the hold that is to be decided now was over; nil when there is none.
    private var dueHold: MonotonicTime? {
        state.withLock { $0.button.holdDeadline }.flatMap { $0 <= time.now ? $0 : nil }
    }

    private func handle(_ event: ButtonMachine.Event) {
        let actions = state.withLock { $0.button.handle(event) }
        scheduleButton()
        actions.forEach(act)
    }

    private func scheduleButton() {
        let (old, deadline) = state.withLock { ($0.buttonTimer, $0.button.nextDeadline) }
        if let old { loop.cancel(old) }
        let timer = deadline.map { loop.schedule(at: $0) { [self] in timeCame() } }
        state.withLock { $0.buttonTimer = timer }
    }

    private func showLight() {
        let (old, output) = state.withLock { ($0.lightTimer, $0.light.output(at: time.now)) }
        if let old { loop.cancel(old) }
        light.set(output.brightness)
        let timer = output.nextChange.map { loop.schedule(at: $0) { [self] in showLight() } }
        state.withLock { $0.lightTimer = timer }
    }
}
