import Panel
import Platform
import Testing

@Suite("Buttons whose edges get lost")
struct LostEdgeTests {
    typealias Script = ButtonScript

    static func active(_ milliseconds: Double, line: ButtonLine = .shutter) -> ButtonEdge {
        ButtonEdge(line: line, isActive: true, time: Script.at(milliseconds))
    }

    static func inactive(_ milliseconds: Double, line: ButtonLine = .shutter) -> ButtonEdge {
        ButtonEdge(line: line, isActive: false, time: Script.at(milliseconds))
    }

    static func actions(_ edges: [ButtonEdge]) -> [ButtonMachine.Action] {
        var machine = DrivenMachine()
        machine.play(edges)
        machine.settle()
        return machine.take()
    }

    @Test("a press after a lost release is a press of its own")
    func lostRelease() {
        #expect(
            Self.actions([Self.active(0), Self.active(300), Self.inactive(400)]) == [
                .pin(Script.at(0)), .press(Script.at(0)), .pin(Script.at(300)), .press(Script.at(300)),
            ])
    }

    @Test("only a line that was quiet for the time of a rest proves a lost release")
    func quietForLongEnough() {
        #expect(Self.actions([Self.active(0), Self.active(49.999999), Self.inactive(400)]).presses == [Script.at(0)])
        #expect(
            Self.actions([Self.active(0), Self.active(50), Self.inactive(400)]).presses == [
                Script.at(0), Script.at(50),
            ])
    }

    @Test("a release whose last edge is lost while it bounces costs no press")
    func lostLastEdge() {
        let release = [Self.inactive(100), Self.active(102)]
        #expect(
            Self.actions([Self.active(0)] + release + [Self.active(400), Self.inactive(500)]).presses == [
                Script.at(0), Script.at(400),
            ])
    }

    @Test("a bouncing release whose first edge is lost is no second press")
    func lostFirstEdgeOfRelease() {
        #expect(
            Self.actions([Self.active(0), Self.active(300), Self.inactive(302), Self.active(304), Self.inactive(305)])
                == [.pin(Script.at(0)), .press(Script.at(0)), .pin(Script.at(300)), .unpin(Script.at(300))])
    }

    @Test("a burst whose release is lost ends when the next press begins, with the last edge known as its end")
    func burst() {
        #expect(
            Self.actions([Self.active(0), Self.active(2000), Self.inactive(2100)]) == [
                .pin(Script.at(0)), .press(Script.at(0)), .burstBegan(press: Script.at(0), start: Script.at(600)),
                .burstEnded(press: Script.at(0), end: Script.at(0)), .pin(Script.at(2000)), .press(Script.at(2000)),
            ])
    }

    @Test("a half-press whose release is lost ends when the next one begins")
    func focus() {
        #expect(
            Self.actions([
                Self.active(0, line: .focus), Self.active(300, line: .focus), Self.inactive(400, line: .focus),
            ])
                == [
                    .halfPressBegan(Script.at(0)), .halfPressEnded(Script.at(0)), .halfPressBegan(Script.at(300)),
                    .halfPressEnded(Script.at(400)),
                ])
        #expect(
            Self.actions([
                Self.active(0, line: .focus), Self.active(300, line: .focus), Self.inactive(301, line: .focus),
            ])
                == [.halfPressBegan(Script.at(0)), .halfPressEnded(Script.at(0))], "the second was noise")
    }

    @Test("a tap under a prompt whose release is lost is a photo, and the next press may answer")
    func prompt() {
        var machine = DrivenMachine()
        machine.send(.promptShown(at: Script.at(0)))
        machine.play([Self.active(100), Self.active(1000)])
        #expect(machine.take() == [.pin(Script.at(100)), .press(Script.at(100)), .pin(Script.at(1000))])
        machine.run(until: 3999.999)
        #expect(machine.take() == [])
        machine.run(until: 4000)
        #expect(machine.take() == [.unpin(Script.at(1000)), .consent])
    }

    @Test("a line that is stuck since a lost release recovers with the next press, which is taken")
    func stuck() {
        var machine = DrivenMachine()
        machine.play([Self.active(0)])
        machine.run(until: 100_000)
        #expect(machine.take().last == .stuck(.shutter))
        machine.play([Self.active(200_000)])
        #expect(machine.take() == [.recovered(.shutter), .pin(Script.at(200_000))])
        machine.play([Self.inactive(200_100)])
        machine.settle()
        #expect(machine.take() == [.press(Script.at(200_000))])
        #expect(machine.machine.nextDeadline == nil)
    }

    @Test("a press read after its line was called stuck keeps its own time, and its bounce does too")
    func lateEdge() {
        var machine = DrivenMachine()
        machine.play([Self.active(0)])
        machine.run(until: 60_001)
        #expect(machine.take().last == .stuck(.shutter))
        for edge in [Self.active(59_900), Self.inactive(59_905), Self.active(59_940)] { machine.send(.edge(edge)) }
        machine.play([Self.inactive(60_050)])
        machine.settle()
        #expect(machine.take() == [.recovered(.shutter), .pin(Script.at(59_900)), .press(Script.at(59_900))])
        #expect(machine.machine.nextDeadline == nil)
    }

    @Test("a press on a line that counts as held since the start is taken")
    func heldAtStart() {
        var machine = DrivenMachine(shutterIsActive: true)
        machine.play([Self.active(5000), Self.inactive(5100)])
        machine.settle()
        #expect(machine.take() == [.pin(Script.at(5000)), .press(Script.at(5000))])
    }

    @Test("a level read begins no press on a line that counts as held, and what follows it at once is its bounce")
    func reading() {
        var machine = DrivenMachine()
        machine.play([Self.active(0)])
        machine.run(until: 300)
        machine.send(.levelRead(Self.active(300)))
        machine.play([Self.active(320), Self.inactive(400)])
        machine.settle()
        #expect(machine.take() == [.pin(Script.at(0)), .press(Script.at(0))])
    }

    @Test("a lost first edge leaves only noise, and its release is no press")
    func lostFirstEdge() {
        #expect(Self.actions([Self.inactive(100)]) == [.pin(Script.at(100)), .unpin(Script.at(100))])
        #expect(Self.actions([Self.inactive(100, line: .focus)]) == [])
        var machine = DrivenMachine()
        machine.send(.promptShown(at: Script.at(0)))
        machine.play([Self.inactive(100)])
        machine.settle()
        #expect(machine.take() == [.pin(Script.at(100)), .unpin(Script.at(100))])
    }
}
