import Platform

/// Turns button edges into gestures: a press, a burst, consent, a half-press, shutting down.
///
/// Read every pending edge before calling it with `.time`: it decides by the times of the edges, and an edge older than
/// a decision can no longer change it. Calling it late is harmless.
package struct ButtonMachine: Sendable {
    /// What happened to the buttons or the prompt.
    package enum Event: Hashable, Sendable {
        /// A line changed its level.
        case edge(ButtonEdge)
        /// The level found on a line after edges were lost.
        case levelRead(ButtonEdge)
        /// The present moment, at `nextDeadline` or later.
        case time(MonotonicTime)
        /// A prompt that a hold can answer is shown from this moment on.
        case promptShown(at: MonotonicTime)
        /// No prompt is shown any longer.
        case promptHidden
    }

    /// What the camera must do. Exactly one `unpin` or `press` of the same moment follows every `pin`.
    package enum Action: Hashable, Sendable {
        /// Hold the frame of this moment: it may be a press.
        case pin(MonotonicTime)
        /// Let that frame go.
        case unpin(MonotonicTime)
        /// Take a photo of that moment.
        case press(MonotonicTime)
        /// The press goes on as a burst: take every frame from `start` on.
        case burstBegan(press: MonotonicTime, start: MonotonicTime)
        /// The burst is over; the button was let go at `end`. When the release was lost that is the last edge known,
        /// which may be older than the burst.
        case burstEnded(press: MonotonicTime, end: MonotonicTime)
        /// The person allows what the prompt asks.
        case consent
        /// Lock focus and exposure.
        case halfPressBegan(MonotonicTime)
        /// Unlock focus and exposure.
        case halfPressEnded(MonotonicTime)
        /// Shut the camera down.
        case shutDown
        /// The line has had no rest for `stuckLimit`.
        case stuck(ButtonLine)
        /// The line is at rest again.
        case recovered(ButtonLine)
    }

    private enum Stage: Equatable {
        case none
        /// Pinned, not yet confirmed.
        case pinned(MonotonicTime, underPrompt: Bool)
        /// Confirmed while a prompt is shown: a photo when released, consent when held.
        case answering(MonotonicTime)
        /// The photo was asked for; a hold may follow.
        case pressed(MonotonicTime)
        case burst(MonotonicTime)
        /// Nothing more can come of this press.
        case spent
    }

    private let timing: ButtonTiming
    private var shutter: DebouncedLine
    private var focus: DebouncedLine
    private var stage = Stage.none
    private var promptShownAt: MonotonicTime?

    /// Creates a machine for lines whose levels were read at `start`. A line that is active then counts after its next rest.
    package init(
        timing: ButtonTiming = .standard, start: MonotonicTime, shutterIsActive: Bool = false,
        focusIsActive: Bool = false
    ) {
        self.timing = timing
        shutter = DebouncedLine(timing: timing, isActive: shutterIsActive, since: start)
        focus = DebouncedLine(timing: timing, isActive: focusIsActive, since: start)
    }

    /// When the machine must be called with `.time` if no edge comes before; nil while nothing is pending.
    package var nextDeadline: MonotonicTime? {
        [shutter.nextDeadline, focus.nextDeadline, holdDeadline].compactMap(\.self).min()
    }

    /// Takes what happened and returns what to do, in order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .edge(let edge):
            take(edge, isReading: false, &actions)
        case .levelRead(let level):
            take(level, isReading: true, &actions)
        case .time(let now):
            advanceFocus(to: now, &actions)
            advanceShutter(to: now, &actions)
        case .promptShown(let moment):
            hidePrompt(&actions)
            promptShownAt = moment
        case .promptHidden:
            hidePrompt(&actions)
        }
        return actions
    }

    private mutating func take(_ edge: ButtonEdge, isReading: Bool, _ actions: inout [Action]) {
        // Each line keeps its own time: an edge of one says nothing about edges of the other that are still unread.
        switch edge.line {
        case .shutter:
            advanceShutter(to: edge.time, &actions)
            for step in shutter.take(isActive: edge.isActive, at: edge.time, isReading: isReading) {
                shutterDid(step, at: edge.time, &actions)
            }
            advanceShutter(to: edge.time, &actions)
        case .focus:
            advanceFocus(to: edge.time, &actions)
            for step in focus.take(isActive: edge.isActive, at: edge.time, isReading: isReading) {
                focusDid(step, &actions)
            }
            advanceFocus(to: edge.time, &actions)
        }
    }

    private mutating func advanceFocus(to now: MonotonicTime, _ actions: inout [Action]) {
        while let deadline = focus.nextDeadline, deadline <= now {
            if let step = focus.fire() { focusDid(step, &actions) }
        }
    }

    private mutating func advanceShutter(to now: MonotonicTime, _ actions: inout [Action]) {
        while true {
            let ofLine = shutter.nextDeadline
            if let hold = holdDeadline, hold <= now, ofLine.map({ hold <= $0 }) ?? true {
                heldLongEnough(at: hold, &actions)
            } else if let ofLine, ofLine <= now {
                if let step = shutter.fire() { shutterDid(step, at: ofLine, &actions) }
            } else {
                return
            }
        }
    }

    /// When a hold of the shutter is decided unless it is let go before; nil while none may come. It is decided only while
    /// the line is active: what looks like its end may be bounce.
    package var holdDeadline: MonotonicTime? {
        guard shutter.isActive else { return nil }
        switch stage {
        case .answering(let press): return max(press + timing.consentHold, shutter.levelSince)
        case .pressed(let press): return max(press + (timing.shutDownHold ?? timing.burstHold), shutter.levelSince)
        case .none, .pinned, .burst, .spent: return nil
        }
    }

    private mutating func heldLongEnough(at moment: MonotonicTime, _ actions: inout [Action]) {
        switch stage {
        case .answering(let press):
            stage = .spent
            actions += [.unpin(press), .consent]
        case .pressed where timing.shutDownHold != nil:
            stage = .spent
            actions.append(.shutDown)
        case .pressed(let press):
            stage = .burst(press)
            actions.append(.burstBegan(press: press, start: moment))
        case .none, .pinned, .burst, .spent:
            break
        }
    }

    private mutating func shutterDid(_ step: DebouncedLine.Step, at time: MonotonicTime, _ actions: inout [Action]) {
        switch step {
        case .began(let moment):
            stage = .pinned(moment, underPrompt: isUnderPrompt(moment))
            actions.append(.pin(moment))
        case .wasNoise(let moment):
            stage = .none
            actions.append(.unpin(moment))
        case .confirmed(let moment):
            guard case .pinned(_, let underPrompt) = stage else { return }
            if underPrompt, isUnderPrompt(moment) {
                stage = .answering(moment)
            } else {
                // A hold that was meant for a prompt is never a burst, even when the prompt is gone.
                stage = underPrompt ? .spent : .pressed(moment)
                actions.append(.press(moment))
            }
        case .ended(let released):
            switch stage {
            case .answering(let press): actions.append(.press(press))
            case .burst(let press): actions.append(.burstEnded(press: press, end: released))
            case .none, .pinned, .pressed, .spent: break
            }
            stage = .none
        case .stuck:
            // A jammed button must not fill the card.
            if case .burst(let press) = stage {
                stage = .spent
                actions.append(.burstEnded(press: press, end: time))
            }
            actions.append(.stuck(.shutter))
        case .recovered:
            actions.append(.recovered(.shutter))
        }
    }

    private func focusDid(_ step: DebouncedLine.Step, _ actions: inout [Action]) {
        switch step {
        case .began, .wasNoise: break
        case .confirmed(let moment): actions.append(.halfPressBegan(moment))
        case .ended(let released): actions.append(.halfPressEnded(released))
        case .stuck: actions.append(.stuck(.focus))
        case .recovered: actions.append(.recovered(.focus))
        }
    }

    /// Only a press whose first edge came after the prompt was shown can answer it.
    private func isUnderPrompt(_ moment: MonotonicTime) -> Bool {
        promptShownAt.map { moment > $0 } ?? false
    }

    private mutating func hidePrompt(_ actions: inout [Action]) {
        promptShownAt = nil
        guard case .answering(let press) = stage else { return }
        stage = .spent
        actions.append(.press(press))
    }
}
