/// The times by which edges become gestures.
package struct ButtonTiming: Hashable, Sendable {
    /// Inactive level that must come before a press, and that ends one.
    package let rest: Duration
    /// Shortest active stretch that proves a press.
    package let confirmation: Duration
    /// How long after the first edge the proving stretch may begin; what proves nothing by then was noise.
    package let confirmationWindow: Duration
    /// A hold this long, counted from the first edge, is a burst.
    package let burstHold: Duration
    /// A hold this long answers a prompt.
    package let consentHold: Duration
    /// A hold this long shuts the camera down, and no hold is a burst then; nil when that is not configured.
    package let shutDownHold: Duration?
    /// A line without rest for this long is at fault.
    package let stuckLimit: Duration

    /// The times of a camera without a configuration.
    package static let standard = ButtonTiming(
        unchecked: (.milliseconds(50), .milliseconds(10), .milliseconds(50)), burstHold: .milliseconds(600),
        consentHold: .seconds(3), shutDownHold: nil, stuckLimit: .seconds(60))

    /// Creates times that agree with one another.
    ///
    /// - Throws: `ButtonTimingError` when one is not positive, or a hold would be over before a press is proved.
    package init(
        rest: Duration = standard.rest, confirmation: Duration = standard.confirmation,
        confirmationWindow: Duration = standard.confirmationWindow, burstHold: Duration = standard.burstHold,
        consentHold: Duration = standard.consentHold, shutDownHold: Duration? = nil,
        stuckLimit: Duration = standard.stuckLimit
    ) throws(ButtonTimingError) {
        self.init(
            unchecked: (rest, confirmation, confirmationWindow), burstHold: burstHold, consentHold: consentHold,
            shutDownHold: shutDownHold, stuckLimit: stuckLimit)
        guard rest > .zero, confirmation > .zero, confirmationWindow > .zero else { throw .notPositive }
        let shortestHold = min(burstHold, consentHold, shutDownHold ?? burstHold)
        guard shortestHold > confirmationWindow + confirmation else { throw .holdTooShort }
        guard stuckLimit > max(burstHold, consentHold, shutDownHold ?? burstHold) else { throw .stuckLimitTooShort }
    }

    private init(
        unchecked debounce: (rest: Duration, confirmation: Duration, window: Duration), burstHold: Duration,
        consentHold: Duration, shutDownHold: Duration?, stuckLimit: Duration
    ) {
        rest = debounce.rest
        confirmation = debounce.confirmation
        confirmationWindow = debounce.window
        self.burstHold = burstHold
        self.consentHold = consentHold
        self.shutDownHold = shutDownHold
        self.stuckLimit = stuckLimit
    }
}

/// Why times do not agree with one another.
package enum ButtonTimingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A debounce time is zero or negative.
    case notPositive
    /// A hold is shorter than what it takes to prove a press.
    case holdTooShort
    /// The limit for a stuck line is shorter than a hold.
    case stuckLimitTooShort

    /// A sentence that says what is wrong.
    package var description: String {
        switch self {
        case .notPositive: "the button's debounce times must be longer than zero"
        case .holdTooShort: "a hold of the button must be longer than its debounce times together"
        case .stuckLimitTooShort: "the button's stuck limit must be longer than each of its holds"
        }
    }
}
