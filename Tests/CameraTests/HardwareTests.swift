import Capture
import Console
import Foundation
import Panel
import PinholeTesting
import Platform
import SimulatedSensor
import Synchronization
import Testing

@testable import Camera

@Suite("A board and what it lacks")
struct HardwareTests {
    @Test("what keeps a line or a light away is said with what to do")
    func sentences() throws {
        func sentence(_ code: Int32, path: String = "/dev/gpiochip0:3", chips: [String] = ["/dev/gpiochip0"]) -> String
        {
            MissingLine.sentence(
                "light", SystemError(code: code, operation: "drive the GPIO line", path: path), chips: chips)
        }
        #expect(sentence(EBUSY).contains("another program"))
        #expect(sentence(ENOENT, chips: []).contains("no GPIO chip"))
        #expect(sentence(ENOENT, path: "/dev/gpiochip7:3").contains("there is no /dev/gpiochip7, only /dev/gpiochip0"))
        #expect(sentence(EINVAL).contains("gpioinfo"))
        #expect(sentence(ENOENT, path: "GPIO17").contains("gpioinfo"))
        #expect(sentence(EACCES, chips: []).contains("/dev/gpiochip0"))
        #expect(sentence(ENOENT, path: "/sys/class/leds/ACT/brightness").contains("ls /sys/class/leds"))
        #expect(sentence(EROFS, path: "/sys/class/leds/ACT/brightness").contains("ReadWritePaths"))
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: URL(fileURLWithPath: "/tmp"),
            create: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let chip = folder.appendingPathComponent("gpiochip0").path
        try Data().write(to: URL(fileURLWithPath: chip))
        chmod(chip, 0o060)
        #expect(sentence(EACCES, path: "GPIO17", chips: [chip]).contains("\(chip): "))
    }

    @Test("the wish to be powered off is a file that somebody takes")
    func powerOff() async throws {
        let path = NSTemporaryDirectory() + "pinhole-poweroff-\(UUID().uuidString)"
        let isAsked = await PowerSwitch(path: path).request { unlink(path) }
        #expect(isAsked)
        #expect(await !PowerSwitch(path: "/no/such/folder/poweroff").request())
    }
}

@Suite("The service manager's watchdog")
struct WatchdogRuleTests {
    @Test("it is petted at each tick while every part has answered")
    func alive() {
        var rule = WatchdogRule()
        for round in 1...3 {
            #expect(
                rule.handle(.tick) == [.pet, .ask(.library, round: round), .ask(.sensor, round: round)])
            #expect(rule.handle(.proved(.library, round: round)).isEmpty)
            #expect(rule.handle(.proved(.sensor, round: round)).isEmpty)
        }
    }

    @Test("a part that is stuck ends the petting, and is named once", arguments: WatchdogRule.Part.allCases)
    func stuck(_ part: WatchdogRule.Part) {
        var rule = WatchdogRule()
        _ = rule.handle(.tick)
        for other in WatchdogRule.Part.allCases where other != part { _ = rule.handle(.proved(other, round: 1)) }
        #expect(rule.handle(.tick) == [.report(part)])
        for _ in 0..<5 { #expect(rule.handle(.tick).isEmpty) }
        #expect(rule.handle(.proved(part, round: 1)) == [.pet])
        #expect(rule.handle(.tick).first == .pet)
    }

    @Test("an answer to an earlier question proves nothing")
    func oldAnswer() {
        var rule = WatchdogRule()
        _ = rule.handle(.tick)
        for part in WatchdogRule.Part.allCases { _ = rule.handle(.proved(part, round: 1)) }
        _ = rule.handle(.tick)
        for part in WatchdogRule.Part.allCases { _ = rule.handle(.proved(part, round: 1)) }
        #expect(rule.handle(.tick) == [.report(.library), .report(.sensor)])
    }
}

@Suite("A hold of a real button", .timeLimit(.minutes(10)))
struct HoldTests {
    /// Holds the shutter on a line whose level is then read.
    private func actions(levelAtTheEnd level: Bool) async throws -> [ButtonMachine.Action] {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let time = SystemTime(continuing: nil)
        let (stream, continuation) = AsyncStream.makeStream(of: ButtonMachine.Action.self)
        let timing = try ButtonTiming(burstHold: .milliseconds(200))
        let isPressed = Mutex(false)
        let driver = PanelDriver(loop: loop, time: time, timing: timing, light: SimulatedLight(time: time))
        driver.start {
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
        loop.post { driver.take(ButtonEdge(line: .shutter, isActive: true, time: time.now)) }
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

    @Test("an edge that waits to be taken when the loop wakes late still makes noise of noise")
    func lateLoop() async throws {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let time = SystemTime(continuing: nil)
        let (stream, continuation) = AsyncStream.makeStream(of: ButtonMachine.Action.self)
        let driver = PanelDriver(loop: loop, time: time, timing: .standard, light: SimulatedLight(time: time))
        driver.start {
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
            if line == .shutter, let edge = waiting.withLock({ $0.take() }) { driver.take(edge) }
            return line == .shutter ? false : nil
        }
        loop.post { driver.take(ButtonEdge(line: .shutter, isActive: true, time: first)) }
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
