import Console
import Platform

/// Decides when the stream starts again after it failed, and when one that delivers nothing counts as failed.
///
/// Attempts come later and later, up to every 30 seconds, and at once when a sensor came or went.
struct StreamRecovery: Sendable {
    static let firstDelay = Duration.milliseconds(500)
    static let longestDelay = Duration.seconds(30)
    /// How long no frame may come. Slow streams have ten times their frame interval.
    static let frameLimit = Duration.seconds(3)

    /// What the machine reacts to.
    enum Event: Hashable, Sendable {
        /// The stream has started.
        case started(at: MonotonicTime)
        /// The stream ended, to be started again or not.
        case stopped
        /// The stream failed, or could not be started.
        case failed(CommandFailure, at: MonotonicTime)
        /// A sensor came or went.
        case sensorsChanged
        /// The stream was looked at: when its newest frame came, or nil for none.
        case watched(newest: MonotonicTime?, frameInterval: Duration, at: MonotonicTime)
        /// The present moment, at `nextAttempt` or later.
        case time(MonotonicTime)
        /// The camera stops: nothing is started any more.
        case closed
    }

    /// What is to be done, in order.
    enum Action: Hashable, Sendable {
        /// Open the sensor and start its stream.
        case start
        /// Report a fault: the stream failed that ran before.
        case report(CommandFailure)
        /// Report that this fault is over.
        case recovered(CommandFailure)
        /// End the stream as stalled.
        case stall
    }

    /// Why there are no frames; nil while the stream runs.
    private(set) var failure: CommandFailure?
    /// When the machine must be called with `.time`; nil while no attempt is planned.
    private(set) var nextAttempt: MonotonicTime?
    private var delay = Self.firstDelay
    /// When the stream was started; nil while it is stopped or starts, as frames are not missed yet.
    private var runningSince: MonotonicTime?
    private var isClosed = false

    /// Takes what happened and says what is to be done.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .started(let moment):
            runningSince = moment
            nextAttempt = nil
            return failure.take().map { [.recovered($0)] } ?? []
        case .stopped:
            runningSince = nil
            return []
        case .failed(let failure, let moment):
            let isNew = self.failure == nil
            delay = isNew ? Self.firstDelay : min(delay * 2, Self.longestDelay)
            self.failure = failure
            guard !isClosed else { return [] }
            nextAttempt = moment + delay
            return isNew ? [.report(failure)] : []
        case .sensorsChanged:
            // Also when an attempt is under way that may have looked too early.
            if failure != nil { delay = Self.firstDelay / 2 }
            return attempt()
        case .watched(let newest, let frameInterval, let now):
            guard let runningSince else { return [] }
            let silence = now - max(runningSince, newest ?? runningSince)
            return silence > max(Self.frameLimit, frameInterval * 10) ? [.stall] : []
        case .time(let now):
            return nextAttempt.map { $0 <= now } == true ? attempt() : []
        case .closed:
            isClosed = true
            nextAttempt = nil
            return []
        }
    }

    private mutating func attempt() -> [Action] {
        nextAttempt.take() == nil ? [] : [.start]
    }
}
