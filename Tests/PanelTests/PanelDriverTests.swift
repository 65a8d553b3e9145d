import Panel
import PinholeTesting
import Platform
import Synchronization
import Testing

@Suite("A hold of a real button", .timeLimit(.minutes(5)))
struct PanelDriverTests {
    /// Holds the shutter on a line whose level is then read.
    private func actions(levelAtTheEnd level: Bool) async throws -> [ButtonMachine.Action] {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let time = SystemTime(continuing: nil)
        let (stream, continuation) = AsyncStream.makeStream(of: ButtonMachine.Action.self)
        let timing = try ButtonTiming(burstHold: .milliseconds(200))
        let isPressed = Mutex(false)
        let driver = PanelDriver(loop: loop, time: time, timing: timing, light: SimulatedLight(time: time)) {
            continuation.yield($0)
            switch $0 {
            case .burstBegan, .stuck: continuation.finish()
            case .press: isPressed.withLock { $0 = true }
            default: break
            }
        }
        driver.readLevels { _ in
            // Before the press there is no hold to decide.
            if !level, isPressed.withLock({ $0 }) { loop.post { continuation.finish() } }
            return level
        }
        loop.post { driver.receive(ButtonEdge(line: .shutter, isActive: true, time: time.now)) }
        var actions: [ButtonMachine.Action] = []
        for await action in stream { actions.append(action) }
        return actions
    }

    @Test("a lost edge of the release does not make a burst of a tap")
    func lostRelease() async throws {
        let actions = try await actions(levelAtTheEnd: false)
        #expect(actions.count == 2)
        #expect(!actions.contains { if case .burstBegan = $0 { true } else { false } })
    }

    @Test("an edge that waits when the loop wakes late still counts, so that noise stays noise")
    func lateLoop() async throws {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let time = SystemTime(continuing: nil)
        let (stream, continuation) = AsyncStream.makeStream(of: ButtonMachine.Action.self)
        let driver = PanelDriver(loop: loop, time: time, timing: .standard, light: SimulatedLight(time: time)) {
            continuation.yield($0)
            switch $0 {
            case .press, .unpin: continuation.finish()
            default: break
            }
        }
        let first = time.now
        let waiting = Mutex<ButtonEdge?>(
            ButtonEdge(line: .shutter, isActive: false, time: first + .milliseconds(5)))
        driver.readLevels { line in
            if line == .shutter, let edge = waiting.withLock({ $0.take() }) { driver.receive(edge) }
            return line == .shutter ? false : nil
        }
        loop.post { driver.receive(ButtonEdge(line: .shutter, isActive: true, time: first)) }
        var actions: [ButtonMachine.Action] = []
        for await action in stream { actions.append(action) }
        #expect(actions == [.pin(first), .unpin(first)])
    }

    @Test("a button that is still down begins its burst")
    func held() async throws {
        let actions = try await actions(levelAtTheEnd: true)
        #expect(actions.contains { if case .burstBegan = $0 { true } else { false } })
    }
}

@Suite("A light that may not be there yet", .timeLimit(.minutes(5)))
struct RetriedLightTests {
    private struct Fixture {
        let loop: EventLoop
        let opened = Recorder<Void>()
        let events = Recorder<RetriedLight.Event>()
        let real = SimulatedLight(time: SystemTime(continuing: nil))

        init() throws {
            loop = try EventLoop()
            try loop.start()
        }

        /// A light that cannot be opened this many times.
        func light(failures: Int) -> RetriedLight {
            RetriedLight(loop: loop) { [opened, real] () throws(SystemError) in
                opened.add(())
                guard opened.elements.count > failures else { throw SystemError(code: 2, operation: "open the light") }
                return real
            }
        }
    }

    @Test("it shows the brightness that was set before it could be opened, and is dark at the end")
    func opens() async throws {
        let fixture = try Fixture()
        defer { fixture.loop.stop() }
        let light = fixture.light(failures: 0)
        fixture.loop.post { light.set(0.5) }
        light.start { fixture.events.add($0) }
        await light.end()
        #expect(fixture.real.changes.map(\.brightness) == [0.5, 0])
        #expect(fixture.events.elements.isEmpty)
    }

    @Test("a light that cannot be opened is reported once, and again when it works")
    func retries() async throws {
        let fixture = try Fixture()
        defer { fixture.loop.stop() }
        let light = fixture.light(failures: 2)
        light.start { fixture.events.add($0) }
        let events = await fixture.events.elements(2)
        #expect(events == [.lost(SystemError(code: 2, operation: "open the light")), .returned])
        await light.end()
    }
}
