/// One word of the light's language. The table `all` is what the light does and what docs/led.md says.
package struct LightPattern: Hashable, Sendable {
    /// A brightness held for a time.
    package struct Step: Hashable, Sendable {
        /// From 0 to 1.
        package let brightness: Double
        /// How long.
        package let duration: Duration
    }

    /// Which of two patterns that hold at the same time is shown; the greater wins.
    package enum Priority: Int, Comparable, Sendable {
        /// The camera's own state.
        case ready
        /// Something to see to soon; the shutter still works.
        case warning
        /// Do not remove power.
        case saving
        /// A client asks.
        case prompt
        /// The camera cannot do its work.
        case fault
        /// Played once over whatever is shown, and never dropped.
        case once

        /// Orders by rank.
        package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }

    /// The name `status` tells.
    package let name: String
    /// What it looks like, for a person.
    package let looks: String
    /// What it means, for a person.
    package let meaning: String
    /// Its rank.
    package let priority: Priority
    /// What it does: played again and again, or once for `Priority.once`. A single step is steady.
    package let steps: [Step]

    /// How long the steps take together.
    package var length: Duration { steps.reduce(.zero) { $0 + $1.duration } }

    private static func on(_ milliseconds: Int, _ brightness: Double = 1) -> Step {
        Step(brightness: brightness, duration: .milliseconds(milliseconds))
    }

    private static func off(_ milliseconds: Int) -> Step { on(milliseconds, 0) }

    /// That many short lights between two halves of a pause, so that the first is seen apart from what came before.
    private static func short(_ count: Int) -> [Step] {
        let lights = (0..<count).flatMap { _ in [on(150), off(200)] }
        return [off(700)] + lights.dropLast() + [off(700)]
    }
}

extension LightPattern {
    /// The camera starts.
    package static let starting = LightPattern(
        name: "starting", looks: "slow pulse", meaning: "starting", priority: .ready, steps: [on(1000), off(1000)])
    /// Nothing to say.
    package static let ready = LightPattern(
        name: "ready", looks: "solid", meaning: "ready", priority: .ready, steps: [on(1000, 0.5)])
    /// At the exposure.
    package static let photoTaken = LightPattern(
        name: "photo-taken", looks: "off, then solid", meaning: "photo taken", priority: .once,
        steps: [off(100), on(100, 0.5)])
    /// While a photo is not durable.
    package static let saving = LightPattern(
        name: "saving", looks: "fast flicker", meaning: "saving: do not remove power", priority: .saving,
        steps: [on(50), off(50)])
    /// A photo is durable.
    package static let saved = LightPattern(
        name: "saved", looks: "one dip", meaning: "saved", priority: .once,
        steps: [on(200, 0.5), off(200), on(200, 0.5)])
    /// A press could not be taken.
    package static let refused = LightPattern(
        name: "refused", looks: "off for a second", meaning: "press refused: no photo was taken", priority: .once,
        steps: [off(1000), on(200, 0.5)])
    /// A prompt is shown.
    package static let prompt = LightPattern(
        name: "prompt", looks: "two short, pause", meaning: "a client asks for access: hold the button to allow",
        priority: .prompt, steps: short(2))
    /// A prompt is shown that gives more than photos. It is not to be taken for the other.
    package static let consolePrompt = LightPattern(
        name: "console-prompt", looks: "two long, pause",
        meaning: "a computer asks for the camera's console, which may do everything: hold the button to allow",
        priority: .prompt, steps: [off(700), on(700), off(300), on(700), off(700)])
    /// Space for few photos is left.
    package static let cardNearlyFull = LightPattern(
        name: "card-nearly-full", looks: "three short, pause", meaning: "card nearly full", priority: .warning,
        steps: short(3))
    /// No photo can be written.
    package static let cardFull = LightPattern(
        name: "card-full", looks: "four short, pause", meaning: "card full or read-only: the shutter is refused",
        priority: .fault, steps: short(4))
    /// No frames.
    package static let cameraUnavailable = LightPattern(
        name: "camera-unavailable", looks: "five short, pause", meaning: "camera not found or stalled",
        priority: .fault, steps: short(5))
    /// No number is left.
    package static let numbersExhausted = LightPattern(
        name: "numbers-exhausted", looks: "six short, pause", meaning: "photo numbers exhausted: use an empty card",
        priority: .fault, steps: short(6))
    /// The configuration was not taken.
    package static let configurationRefused = LightPattern(
        name: "configuration-refused", looks: "seven short, pause", meaning: "configuration refused",
        priority: .fault, steps: short(7))
    /// The board is not well.
    package static let boardUnwell = LightPattern(
        name: "board-unwell", looks: "eight short, pause", meaning: "too hot, or too little voltage",
        priority: .fault, steps: short(8))
    /// A button's line cannot be read.
    package static let buttonUnavailable = LightPattern(
        name: "button-unavailable", looks: "nine short, pause", meaning: "button not found", priority: .fault,
        steps: short(9))
    /// Once a minute over ready.
    package static let clockUntrusted = LightPattern(
        name: "clock-untrusted", looks: "long, short; once a minute while ready", meaning: "clock not trusted",
        priority: .once, steps: [off(300), on(900), off(300), on(200), off(300)])
    /// After ejecting.
    package static let safeToUnplug = LightPattern(
        name: "safe-to-unplug", looks: "solid bright for two seconds", meaning: "safe to unplug", priority: .once,
        steps: [on(2000)])

    /// The whole language, in the order of docs/led.md.
    package static let all: [LightPattern] = [
        starting, ready, photoTaken, saving, saved, refused, prompt, consolePrompt, cardNearlyFull, cardFull,
        cameraUnavailable,
        numbersExhausted, configurationRefused, boardUnwell, buttonUnavailable, clockUntrusted, safeToUnplug,
    ]
}
