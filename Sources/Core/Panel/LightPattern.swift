/// A pattern of the status light. The table `all` contains every pattern, and docs/led.md describes the same ones.
package struct LightPattern: Hashable, Sendable {
    /// A brightness held for a time.
    package struct Step: Hashable, Sendable {
        /// The brightness, from 0 to 1.
        package let brightness: Double
        /// How long it lasts.
        package let duration: Duration
    }

    /// Decides between two patterns that apply at the same time; the light shows the greater.
    package enum Priority: Int, Comparable, Sendable {
        /// The camera starts or is ready.
        case ready
        /// A person should act soon; the shutter still works.
        case warning
        /// Photos are being saved: power must stay on.
        case saving
        /// A client asks for something that a person decides.
        case prompt
        /// The camera cannot take or save photos, or needs attention.
        case fault
        /// The light plays it once over the lasting pattern, and never drops it.
        case once

        /// True when the light shows `b` rather than `a`.
        package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }

    /// The value of `led` in the record of `status`.
    package let name: String
    /// What it looks like, for a person.
    package let looks: String
    /// What it means, for a person.
    package let meaning: String
    /// Its place among patterns that apply at the same time.
    package let priority: Priority
    /// The steps, which the light repeats, or plays once for `Priority.once`. A single step is steady.
    package let steps: [Step]

    /// The duration of all steps together.
    package var length: Duration { steps.reduce(.zero) { $0 + $1.duration } }

    private static func on(_ milliseconds: Int, _ brightness: Double = 1) -> Step {
        Step(brightness: brightness, duration: .milliseconds(milliseconds))
    }

    private static func off(_ milliseconds: Int) -> Step { on(milliseconds, 0) }

    /// This many short flashes between two halves of a pause, which separates the first from what the light showed before.
    private static func short(_ count: Int) -> [Step] {
        let lights = (0..<count).flatMap { _ in [on(150), off(200)] }
        return [off(700)] + lights.dropLast() + [off(700)]
    }
}

extension LightPattern {
    /// The camera is not ready yet.
    package static let starting = LightPattern(
        name: "starting", looks: "slow pulse", meaning: "starting", priority: .ready, steps: [on(1000), off(1000)])
    /// The camera is ready and has nothing to report.
    package static let ready = LightPattern(
        name: "ready", looks: "solid", meaning: "ready", priority: .ready, steps: [on(1000, 0.5)])
    /// A photo was exposed.
    package static let photoTaken = LightPattern(
        name: "photo-taken", looks: "off, then solid", meaning: "photo taken", priority: .once,
        steps: [off(100), on(100, 0.5)])
    /// At least one photo is not durable yet.
    package static let saving = LightPattern(
        name: "saving", looks: "fast flicker", meaning: "saving: do not remove power", priority: .saving,
        steps: [on(50), off(50)])
    /// A photo is durable now.
    package static let saved = LightPattern(
        name: "saved", looks: "one dip", meaning: "saved", priority: .once,
        steps: [on(200, 0.5), off(200), on(200, 0.5)])
    /// The camera refused a press.
    package static let refused = LightPattern(
        name: "refused", looks: "off for a second", meaning: "press refused: no photo was taken", priority: .once,
        steps: [off(1000), on(200, 0.5)])
    /// A client asks for photos or a deletion.
    package static let prompt = LightPattern(
        name: "prompt", looks: "two short, pause", meaning: "a client asks for access: hold the button to allow",
        priority: .prompt, steps: short(2))
    /// A client asks for a console, which gives more than photos. A person must not mistake it for `prompt`.
    package static let consolePrompt = LightPattern(
        name: "console-prompt", looks: "two long, pause",
        meaning: "a computer asks for the camera's console, which has full authority: hold the button to allow",
        priority: .prompt, steps: [off(700), on(700), off(300), on(700), off(700)])
    /// The card has room for few photos.
    package static let cardNearlyFull = LightPattern(
        name: "card-nearly-full", looks: "three short, pause", meaning: "card nearly full", priority: .warning,
        steps: short(3))
    /// The card cannot take another photo.
    package static let cardFull = LightPattern(
        name: "card-full", looks: "four short, pause", meaning: "card full or read-only: presses are refused",
        priority: .fault, steps: short(4))
    /// The sensor delivers no frames.
    package static let cameraUnavailable = LightPattern(
        name: "camera-unavailable", looks: "five short, pause", meaning: "camera not found or stalled",
        priority: .fault, steps: short(5))
    /// The card has no photo number left.
    package static let numbersExhausted = LightPattern(
        name: "numbers-exhausted", looks: "six short, pause", meaning: "photo numbers exhausted: use an empty card",
        priority: .fault, steps: short(6))
    /// The camera refused a new configuration.
    package static let configurationRefused = LightPattern(
        name: "configuration-refused", looks: "seven short, pause", meaning: "configuration refused",
        priority: .fault, steps: short(7))
    /// The board is too hot or has too little voltage.
    package static let boardUnwell = LightPattern(
        name: "board-unwell", looks: "eight short, pause", meaning: "too hot, or voltage too low",
        priority: .fault, steps: short(8))
    /// The line of a button cannot be read.
    package static let buttonUnavailable = LightPattern(
        name: "button-unavailable", looks: "nine short, pause", meaning: "button not found", priority: .fault,
        steps: short(9))
    /// The date is not trusted: a reminder once a minute over `ready`.
    package static let clockUntrusted = LightPattern(
        name: "clock-untrusted", looks: "long, short; once a minute while ready", meaning: "clock not trusted",
        priority: .once, steps: [off(300), on(900), off(300), on(200), off(300)])
    /// The computer has ejected the disk.
    package static let safeToUnplug = LightPattern(
        name: "safe-to-unplug", looks: "solid bright for two seconds", meaning: "safe to unplug", priority: .once,
        steps: [on(2000)])

    /// All patterns, in the order of docs/led.md.
    package static let all: [LightPattern] = [
        starting, ready, photoTaken, saving, saved, refused, prompt, consolePrompt, cardNearlyFull, cardFull,
        cameraUnavailable,
        numbersExhausted, configurationRefused, boardUnwell, buttonUnavailable, clockUntrusted, safeToUnplug,
    ]
}
