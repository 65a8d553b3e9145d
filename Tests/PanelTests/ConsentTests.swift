import Panel
import Platform
import Testing

@Suite("Answering a prompt with the button")
struct ConsentTests {
    typealias Script = ButtonScript

    /// A machine that shows a prompt at 0 ms.
    static func prompted() -> DrivenMachine {
        var machine = DrivenMachine()
        machine.send(.promptShown(at: Script.at(0)))
        return machine
    }

    @Test("a hold of three seconds is consent and no photo")
    func consent() {
        var machine = Self.prompted()
        machine.play(Script.edges(100))
        machine.run(until: 3099)
        #expect(machine.take() == [.pin(Script.at(100))])
        machine.run(until: 3100)
        #expect(machine.take() == [.unpin(Script.at(100)), .consent])
        machine.play([ButtonEdge(line: .shutter, isActive: false, time: Script.at(9000))])
        machine.settle()
        #expect(machine.take() == [])
    }

    @Test("a press released earlier is a photo of its first edge, taken at the release", arguments: [50.0, 700, 2999])
    func photo(hold: Double) {
        var machine = Self.prompted()
        machine.play(Script.edges(100))
        machine.run(until: 100 + hold - 0.001)
        #expect(machine.take() == [.pin(Script.at(100))])
        machine.play([ButtonEdge(line: .shutter, isActive: false, time: Script.at(100 + hold))])
        machine.settle()
        #expect(machine.take() == [.press(Script.at(100))])
    }

    @Test("noise during a prompt is nothing")
    func noise() {
        var machine = Self.prompted()
        machine.play(Script.edges(100, 105))
        machine.settle()
        #expect(machine.take() == [.pin(Script.at(100)), .unpin(Script.at(100))])
    }

    @Test("a hold that began before the prompt is a burst and never answers")
    func holdBeforePrompt() {
        var machine = DrivenMachine()
        machine.play(Script.edges(0))
        machine.send(.promptShown(at: Script.at(0)))
        machine.run(until: 5000)
        let first = Script.at(0)
        #expect(
            machine.take() == [.pin(first), .press(first), .burstBegan(press: first, start: Script.at(600))])
    }

    @Test("when the prompt goes while the button is held, the photo is taken at once and no burst follows")
    func withdrawnWhileHeld() {
        var machine = Self.prompted()
        machine.play(Script.edges(100))
        machine.run(until: 1000)
        machine.send(.promptHidden)
        #expect(machine.take() == [.pin(Script.at(100)), .press(Script.at(100))])
        machine.run(until: 10_000)
        #expect(machine.take() == [])
    }

    @Test("when the prompt goes before the press is confirmed, it is a photo and no burst")
    func withdrawnBeforeConfirmation() {
        var machine = Self.prompted()
        machine.play(Script.edges(100))
        machine.send(.promptHidden)
        machine.run(until: 10_000)
        #expect(machine.take() == [.pin(Script.at(100)), .press(Script.at(100))])
    }

    @Test("one hold answers one prompt: the next prompt needs its own")
    func nextPrompt() {
        var machine = Self.prompted()
        machine.play(Script.edges(100))
        machine.run(until: 3100)
        machine.send(.promptHidden)
        machine.send(.promptShown(at: Script.at(3100)))
        machine.run(until: 20_000)
        #expect(machine.take() == [.pin(Script.at(100)), .unpin(Script.at(100)), .consent])
    }

    @Test("a prompt that takes the place of another during a hold is not answered by it")
    func replacedPrompt() {
        var machine = Self.prompted()
        machine.play(Script.edges(100))
        machine.run(until: 2000)
        machine.send(.promptShown(at: Script.at(2000)))
        machine.run(until: 20_000)
        #expect(machine.take() == [.pin(Script.at(100)), .press(Script.at(100))])
    }

    @Test("a hold during a prompt does not shut down")
    func noShutDown() throws {
        var machine = DrivenMachine(try ButtonTiming(shutDownHold: .seconds(5)))
        machine.send(.promptShown(at: Script.at(0)))
        machine.play(Script.edges(100))
        machine.run(until: 20_000)
        #expect(machine.take() == [.pin(Script.at(100)), .unpin(Script.at(100)), .consent])
    }

    @Test("after the prompt a hold is a burst again")
    func afterwards() {
        var machine = Self.prompted()
        machine.send(.promptHidden)
        machine.play(Script.edges(100))
        machine.run(until: 800)
        #expect(machine.take().last == .burstBegan(press: Script.at(100), start: Script.at(700)))
    }
}
