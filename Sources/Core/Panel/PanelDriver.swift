import Platform

/// Runs the panel's pure machines: gives edges and time to `ButtonMachine`, and shows on the light what `StatusLight` says.
///
/// - Isolation: its state belongs to the event loop. Methods without a note may be called from any thread.
package final class PanelDriver: Sendable {
    private struct State {
        var button: ButtonMachine
        var light: StatusLight
        var buttonTimer: EventLoop.Timer?
        var lightTimer: EventLoop.Timer?
        var simulated: SimulatedButton
        /// Edges of simulated presses that are still to come.
        var toCome = 0
        /// When each simulated button is released again.
        var restFrom: [ButtonLine: MonotonicTime] = [:]
        /// Reads the level of a real button.
        var readLevel: (@Sendable (ButtonLine) -> Bool?)?
        var act: @Sendable (ButtonMachine.Action) -> Void = { _ in }
    }

    /// The time between the end of a simulated press's rest and the next press.
    private static let margin = Duration.milliseconds(5)

    private let loop: EventLoop
    private let time: any TimeSource
    private let timing: ButtonTiming
    private let light: any Light
    private let state: LoopConfined<State>

    /// Creates a panel whose buttons are at rest.
    package init(loop: EventLoop, time: any TimeSource, timing: ButtonTiming, light: any Light) {
        self.loop = loop
        self.time = time
        self.timing = timing
        self.light = light
        let now = time.now
        state = LoopConfined(
            State(
                button: ButtonMachine(timing: timing, start: now - timing.rest), light: StatusLight(start: now),
                simulated: SimulatedButton(seed: UInt64(bitPattern: now.nanoseconds))), to: loop)
    }

    /// Gives gestures to `act` from now on, which carries out what they mean.
    ///
    /// - Isolation: `act` is called on the event loop.
    package func start(act: @escaping @Sendable (ButtonMachine.Action) -> Void) {
        loop.post { [self] in state.value.act = act }
    }

    /// Reports a change of the camera's state to the light.
    package func report(_ event: StatusLight.Event) {
        loop.post { [self] in
            state.value.light.handle(event, at: time.now)
            showLight()
        }
    }

    /// Lets a hold of the button answer a prompt from now on.
    ///
    /// - Parameter isForConsole: true for a prompt that gives more than photos.
    /// - Isolation: the event loop.
    package func showPrompt(isForConsole: Bool) {
        handle(.promptShown(at: time.now))
        report(isForConsole ? .consolePromptShown : .promptShown)
    }

    /// Lets no hold answer a prompt any more.
    ///
    /// - Isolation: the event loop.
    package func hidePrompt() {
        handle(.promptHidden)
        report(.promptHidden)
    }

    /// The name of the lasting pattern that the light shows.
    ///
    /// - Isolation: the event loop.
    package var patternName: String { state.value.light.patternName }

    /// True while no gesture is in progress and no simulated press is to come.
    ///
    /// - Isolation: the event loop.
    package var isAtRest: Bool { state.value.toCome == 0 && state.value.buttonTimer == nil }

    /// Presses a button of the simulated board. A press that would overlap the one before begins after it.
    ///
    /// - Parameter accepted: receives the moment of the first edge, on the event loop, once the panel has that edge.
    package func press(
        _ line: ButtonLine, hold: Duration, bounce: Duration, accepted: @escaping @Sendable (MonotonicTime) -> Void
    ) {
        loop.post { [self] in
            let start = max(time.now, state.value.restFrom[line] ?? time.now)
            let edges = state.value.simulated.press(line, hold: hold, bounce: bounce, at: start)
            state.value.restFrom[line] = (edges.last?.time ?? start) + timing.rest + Self.margin
            state.value.toCome += edges.count
            for (index, edge) in edges.enumerated() {
                // The edge has the moment meant, as a kernel's timestamp does, however late this thread wakes.
                _ = loop.schedule(at: edge.time) { [self] in
                    receive(edge)
                    state.value.toCome -= 1
                    if index == 0 { accepted(edge.time) }
                }
            }
        }
    }

    /// Receives an edge of a button.
    ///
    /// - Isolation: the event loop.
    package func receive(_ edge: ButtonEdge) {
        handle(.edge(edge))
    }

    /// Receives the level of a button that was read after edges were lost.
    ///
    /// - Isolation: the event loop.
    package func receive(level: ButtonEdge) {
        handle(.levelRead(level))
    }

    /// Sets what reads real buttons. The panel calls it before it decides anything, so that an edge from before a late
    /// wake-up counts, and before it decides on a hold, so that a lost release does not make a hold of a short press.
    ///
    /// - Parameter level: receives the edges that wait and then returns the level, or nil; called on the event loop.
    package func readLevels(_ level: @escaping @Sendable (ButtonLine) -> Bool?) {
        loop.post { [self] in state.value.readLevel = level }
    }

    private func timeCame() {
        if let level = state.value.readLevel {
            _ = level(.focus)
            if let isActive = level(.shutter), let hold = dueHold {
                // Every lost edge came before this hold was over.
                handle(
                    .levelRead(
                        ButtonEdge(
                            line: .shutter, isActive: isActive, time: MonotonicTime(nanoseconds: hold.nanoseconds - 1)))
                )
            }
        }
        handle(.time(time.now))
    }

    /// When the hold that must be decided now was over; nil when there is none.
    private var dueHold: MonotonicTime? {
        state.value.button.holdDeadline.flatMap { $0 <= time.now ? $0 : nil }
    }

    private func handle(_ event: ButtonMachine.Event) {
        let actions = state.value.button.handle(event)
        let deadline = state.value.button.nextDeadline
        if let timer = state.value.buttonTimer { loop.cancel(timer) }
        state.value.buttonTimer = deadline.map { loop.schedule(at: $0) { [self] in timeCame() } }
        actions.forEach(state.value.act)
    }

    private func showLight() {
        if let timer = state.value.lightTimer { loop.cancel(timer) }
        let output = state.value.light.output(at: time.now)
        light.set(output.brightness)
        state.value.lightTimer = output.nextChange.map { loop.schedule(at: $0) { [self] in showLight() } }
    }
}
