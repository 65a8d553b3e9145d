import Panel
import PinholeTesting
import Platform
import Testing

/// A light driven as the event loop drives it: asked again whenever it said that something changes.
struct DrivenLight {
    var light = StatusLight(start: ButtonScript.start)
    var now = ButtonScript.start
    /// Each brightness that differs from the one before, and for how many milliseconds it was shown.
    var shown: [(brightness: Double, milliseconds: Int)] = []

    init(_ events: StatusLight.Event...) {
        for event in events { send(event) }
    }

    mutating func send(_ event: StatusLight.Event) {
        light.handle(event, at: now)
    }

    mutating func run(milliseconds: Int) {
        let end = now + .milliseconds(milliseconds)
        while now < end {
            let output = light.output(at: now)
            let next = min(output.nextChange ?? end, end)
            guard next > now else {
                Issue.record("the light wants to change at \(next), and it is \(now)")
                return
            }
            let duration = Int((next - now).wholeNanoseconds / 1_000_000)
            if let last = shown.last, last.brightness == output.brightness {
                shown[shown.count - 1].milliseconds += duration
            } else {
                shown.append((output.brightness, duration))
            }
            now = next
        }
    }

    /// What is shown during a time, as `+on` and `-off` milliseconds.
    mutating func text(milliseconds: Int) -> String {
        shown = []
        run(milliseconds: milliseconds)
        return shown.map { ($0.brightness > 0 ? "+" : "-") + String($0.milliseconds) }.joined(separator: " ")
    }
}

