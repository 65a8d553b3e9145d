import Photos
import Platform
import Synchronization

/// A burst: the photos of one hold.
final class Burst: Sendable {
    /// The moment of the press that it began with.
    let press: MonotonicTime
    /// Ties its photos together.
    let identifier = AssetIdentifier()
    // Encoders ask while the event loop works.
    private let end = Mutex<MonotonicTime?>(nil)

    /// A burst that goes on.
    init(press: MonotonicTime) {
        self.press = press
    }

    /// The button was let go at this moment.
    func end(at moment: MonotonicTime) {
        end.withLock { $0 = $0 ?? moment }
    }

    /// False for a frame after the button was let go.
    func wants(frameAt moment: MonotonicTime) -> Bool { end.withLock { $0.map { moment <= $0 } ?? true } }
}

/// Takes one frame after the other while the button is held, and makes the photo of the press the burst's first.
struct BurstMachine: Sendable {
    /// How soon a frame is asked for again that was refused for want of room.
    static let retryDelay = Duration.milliseconds(20)

    /// What the machine reacts to.
    enum Event: Sendable {
        /// The press has become a hold.
        case began(Burst, at: MonotonicTime)
        /// The photo of a press is saved.
        case saved(press: MonotonicTime, identifier: String)
        /// The burst's last request has its frame.
        case frameChosen(UInt64, of: Burst, at: MonotonicTime)
        /// The burst's last request, for the frame after this one, was refused.
        case refused(after: UInt64?, canRetry: Bool, of: Burst, at: MonotonicTime)
        /// The button was let go.
        case ended(at: MonotonicTime)
        /// No photo is on its way.
        case idle
        /// The present moment, at `nextDeadline` or later.
        case time(MonotonicTime)
    }

    /// What is to be done, in order.
    enum Action: Sendable {
        /// Take the frame after this one, nearest to the moment.
        case take(moment: MonotonicTime, after: UInt64?, of: Burst)
        /// Make a saved photo part of the burst.
        case join(identifier: String, Burst)
        /// Want no frames after this moment.
        case end(Burst, at: MonotonicTime)
    }

    private var burst: Burst?
    /// True from the moment the button was let go.
    private var isEnding = false
    /// The newest photo of a press that is saved.
    private var pressed: (moment: MonotonicTime, identifier: String)?
    private var retry: (at: MonotonicTime, after: UInt64?)?

    /// True until the last photo of the burst is saved.
    var isUnderWay: Bool { burst != nil }

    /// When the machine must be called with `.time`; nil for no need.
    var nextDeadline: MonotonicTime? { retry?.at }

    /// Takes what happened and says what is to be done.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .began(let burst, let start):
            (self.burst, isEnding, retry) = (burst, false, nil)
            let first: [Action] =
                pressed.flatMap { $0.moment == burst.press ? [.join(identifier: $0.identifier, burst)] : nil } ?? []
            return first + [.take(moment: start, after: nil, of: burst)]
        case .saved(let press, let identifier):
            if pressed.map({ $0.moment < press }) ?? true { pressed = (press, identifier) }
            guard let burst, burst.press == press else { return [] }
            return [.join(identifier: identifier, burst)]
        case .frameChosen(let sequence, let burst, let now):
            return goesOn(burst) ? [.take(moment: now, after: sequence, of: burst)] : []
        case .refused(let sequence, let canRetry, let burst, let now):
            guard goesOn(burst) else { return [] }
            guard canRetry else { return end(at: now) }
            retry = (now + Self.retryDelay, sequence)
            return []
        case .ended(let moment): return end(at: moment)
        case .idle:
            if isEnding { burst = nil }
            return []
        case .time(let now):
            guard let burst, let retry, retry.at <= now else { return [] }
            self.retry = nil
            return [.take(moment: now, after: retry.after, of: burst)]
        }
    }

    private func goesOn(_ burst: Burst) -> Bool { burst === self.burst && !isEnding }

    private mutating func end(at moment: MonotonicTime) -> [Action] {
        guard let burst, !isEnding else { return [] }
        (isEnding, retry) = (true, nil)
        return [.end(burst, at: moment)]
    }
}
