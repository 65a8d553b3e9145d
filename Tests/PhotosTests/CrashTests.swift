import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

/// Every state a power cut may leave behind, tried one by one.
///
/// `PINHOLE_LONG=1` tries more of them.
@Suite("Every crash state")
struct CrashTests {
    @Test(
        "a power cut at any step, in any state of the disk, loses nothing announced", arguments: CrashScenario.allCases)
    func powerCuts(scenario: CrashScenario) throws {
        var trial = try CrashTrial()
        try trial.cutPower(during: scenario)
        print("crash states, \(scenario.rawValue): \(trial.summary)")
        #expect(trial.states > 0 && trial.announced > 0)
        #expect(trial.lost.isEmpty, "\(trial.lost.prefix(5))")
        #expect(trial.breaches.isEmpty, "\(trial.breaches.prefix(5))")
    }

    @Test(
        "a process killed at any step, started again, and then a power cut", arguments: CrashScenario.allCases)
    func killsThenPowerCuts(scenario: CrashScenario) throws {
        var trial = try CrashTrial()
        try trial.killAndCutPower(during: scenario)
        print("crash states, killed before, \(scenario.rawValue): \(trial.summary)")
        #expect(trial.states > 0 && trial.announced > 0)
        #expect(trial.lost.isEmpty, "\(trial.lost.prefix(5))")
        #expect(trial.breaches.isEmpty, "\(trial.breaches.prefix(5))")
    }
}
