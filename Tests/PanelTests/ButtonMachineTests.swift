import Panel
import Platform
import Testing

@Suite("Gestures of the buttons")
struct ButtonMachineTests {
    typealias Script = ButtonScript

    static func actions(
        _ edges: [ButtonEdge], _ timing: ButtonTiming = .standard
    ) -> [ButtonMachine.Action] {
        var machine = DrivenMachine(timing)
        machine.play(edges)
        machine.settle()
        return machine.take()
    }

    @Test("a tap is pinned at its first edge and taken when it is confirmed")
    func tap() {
        var machine = DrivenMachine()
        machine.play(Script.edges(0))
        #expect(machine.take() == [.pin(Script.at(0))])
        #expect(machine.machine.nextDeadline == Script.at(10))
        machine.run(until: 9.999)
        #expect(machine.take() == [])
        machine.run(until: 10)
        #expect(machine.take() == [.press(Script.at(0))])
        machine.play([ButtonEdge(line: .shutter, isActive: false, time: Script.at(80))])
        machine.settle()
        #expect(machine.take() == [])
        #expect(machine.machine.nextDeadline == nil)
    }

    @Test("a press of exactly the confirming length is a press, a shorter one is noise")
    func confirmation() {
        let first = Script.at(0)
        #expect(Self.actions(Script.edges(0, 10)) == [.pin(first), .press(first)])
        #expect(Self.actions(Script.edges(0, 9.999999)) == [.pin(first), .unpin(first)])
    }

    @Test("bounce before a press keeps the moment of the first edge")
    func bounceOnPress() {
        let first = Script.at(0)
        #expect(Self.actions(Script.edges(0, 1, 3, 4, 20, 21, 49.9, 70)) == [.pin(first), .press(first)])
    }

    @Test("what is not down for long enough soon enough is noise")
    func confirmationWindow() {
        let first = Script.at(0)
        #expect(Self.actions(Script.edges(0, 1, 49.999999, 70)) == [.pin(first), .press(first)])
        #expect(Self.actions(Script.edges(0, 5, 50, 70)) == [.pin(first), .unpin(first)])
    }

    @Test("a glitch just before a press does not cost the press")
    func glitchBeforePress() {
        let first = Script.at(0)
        #expect(Self.actions(Script.edges(0, 0.001, 40, 140)) == [.pin(first), .press(first)])
    }

