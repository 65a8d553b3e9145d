import Panel
import Platform

/// Moments and edges written in milliseconds.
enum ButtonScript {
    static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    static func at(_ milliseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: start.nanoseconds + Int64(milliseconds * 1_000_000))
    }

    /// Edges of one line at these moments, active first and alternating.
    static func edges(_ milliseconds: Double..., line: ButtonLine = .shutter) -> [ButtonEdge] {
        milliseconds.enumerated().map { ButtonEdge(line: line, isActive: $0.isMultiple(of: 2), time: at($1)) }
    }
}

/// A machine driven as the event loop drives it: `.time` at each deadline, edges at their own time.
struct DrivenMachine {
    var machine: ButtonMachine
    var actions: [ButtonMachine.Action] = []

    init(_ timing: ButtonTiming = .standard, shutterIsActive: Bool = false) {
        machine = ButtonMachine(timing: timing, start: ButtonScript.start, shutterIsActive: shutterIsActive)
    }

    /// Lets time pass until just before a moment.
    mutating func run(before moment: MonotonicTime) {
        while let deadline = machine.nextDeadline, deadline < moment {
            actions += machine.handle(.time(deadline))
        }
    }

    mutating func run(until milliseconds: Double) {
        let moment = ButtonScript.at(milliseconds)
        run(before: moment)
        actions += machine.handle(.time(moment))
    }

    mutating func play(_ edges: [ButtonEdge]) {
        for edge in edges {
            run(before: edge.time)
            actions += machine.handle(.edge(edge))
        }
    }

    /// Delivers edges and readings, each at its own time.
    mutating func play(_ events: [ButtonMachine.Event]) {
        for event in events {
            switch event {
            case .edge(let edge), .levelRead(let edge): run(before: edge.time)
            case .time, .promptShown, .promptHidden: break
            }
            send(event)
        }
    }

    mutating func send(_ event: ButtonMachine.Event) {
        actions += machine.handle(event)
    }

    /// Lets time pass until nothing is pending.
    mutating func settle() {
        while let deadline = machine.nextDeadline {
            actions += machine.handle(.time(deadline))
        }
    }

    /// The actions since the last call.
    mutating func take() -> [ButtonMachine.Action] {
        defer { actions = [] }
        return actions
    }

    var presses: [MonotonicTime] { actions.presses }
}

extension [ButtonMachine.Action] {
    var presses: [MonotonicTime] {
        compactMap { if case .press(let moment) = $0 { moment } else { nil } }
    }

    /// True when every pin is followed by exactly one unpin or press of its moment, and bursts end.
    var isBalanced: Bool {
        var pinned: MonotonicTime?
        var burst: MonotonicTime?
        for action in self {
            switch action {
            case .pin(let moment):
                if pinned != nil { return false }
                pinned = moment
            case .unpin(let moment), .press(let moment):
                if pinned != moment { return false }
                pinned = nil
            case .burstBegan(let press, _):
                if burst != nil { return false }
                burst = press
            case .burstEnded(let press, _):
                if burst != press { return false }
                burst = nil
            case .consent, .halfPressBegan, .halfPressEnded, .shutDown, .stuck, .recovered:
                break
            }
        }
        return pinned == nil && burst == nil
    }
}
