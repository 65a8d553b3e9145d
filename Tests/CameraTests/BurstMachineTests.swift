import Photos
import Platform
import Testing

@testable import Camera

@Suite("The frames of a burst")
struct BurstMachineTests {
    private let start = MonotonicTime(nanoseconds: 0)

    /// What a test compares of an action.
    private enum Step: Equatable {
        case take(MonotonicTime, after: UInt64?)
        case join(String)
        case end(MonotonicTime)
    }

    private func steps(_ actions: [BurstMachine.Action]) -> [Step] {
        actions.map { action in
            switch action {
            case .take(let moment, let sequence, _): .take(moment, after: sequence)
            case .join(let identifier, _): .join(identifier)
            case .end(_, let moment): .end(moment)
            }
        }
    }

    private func moment(_ milliseconds: Int) -> MonotonicTime { start + .milliseconds(milliseconds) }

    @Test("each chosen frame asks for the next, until the button is let go")
    func frames() {
        var machine = BurstMachine()
        let burst = Burst(press: start)
        #expect(steps(machine.handle(.began(burst, at: moment(600)))) == [.take(moment(600), after: nil)])
        #expect(
            steps(machine.handle(.frameChosen(7, of: burst, at: moment(633)))) == [.take(moment(633), after: 7)])
        #expect(steps(machine.handle(.ended(at: moment(640)))) == [.end(moment(640))])
        #expect(machine.handle(.frameChosen(8, of: burst, at: moment(666))).isEmpty)
        #expect(machine.handle(.ended(at: moment(700))).isEmpty)
        #expect(machine.isUnderWay)
        _ = machine.handle(.idle)
        #expect(!machine.isUnderWay)
    }

    @Test("the photo of the press joins its burst, saved before it or after")
    func press() {
        var machine = BurstMachine()
        _ = machine.handle(.saved(press: start, identifier: "a"))
        #expect(
            steps(machine.handle(.began(Burst(press: start), at: moment(600))))
                == [.join("a"), .take(moment(600), after: nil)])
        _ = machine.handle(.ended(at: moment(700)))
        _ = machine.handle(.idle)
        #expect(steps(machine.handle(.began(Burst(press: moment(800)), at: moment(1400)))).count == 1)
        #expect(steps(machine.handle(.saved(press: moment(800), identifier: "b"))) == [.join("b")])
        #expect(machine.handle(.saved(press: start, identifier: "c")).isEmpty)
    }

    @Test("a frame that finds no room is asked for again while the button is held; any other refusal ends the burst")
    func refused() {
        var machine = BurstMachine()
        let burst = Burst(press: start)
        _ = machine.handle(.began(burst, at: start))
        #expect(machine.handle(.refused(after: 3, canRetry: true, of: burst, at: start)).isEmpty)
        #expect(machine.nextDeadline == start + BurstMachine.retryDelay)
        #expect(machine.handle(.time(start)).isEmpty)
        #expect(steps(machine.handle(.time(moment(20)))) == [.take(moment(20), after: 3)])
        #expect(machine.nextDeadline == nil)
        #expect(
            steps(machine.handle(.refused(after: 3, canRetry: false, of: burst, at: moment(30)))) == [.end(moment(30))])
    }

    @Test("a burst that begins while the last one is still being saved keeps both apart")
    func overlap() {
        var machine = BurstMachine()
        let first = Burst(press: start)
        _ = machine.handle(.began(first, at: start))
        for case .end(let burst, let moment) in machine.handle(.ended(at: moment(10))) { burst.end(at: moment) }
        let second = Burst(press: moment(20))
        _ = machine.handle(.began(second, at: moment(30)))
        _ = machine.handle(.idle)
        #expect(machine.isUnderWay, "the second is held")
        #expect(machine.handle(.frameChosen(1, of: first, at: moment(40))).isEmpty)
        #expect(!first.wants(frameAt: moment(11)) && first.wants(frameAt: moment(10)))
        #expect(second.wants(frameAt: moment(1000)))
    }
}
