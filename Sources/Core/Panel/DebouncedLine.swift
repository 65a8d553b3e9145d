import Platform

/// Turns one line's edges into presses without bounce and noise.
///
/// A press starts at the first active edge after `rest` of inactive level. It is confirmed by one active stretch of at
/// least `confirmation` that begins less than `confirmationWindow` after that edge; otherwise it was noise. It ends
/// after `rest` of inactive level. Two edges to the same level mean that the one between them was lost, so they count
/// as a change and back at that instant; an edge older than what is already decided is dropped.
///
/// An active edge on a line that has been active without an edge for at least `rest` proves that a release was lost:
/// what was before is over, and this is a first edge. An inactive edge on a line at rest proves no press.
struct DebouncedLine {
    enum Step: Equatable {
        /// The first edge of a press or of noise.
        case began(MonotonicTime)
        /// The change that began at this moment was noise.
        case wasNoise(MonotonicTime)
        /// The change that began at this moment is a press.
        case confirmed(MonotonicTime)
        /// The press is over; the line went inactive for good at that moment.
        case ended(released: MonotonicTime)
        /// The line has had no rest for `stuckLimit`.
        case stuck
        /// The line is at rest again after being stuck.
        case recovered
    }

    private enum Phase: Equatable {
        case atRest
        case candidate(first: MonotonicTime)
        case pressed
        /// Neither at rest nor a press: after noise, or active since the start.
        case ignored
    }

    private let timing: ButtonTiming
    private var phase: Phase
    private(set) var isActive: Bool
    /// When the level became what it is.
    private(set) var levelSince: MonotonicTime
    private var lastEdge: MonotonicTime
    /// When the line left rest, whatever it is doing since.
    private var restlessSince: MonotonicTime
    private var isStuck = false
    /// Nothing before this moment can change what was decided.
    private var decidedUntil: MonotonicTime

    init(timing: ButtonTiming, isActive: Bool, since start: MonotonicTime) {
        self.timing = timing
        self.isActive = isActive
        phase = isActive ? .ignored : .atRest
        levelSince = start
        lastEdge = start
        restlessSince = start
        decidedUntil = MonotonicTime(nanoseconds: .min)
    }

    /// When `fire` has something to decide if no edge comes before.
    var nextDeadline: MonotonicTime? {
        let ofPhase: MonotonicTime
        switch phase {
        case .atRest: return nil
        case .candidate(let first):
            ofPhase = isActive ? levelSince + timing.confirmation : first + timing.confirmationWindow
        case .pressed, .ignored:
            if isActive { return isStuck ? nil : stuckDeadline }
            ofPhase = levelSince + timing.rest
        }
        return isStuck ? ofPhase : min(ofPhase, stuckDeadline)
    }

    private var stuckDeadline: MonotonicTime { restlessSince + timing.stuckLimit }

    /// Makes the decision that is due at `nextDeadline`.
    mutating func fire() -> Step? {
        guard let deadline = nextDeadline else { return nil }
        decidedUntil = max(decidedUntil, deadline)
        if !isStuck, deadline == stuckDeadline {
            isStuck = true
            return .stuck
        }
        switch phase {
        case .atRest: return nil
        case .candidate(let first) where isActive:
            phase = .pressed
            return .confirmed(first)
        case .candidate(let first):
            phase = .ignored
            return .wasNoise(first)
        case .pressed where isStuck:
            // Two things end here; the next call returns the second.
            phase = .ignored
            return .ended(released: levelSince)
        case .pressed:
            phase = .atRest
            return .ended(released: levelSince)
        case .ignored:
            phase = .atRest
            defer { isStuck = false }
            return isStuck ? .recovered : nil
        }
    }

    /// Takes an edge, or a reading of the level: one that agrees with what is known says nothing but that older edges
    /// are void. The deadlines before it must have been fired.
    mutating func take(isActive level: Bool, at time: MonotonicTime, isReading: Bool) -> [Step] {
        guard time >= lastEdge else { return [] }
        let quiet = time - lastEdge
        lastEdge = time
        if level == isActive {
            if isReading { return [] }
            if level, quiet >= timing.rest { return beginAgain(at: time) }
        }
        if phase == .atRest, time < decidedUntil {
            // It came late: rest was declared without it, but it belongs to what was before.
            phase = .ignored
            restlessSince = time
        }
        let time = max(time, decidedUntil)
        if level != isActive { return change(to: level, at: time) }
        return change(to: !level, at: time) + change(to: level, at: time)
    }

    private mutating func change(to level: Bool, at time: MonotonicTime) -> [Step] {
        isActive = level
        levelSince = time
        guard level else { return [] }
        if case .candidate(let first) = phase, time >= first + timing.confirmationWindow {
            // An active stretch that was too short has ended unseen, and this one begins too late to prove anything.
            phase = .ignored
            return [.wasNoise(first)]
        }
        guard phase == .atRest else { return [] }
        phase = .candidate(first: time)
        restlessSince = time
        return [.began(time)]
    }

    /// Takes the first edge of a press while the line still counts as active: the release before it was lost.
    private mutating func beginAgain(at time: MonotonicTime) -> [Step] {
        var steps: [Step] = []
        switch phase {
        case .candidate(let first): steps.append(.wasNoise(first))
        case .pressed: steps.append(.ended(released: levelSince))
        case .atRest, .ignored: break
        }
        if isStuck { steps.append(.recovered) }
        isStuck = false
        // Of what was decided after this moment nothing is left.
        decidedUntil = min(decidedUntil, time)
        phase = .atRest
        return steps + change(to: true, at: time)
    }
}
