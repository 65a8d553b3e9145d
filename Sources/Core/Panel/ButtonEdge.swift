import Platform

/// The lines a camera's buttons are wired to.
package enum ButtonLine: String, CaseIterable, Hashable, Sendable {
    /// The shutter, pressed fully.
    case shutter
    /// The half-press, where it is wired.
    case focus
}

/// A change of a button line's level, as the driver saw it.
package struct ButtonEdge: Hashable, Sendable {
    /// The line that changed.
    package var line: ButtonLine
    /// The level after the change; true means pressed, whatever the wiring's polarity.
    package var isActive: Bool
    /// When it changed, stamped by the kernel where there is one.
    package var time: MonotonicTime

    /// An edge from its parts.
    package init(line: ButtonLine, isActive: Bool, time: MonotonicTime) {
        self.line = line
        self.isActive = isActive
        self.time = time
    }
}
