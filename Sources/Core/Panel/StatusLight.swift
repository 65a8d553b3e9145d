import Platform

/// Decides what the light shows. Faults come before prompts, prompts before saving, saving before ready; what is shown
/// once ("saved") is played to its end whatever else changes.
package struct StatusLight: Sendable {
    /// A fault with a pattern of its own; of several, the first of this list is shown.
    package enum Fault: CaseIterable, Hashable, Sendable {
        /// No sensor, or it delivers nothing.
        case cameraUnavailable
        /// The card is full or read-only.
        case cardFull
        /// No photo number is left.
        case numbersExhausted
        /// Too hot, or too little voltage.
        case boardUnwell
        /// The configuration was refused.
        case configurationRefused
        /// A button's line cannot be read.
        case buttonUnavailable

        /// How it is shown.
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

    /// What the light is told.
    package enum Event: Hashable, Sendable {
        /// The camera starts, or starts again.
        case starting
        /// The shutter works.
        case ready
        /// A photo was exposed.
        case photoTaken
        /// So many photos are not yet durable.
        case saving(count: Int)
        /// A photo is durable.
        case saved
        /// A press could not be taken.
        case refused
        /// A client asks for access.
        case promptShown
        /// A client asks for a console.
        case consolePromptShown
        /// No client asks any longer.
        case promptHidden
        /// A fault holds from now on.
        case faultBegan(Fault)
        /// It is over.
        case faultEnded(Fault)
        /// Whether the card is nearly full.
        case cardNearlyFull(Bool)
        /// Whether the clock can be believed.
        case clockTrusted(Bool)
        /// The cable may be pulled.
        case safeToUnplug
    }

    /// What to show now, and until when that is right.
    package struct Output: Hashable, Sendable {
        /// From 0 to 1.
        package var brightness: Double
        /// When to ask again; nil when nothing changes without an event.
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

    /// The pattern that is played again and again, and when it began.
    private var base = LightPattern.starting
    private var baseSince: MonotonicTime
    /// What is played once now, and when it began.
    private var playing: (pattern: LightPattern, since: MonotonicTime)?
    /// What is played once after that, each pattern at most once.
    private var waiting: [LightPattern] = []
    private var nextClockReminder: MonotonicTime

    /// A light that shows "starting".
    package init(start: MonotonicTime) {
        baseSince = start
        nextClockReminder = start
    }

    /// The name of the lasting pattern: what `status` tells, undisturbed by what is played once.
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

    /// Ends what has been played, reminds of the clock when it is time, and begins what waits.
    private mutating func advance(to now: MonotonicTime) {
        if let (pattern, since) = playing, since + pattern.length <= now {
            playing = nil
            // A count of lights is only understood from its beginning.
            baseSince = max(baseSince, since + pattern.length)
        }
        if isRemindingOfClock, nextClockReminder <= now {
            playOnce(.clockUntrusted)
            nextClockReminder = now + Self.clockReminderInterval
        }
        let mustFlicker = base == .saving && now < baseSince + Self.flickerBeforeSaved
        if playing == nil, let index = waiting.firstIndex(where: { $0 != .saved || !mustFlicker }) {
            // What nobody looked at in time begins late, but is seen in full.
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
