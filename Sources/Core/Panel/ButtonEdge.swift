import Platform

/// A GPIO line to which a button of the camera is wired.
package enum ButtonLine: String, CaseIterable, Hashable, Sendable {
    /// The shutter button, pressed fully.
    case shutter
    /// The half-press contact, on boards that wire it.
    case focus
}

/// A change of a button line's level, as the driver reports it.
package struct ButtonEdge: Hashable, Sendable {
    /// The line that changed.
    package var line: ButtonLine
    /// The level after the change; true means pressed, whatever the wiring's polarity.
    package var isActive: Bool
    /// When it changed; the kernel's timestamp if the line has one.
    package var time: MonotonicTime

    /// Creates an edge; `isActive` is true when the button is pressed.
    package init(line: ButtonLine, isActive: Bool, time: MonotonicTime) {
        self.line = line
        self.isActive = isActive
        self.time = time
    }
}

/// The simulated board's buttons: makes the edges of a press as a real contact makes them.
package struct SimulatedButton: Sendable {
    private var random: SeededGenerator

    /// Buttons whose bounce a seed makes repeatable.
    package init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// The edges of one press, in order.
    ///
    /// - Parameters:
    ///   - line: the button pressed.
    ///   - hold: from the first edge to the beginning of the release.
    ///   - bounce: how long the contact bounces after closing and after opening; after closing never longer than `hold`.
    ///   - start: the moment of the first edge.
    package mutating func press(
        _ line: ButtonLine, hold: Duration, bounce: Duration, at start: MonotonicTime
    ) -> [ButtonEdge] {
        let closing = settle(to: true, at: start, within: min(bounce, hold))
        let opening = settle(to: false, at: start + hold, within: bounce)
        return (closing + opening).map { ButtonEdge(line: line, isActive: $0.level, time: $0.time) }
    }

    /// A change of level that flickers up to 20 times before it stays.
    private mutating func settle(
        to level: Bool, at start: MonotonicTime, within bounce: Duration
    ) -> [(level: Bool, time: MonotonicTime)] {
        var edges = [(level: level, time: start)]
        let nanoseconds = bounce.wholeNanoseconds
        guard nanoseconds > 0 else { return edges }
        let moments = (0..<2 * Int.random(in: 1...10, using: &random))
            .map { _ in start + .nanoseconds(Int64.random(in: 1...nanoseconds, using: &random)) }
            .sorted()
        for (index, moment) in moments.enumerated() {
            edges.append((level: index.isMultiple(of: 2) ? !level : level, time: moment))
        }
        return edges
    }
}
