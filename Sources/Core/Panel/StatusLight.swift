import Platform

/// Decides what the light shows. Faults come before prompts, prompts before saving, saving before ready. A pattern that is
/// played once ("saved") is played to its end, whatever else changes.
package struct StatusLight: Sendable {
    /// A fault with its own pattern. Of several faults, the light shows the first in this list.
    package enum Fault: CaseIterable, Hashable, Sendable {
        /// There is no sensor, or it delivers no frames.
        case cameraUnavailable
        /// The card is full or read-only.
        case cardFull
        /// The card has no photo number left.
        case numbersExhausted
        /// The board is too hot, or has too little voltage.
        case boardUnwell
        /// The camera refused a new configuration.
        case configurationRefused
        /// A button's line cannot be read.
        case buttonUnavailable

        /// The pattern that the light repeats while the fault lasts.
        package var pattern: LightPattern {
            switch self {
            case .cameraUnavailable: .cameraUnavailable
            case .cardFull: .cardFull
            case .numbersExhausted: .numbersExhausted
            case .boardUnwell: .boardUnwell
            case .configurationRefused: .configurationRefused
            case .buttonUnavailable: .buttonUnavailable
            }
        }
    }

    /// A change of the camera's state that the light may show.
    package enum Event: Hashable, Sendable {
        /// The camera begins to start, or to restart.
        case starting
        /// The camera takes presses.
        case ready
        /// A photo was exposed.
        case photoTaken
        /// This many photos are not durable yet.
        case saving(count: Int)
        /// A photo is durable now.
        case saved
        /// The camera refused a press.
        case refused
        /// A client's question about photos is shown.
        case promptShown
        /// A client's question about a console is shown.
        case consolePromptShown
        /// No question is shown any more.
        case promptHidden
        /// A fault begins, and lasts until `faultEnded`.
        case faultBegan(Fault)
        /// A fault is over.
        case faultEnded(Fault)
        /// The card became nearly full (true), or has room again.
        case cardNearlyFull(Bool)
        /// The date became trusted (true), or is not any more.
        case clockTrusted(Bool)
        /// The cable may be unplugged.
        case safeToUnplug
    }

    /// What to show now, and until when that is right.
    package struct Output: Hashable, Sendable {
        /// The brightness, from 0 to 1.
        package var brightness: Double
        /// When to call `output` again; nil when the brightness changes only by an event.
        package var nextChange: MonotonicTime?
    }

    private static let clockReminderInterval = Duration.seconds(60)
    /// While more is being saved, "do not remove power" is seen this long before the next "saved".
    private static let flickerBeforeSaved = Duration.milliseconds(500)

    private var isReady = false
    private var savingCount = 0
    private var prompt: LightPattern?
    private var faults: Set<Fault> = []
    private var isCardNearlyFull = false
    private var isClockTrusted = true

    /// The lasting pattern, which is repeated, and when it began.
    private var base = LightPattern.starting
    private var baseSince: MonotonicTime
    /// The pattern that is played once now, and when it began.
    private var playing: (pattern: LightPattern, since: MonotonicTime)?
    /// The patterns to play once after that, each at most once.
    private var waiting: [LightPattern] = []
    private var nextClockReminder: MonotonicTime

    /// Creates a light that shows "starting".
    package init(start: MonotonicTime) {
        baseSince = start
        nextClockReminder = start
    }

    /// The name of the lasting pattern, for `status`. Patterns that are played once do not change it.
    package var patternName: String { base.name }

    /// Takes a change of the camera's state.
    package mutating func handle(_ event: Event, at now: MonotonicTime) {
        advance(to: now)
        switch event {
        case .starting: isReady = false
        case .ready: isReady = true
        case .photoTaken: playOnce(.photoTaken)
        case .saving(let count): savingCount = count
        case .saved: playOnce(.saved)
        case .refused: playOnce(.refused)
        case .promptShown: prompt = .prompt
        case .consolePromptShown: prompt = .consolePrompt
        case .promptHidden: prompt = nil
        case .faultBegan(let fault): faults.insert(fault)
        case .faultEnded(let fault): faults.remove(fault)
        case .cardNearlyFull(let isNearlyFull): isCardNearlyFull = isNearlyFull
        case .clockTrusted(let isTrusted): isClockTrusted = isTrusted
        case .safeToUnplug: playOnce(.safeToUnplug)
        }
        let pattern = lastingPattern
        if pattern != base {
            base = pattern
            baseSince = now
        }
        advance(to: now)
    }

    /// What to show at `now`, which must not go backwards.
    package mutating func output(at now: MonotonicTime) -> Output {
        advance(to: now)
        if let playing {
            return Self.step(of: playing.pattern, since: playing.since, at: now)
        }
        var output = Self.step(of: base, since: baseSince, at: now)
        if isRemindingOfClock { output.nextChange = nextClockReminder }
        if !waiting.isEmpty {
            let end = baseSince + Self.flickerBeforeSaved
            output.nextChange = output.nextChange.map { min($0, end) } ?? end
        }
        return output
    }

    private var isRemindingOfClock: Bool { base == .ready && !isClockTrusted }

    private var lastingPattern: LightPattern {
        if let fault = Fault.allCases.first(where: faults.contains) { return fault.pattern }
        if let prompt { return prompt }
        if savingCount > 0 { return .saving }
        if !isReady { return .starting }
        return isCardNearlyFull ? .cardNearlyFull : .ready
    }

    private mutating func playOnce(_ pattern: LightPattern) {
        if !waiting.contains(pattern) { waiting.append(pattern) }
    }

    /// Ends the pattern that was played once, reminds of the date when it is time, and begins the next waiting pattern.
    private mutating func advance(to now: MonotonicTime) {
        if let (pattern, since) = playing, since + pattern.length <= now {
            playing = nil
            // A person can count the flashes only from the beginning.
            baseSince = max(baseSince, since + pattern.length)
        }
        if isRemindingOfClock, nextClockReminder <= now {
            playOnce(.clockUntrusted)
            nextClockReminder = now + Self.clockReminderInterval
        }
        let mustFlicker = base == .saving && now < baseSince + Self.flickerBeforeSaved
        if playing == nil, let index = waiting.firstIndex(where: { $0 != .saved || !mustFlicker }) {
            // A pattern for which `output` was called late begins late, but is played in full.
            playing = (waiting.remove(at: index), now)
        }
    }

    private static func step(of pattern: LightPattern, since start: MonotonicTime, at now: MonotonicTime) -> Output {
        let length = pattern.length.wholeNanoseconds
        guard let first = pattern.steps.first, length > 0 else { return Output(brightness: 0, nextChange: nil) }
        if pattern.steps.count == 1, pattern.priority != .once {
            return Output(brightness: first.brightness, nextChange: nil)
        }
        let elapsed = max(0, (now - start).wholeNanoseconds)
        let round = elapsed / length * length
        var end: Int64 = 0
        for step in pattern.steps {
            end += step.duration.wholeNanoseconds
            if elapsed - round < end {
                return Output(
                    brightness: step.brightness, nextChange: MonotonicTime(nanoseconds: start.nanoseconds + round + end)
                )
            }
        }
        return Output(brightness: first.brightness, nextChange: nil)
    }
}
