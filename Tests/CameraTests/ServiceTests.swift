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

@Suite("Switching the power off")
struct PowerSwitchTests {
    @Test("the request is a file that the system takes")
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