    @Test("bounce on release makes no second press, however long it bounces")
    func bounceOnRelease() {
        let first = Script.at(0)
        #expect(
            Self.actions(Script.edges(0, 100, 149, 170, 200, 230, 279, 280)) == [.pin(first), .press(first)])
    }

    @Test("a short tap does not mask the next one")
    func fastTaps() {
        #expect(
            Self.actions(Script.edges(0, 12, 62, 74, 124, 136)).presses == [
                Script.at(0), Script.at(62), Script.at(124),
            ])
    }

    @Test("holding is a burst from the decision on, and ends at the release")
    func burst() {
        let first = Script.at(0)
        #expect(
            Self.actions(Script.edges(0, 2000, 2010, 2012)) == [
                .pin(first), .press(first), .burstBegan(press: first, start: Script.at(600)),
                .burstEnded(press: first, end: Script.at(2012)),
            ])
        #expect(Self.actions(Script.edges(0, 599.999)) == [.pin(first), .press(first)])
    }

    @Test("a release that is still settling at the burst's limit is no burst")
    func releaseAtBurstLimit() {
        let first = Script.at(0)
        #expect(Self.actions(Script.edges(0, 580)) == [.pin(first), .press(first)])
    }

    @Test("being called late changes nothing")
    func lateCalls() {
        var machine = ButtonMachine(start: Script.start)
        var actions: [ButtonMachine.Action] = []
        for edge in Script.edges(0, 1, 2, 900, 1000, 1002) { actions += machine.handle(.edge(edge)) }
        actions += machine.handle(.time(Script.at(5000)))
        #expect(actions == Self.actions(Script.edges(0, 1, 2, 900, 1000, 1002)))
        #expect(actions.presses == [Script.at(0)])
    }

    @Test("an edge that is read after an unrelated call keeps its own time")
    func lateEdge() {
        var machine = DrivenMachine()
        machine.run(until: 100)
        machine.play(Script.edges(99.9))
        #expect(machine.take() == [.pin(Script.at(99.9))])
    }

    @Test("an edge older than a decision does not undo it, and counts from the decision on")
    func edgeAfterDecision() {
        var machine = DrivenMachine()
        machine.play(Script.edges(0))
        machine.run(until: 10)
        machine.send(.edge(ButtonEdge(line: .shutter, isActive: false, time: Script.at(8))))
        #expect(machine.take() == [.pin(Script.at(0)), .press(Script.at(0))])
        #expect(machine.machine.nextDeadline == Script.at(60))
    }

    @Test("bounce that is read after rest was declared is no second press")
    func bounceAfterRest() {
        var machine = DrivenMachine()
        machine.play(Script.edges(0, 100))
        machine.run(until: 150)
        #expect(machine.take() == [.pin(Script.at(0)), .press(Script.at(0))])
        machine.play([
            ButtonEdge(line: .shutter, isActive: true, time: Script.at(149)),
            ButtonEdge(line: .shutter, isActive: false, time: Script.at(200)),
        ])
        machine.settle()
        #expect(machine.take() == [])
        machine.play(Script.edges(400, 500))
        #expect(machine.presses == [Script.at(400)])
    }

    @Test("with shutting down configured a long hold shuts down and is no burst")
    func shutDown() throws {
        let timing = try ButtonTiming(shutDownHold: .seconds(5))
        let first = Script.at(0)
        #expect(Self.actions(Script.edges(0, 5000), timing) == [.pin(first), .press(first), .shutDown])
        #expect(Self.actions(Script.edges(0, 4999), timing) == [.pin(first), .press(first)])
    }

    @Test("a half-press begins when it is confirmed and ends with its release")
    func halfPress() {
        #expect(
            Self.actions(Script.edges(0, 1, 2, 300, line: .focus)) == [
                .halfPressBegan(Script.at(0)), .halfPressEnded(Script.at(300)),
            ])
        #expect(Self.actions(Script.edges(0, 1, line: .focus)) == [])
    }

    @Test("both lines work at once")
    func bothLines() {
        let edges = (Script.edges(0, 500, line: .focus) + Script.edges(200, 300)).sorted { $0.time < $1.time }
        #expect(
            Self.actions(edges) == [
                .halfPressBegan(Script.at(0)), .pin(Script.at(200)), .press(Script.at(200)),
                .halfPressEnded(Script.at(500)),
            ])
    }

    @Test("a line without rest is a fault, ends its burst, and recovers at rest")
    func stuck() {
        var machine = DrivenMachine()
        machine.play(Script.edges(0))
        machine.run(until: 100_000)
        let first = Script.at(0)
        #expect(
            machine.take() == [
                .pin(first), .press(first), .burstBegan(press: first, start: Script.at(600)),
                .burstEnded(press: first, end: Script.at(60_000)), .stuck(.shutter),
            ])
        #expect(machine.machine.nextDeadline == nil)
        machine.play([ButtonEdge(line: .shutter, isActive: false, time: Script.at(100_000))])
        machine.settle()
        #expect(machine.take() == [.recovered(.shutter)])
        machine.play(Script.edges(200_000, 200_100))
        #expect(machine.take().presses == [Script.at(200_000)])
    }

    @Test("a button held while the camera starts takes no photo until it was let go")
    func heldAtStart() {
        var machine = DrivenMachine(shutterIsActive: true)
        machine.run(until: 5000)
        machine.play([ButtonEdge(line: .shutter, isActive: false, time: Script.at(5000))])
        machine.settle()
        #expect(machine.take() == [])
        machine.play(Script.edges(6000, 6100))
        #expect(machine.presses == [Script.at(6000)])
    }

    @Test("a button pressed right after the start is taken")
    func pressedAtStart() {
        #expect(Self.actions(Script.edges(0.001, 80)).presses == [Script.at(0.001)])
    }

    @Test("after lost edges the level that is read goes on from there")
    func levelRead() {
        var machine = DrivenMachine()
        // The release was lost: the reading ends the press.
        machine.play(Script.edges(0))
        machine.run(until: 300)
        machine.send(.levelRead(ButtonEdge(line: .shutter, isActive: false, time: Script.at(300))))
        machine.settle()
        #expect(machine.take().presses == [Script.at(0)])
        #expect(machine.machine.nextDeadline == nil)
        // The first edge was lost: the reading is the best moment there is.
        machine.send(.levelRead(ButtonEdge(line: .shutter, isActive: true, time: Script.at(1000))))
        machine.run(until: 1100)
        #expect(machine.take() == [.pin(Script.at(1000)), .press(Script.at(1000))])
        // Nothing was lost that matters.
        machine.send(.levelRead(ButtonEdge(line: .shutter, isActive: true, time: Script.at(1100))))
        #expect(machine.take() == [])
    }

    @Test("times that contradict one another are refused")
    func timing() {
        #expect(throws: ButtonTimingError.notPositive) { try ButtonTiming(rest: .zero) }
        #expect(throws: ButtonTimingError.notPositive) { try ButtonTiming(confirmation: .milliseconds(-1)) }
        #expect(throws: ButtonTimingError.holdTooShort) { try ButtonTiming(burstHold: .milliseconds(60)) }
        #expect(throws: ButtonTimingError.holdTooShort) { try ButtonTiming(shutDownHold: .milliseconds(60)) }
        #expect(throws: ButtonTimingError.stuckLimitTooShort) { try ButtonTiming(stuckLimit: .seconds(3)) }
        #expect((try? ButtonTiming()) == .standard)
    }
}
