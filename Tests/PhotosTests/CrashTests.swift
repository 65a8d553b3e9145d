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

    // MARK: These must lose photos, or the tests above could not fail

    @Test("a naive writer loses photos: final name, no sync, the catalog first or never", arguments: [true, false])
    func naiveWriter(usesCatalog: Bool) throws {
        var trial = try CrashTrial()
        try trial.cutPower(during: "naive writer") { fixture in
            for index in 1...3 {
                let identifier = AssetIdentifier()
                let bytes = Array(photo(identifier.description, bytes: 90))
                let number = try #require(DCFNumber(directory: 100, file: index))
                fixture.note {
                    $0.photos[identifier.description] = CrashExpectation.Photo(
                        places: [.nowhere, .listed], number: nil, files: ["JPG": bytes])
                }
                if usesCatalog {
                    let record = AssetRecord(
                        number: number, identifier: identifier,
                        captured: WallTime(unixNanoseconds: 1, offsetSeconds: 0, isTrusted: true), width: 1, height: 1,
                        resources: [
                            AssetRecord.Resource(
                                type: .photo, fileExtension: "JPG", bytes: Int64(bytes.count),
                                checksum: bytes.withUnsafeBytes { Checksum.of($0) })
                        ])
                    try fixture.engine.storage.commit { catalog throws(SQLiteError) in try catalog.assets.insert(record)
                    }
                }
                try fixture.files.writeUnsynced(fixture.layout.path(number, "JPG"), bytes)
                fixture.note {
                    $0.photos[identifier.description]?.places = [.listed]
                    $0.photos[identifier.description]?.number = number.description
                }
            }
        }
        print("crash states, naive writer \(usesCatalog ? "with" : "without") catalog: \(trial.summary)")
        #expect(trial.lost.count > 0)
        #expect(trial.breaches.contains { $0.contains("before the start") && $0.contains("is not whole") })
    }

    @Test(
        "the engine itself loses photos when its syncs are left out",
        arguments: [SimulatedFileSystem.Carelessness.fileSyncs, .directorySyncs])
    func withoutSyncs(leftOut: SimulatedFileSystem.Carelessness) throws {
        for scenario in [CrashScenario.create, .createBlock, .createManyAndDelete] {
            var trial = try CrashTrial()
            try trial.cutPower(during: scenario, leavesOut: leftOut)
            print("crash states, \(scenario.rawValue), without \(leftOut): \(trial.summary)")
            #expect(trial.lost.count > 0, "\(scenario)")
        }
    }
}