@Suite("The light")
struct StatusLightTests {
    @Test("each pattern has a name of its own, and lasts")
    func table() {
        let patterns = LightPattern.all
        #expect(Set(patterns.map(\.name)).count == patterns.count)
        #expect(
            Set(patterns.filter { $0.priority != .once }.map(\.steps)).count
                == patterns.filter { $0.priority != .once }.count)
        #expect(patterns.allSatisfy { $0.length >= .milliseconds(100) && $0.steps.allSatisfy { $0.duration > .zero } })
        #expect(patterns.flatMap(\.steps).allSatisfy { (0...1).contains($0.brightness) })
        #expect(
            StatusLight.Fault.allCases.allSatisfy { patterns.contains($0.pattern) && $0.pattern.priority == .fault })
    }

    @Test(
        "counted patterns light up as often as they say, then pause",
        arguments: [
            (LightPattern.prompt, 2), (.cardNearlyFull, 3), (.cardFull, 4), (.cameraUnavailable, 5),
            (.numbersExhausted, 6), (.configurationRefused, 7), (.boardUnwell, 8),
        ])
    func counts(pattern: LightPattern, count: Int) {
        #expect(pattern.steps.filter { $0.brightness > 0 }.count == count)
        let gaps = pattern.steps.filter { $0.brightness == 0 }.map(\.duration)
        #expect(gaps.count == count + 1 && gaps[0] == gaps[count])
        #expect(gaps.dropFirst().dropLast().allSatisfy { $0 * 3 < gaps[0] })
    }

    @Test("a prompt for the console looks different from one for photos, and one can follow the other")
    func prompts() {
        var light = DrivenLight(.ready, .promptShown)
        #expect(light.text(milliseconds: 1900) == "-700 +150 -200 +150 -700")
        light.send(.consolePromptShown)
        #expect(light.light.patternName == "console-prompt")
        #expect(light.text(milliseconds: 3100) == "-700 +700 -300 +700 -700")
        light.send(.promptHidden)
        #expect(light.light.patternName == "ready")
    }

    @Test("it pulses while starting, and is steady when ready")
    func startingAndReady() {
        var light = DrivenLight()
        #expect(light.text(milliseconds: 4000) == "+1000 -1000 +1000 -1000")
        #expect(light.light.patternName == "starting")
        light.send(.ready)
        #expect(light.text(milliseconds: 10_000) == "+10000")
        #expect(light.light.output(at: light.now).nextChange == nil)
        #expect(light.light.patternName == "ready")
    }

    @Test("a photo: off at the exposure, flicker while saving, one dip when saved, then steady")
    func photo() {
        var light = DrivenLight(.ready)
        light.run(milliseconds: 1000)
        light.send(.photoTaken)
        light.send(.saving(count: 1))
        #expect(light.text(milliseconds: 200) == "-100 +100")
        #expect(light.light.patternName == "saving")
        #expect(light.text(milliseconds: 300) == "+50 -50 +50 -50 +50 -50")
        light.send(.saving(count: 0))
        light.send(.saved)
        #expect(light.text(milliseconds: 1000) == "+200 -200 +600")
        #expect(light.light.patternName == "ready")
    }

    @Test("the order in which saved and the count arrive does not matter")
    func savedBeforeCount() {
        var light = DrivenLight(.ready, .saving(count: 1))
        light.run(milliseconds: 100)
        light.send(.saved)
        light.send(.saving(count: 0))
        #expect(light.text(milliseconds: 1000) == "+200 -200 +600")
    }

    @Test("of what lasts the most pressing is shown, in whatever order it came")
    func priorities() {
        let states: [(began: StatusLight.Event, ended: StatusLight.Event, name: String)] = [
            (.faultBegan(.cameraUnavailable), .faultEnded(.cameraUnavailable), "camera-unavailable"),
            (.faultBegan(.cardFull), .faultEnded(.cardFull), "card-full"),
            (.faultBegan(.numbersExhausted), .faultEnded(.numbersExhausted), "numbers-exhausted"),
            (.faultBegan(.boardUnwell), .faultEnded(.boardUnwell), "board-unwell"),
            (.faultBegan(.configurationRefused), .faultEnded(.configurationRefused), "configuration-refused"),
            (.promptShown, .promptHidden, "prompt"), (.saving(count: 2), .saving(count: 0), "saving"),
            (.starting, .ready, "starting"), (.cardNearlyFull(true), .cardNearlyFull(false), "card-nearly-full"),
        ]
        for order in [states, states.reversed()] {
            var light = DrivenLight(.ready)
            for state in order { light.send(state.began) }
            for state in states {
                #expect(light.light.patternName == state.name)
                light.send(state.ended)
            }
            #expect(light.light.patternName == "ready")
        }
    }

    @Test(
        "a change of pattern never hides saved",
        arguments: [
            StatusLight.Event.faultBegan(.cardFull), .promptShown, .saving(count: 2), .starting, .cardNearlyFull(true),
            .photoTaken, .refused, .safeToUnplug,
        ])
    func savedIsNeverHidden(event: StatusLight.Event) {
        for delay in [0, 100, 200, 399] {
            var before = DrivenLight(.ready)
            before.send(.saved)
            before.run(milliseconds: delay)
            before.send(event)
            #expect(
                before.text(milliseconds: 600 - delay).hasPrefix(
                    delay < 200 ? "+\(200 - delay) -200" : "-\(400 - delay) +"))
            var after = DrivenLight(.ready, event)
            after.run(milliseconds: delay)
            after.send(.saved)
            #expect(after.text(milliseconds: 4000).contains("-200 +"))
        }
    }

    @Test("while more is being saved, the flicker is seen between two dips")
    func flickerBetweenDips() {
        var light = DrivenLight(.ready, .saving(count: 5))
        light.run(milliseconds: 1000)
        light.send(.saved)
        light.send(.saved)
        light.send(.saved)
        #expect(
            light.text(milliseconds: 600 + 500 + 600 + 100)
                == "+200 -200 +200 +50 -50 +50 -50 +50 -50 +50 -50 +50 -50 +200 -200 +200 +50 -50")
    }

    @Test("a refused press is a long dark, also during a fault, whose count begins again")
    func refused() {
        var light = DrivenLight(.ready, .faultBegan(.cardFull))
        light.run(milliseconds: 400)
        light.send(.refused)
        #expect(light.text(milliseconds: 2400) == "-1000 +200 -700 +150 -200 +150")
    }

    @Test("an untrusted clock shows long-short once a minute while ready, and presses do not repeat it")
    func clock() {
        var light = DrivenLight(.ready, .clockTrusted(false))
        #expect(light.text(milliseconds: 60_000) == "-300 +900 -300 +200 -300 +58000")
        #expect(light.text(milliseconds: 2000) == "-300 +900 -300 +200 -300")
        light.send(.photoTaken)
        #expect(light.text(milliseconds: 57_000) == "-100 +56900")
        light.send(.clockTrusted(true))
        #expect(light.text(milliseconds: 120_000) == "+120000")
    }

    @Test("the clock's reminder waits until the camera is ready")
    func clockWhileBusy() {
        var light = DrivenLight(.ready, .promptShown, .clockTrusted(false))
        #expect(!light.text(milliseconds: 65_000).contains("+900"))
        light.send(.promptHidden)
        #expect(light.text(milliseconds: 2000) == "-300 +900 -300 +200 -300")
    }

    @Test("safe to unplug is two seconds at full brightness")
    func safeToUnplug() {
        var light = DrivenLight(.ready)
        light.run(milliseconds: 100)
        light.send(.safeToUnplug)
        light.shown = []
        light.run(milliseconds: 3000)
        #expect(light.shown.map(\.brightness) == [1, 0.5])
        #expect(light.shown.map(\.milliseconds) == [2000, 1000])
    }

    @Test("whatever comes in whatever order, time goes on and the last saved is shown")
    func anyOrder() {
        var random = SeededGenerator(seed: 7)
        let events: [StatusLight.Event] = [
            .starting, .ready, .photoTaken, .saving(count: 0), .saving(count: 2), .saved, .refused, .promptShown,
            .consolePromptShown, .promptHidden, .faultBegan(.cardFull), .faultEnded(.cardFull), .cardNearlyFull(true),
            .cardNearlyFull(false),
            .clockTrusted(false), .clockTrusted(true), .safeToUnplug,
        ]
        for _ in 0..<300 {
            var light = DrivenLight(.ready)
            for _ in 0..<40 {
                light.send(events.randomElement(using: &random) ?? .ready)
                light.run(milliseconds: Int.random(in: 1...400, using: &random))
            }
            light.run(milliseconds: 6000)
            light.send(.saving(count: 0))
            light.send(.saved)
            #expect(light.text(milliseconds: 8000).contains("-200 +"))
        }
    }

    @Test("the simulated light remembers its changes and nothing else")
    func simulatedLight() {
        let light = SimulatedLight(time: ScriptedTime())
        for brightness in [0, 1, 1, 0.5, 0.5, 0] { light.set(brightness) }
        #expect(light.changes.map(\.brightness) == [1, 0.5, 0])
        for round in 0..<2000 { light.set(Double(round % 2 + 1) / 2) }
        #expect(light.changes.count == 1000)
    }
}
