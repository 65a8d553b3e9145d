import Foundation
import PinholeTesting
import Platform

@testable import Photos

/// Runs scenarios and tries the states that cuts may leave.
struct CrashTrial {
    /// States opened and checked.
    private(set) var states = 0
    /// Of these, states of a second cut, while the start after the first was under way.
    private(set) var secondStates = 0
    /// Announced photos looked for, over all states.
    private(set) var announced = 0
    /// Announced photos that were not there, with the state.
    private(set) var lost: [String] = []
    /// Whatever else must not be.
    private(set) var breaches: [String] = []

    private let fixtureFolder: TestFolder
    private let checkFolder: TestFolder
    private var generator = SeededGenerator(seed: 3)

    static let isLong = ProcessInfo.processInfo.environment["PINHOLE_LONG"] == "1"
    /// Combinations tried for each prefix of the steps.
    private var statesEachStep: Int { Self.isLong ? 1024 : 256 }
    /// Second cuts tried for each state of a first.
    private var secondCuts: Int { Self.isLong ? 12 : 1 }

    init() throws {
        fixtureFolder = try TestFolder()
        checkFolder = try TestFolder()
    }

    var summary: String {
        "\(states) states (\(secondStates) of a second cut), \(announced) announced photos looked for, "
            + "\(lost.count) lost, \(breaches.count) other breaches"
    }

    /// A power cut after every step.
    mutating func cutPower(
        during scenario: CrashScenario, leavesOut: SimulatedFileSystem.Carelessness = .none
    ) throws {
        let files = try SimulatedFileSystem(
            root: fixtureFolder.path, databaseFolders: CrashFixture.databaseFolders(fixtureFolder.path),
            leavesOut: leavesOut)
        try files.createDirectory(fixtureFolder.path + "/state")
        let fixture = CrashFixture(files, filesPerDirectory: scenario.filesPerDirectory)
        try scenario.prepare(fixture)
        fixture.settle()
        let before = files.image
        // A careless one may trip over what it has left out.
        if leavesOut == .none { try scenario.act(fixture) } else { try? scenario.act(fixture) }
        fixture.die()
        // To see that a careless one loses photos, few states are enough.
        try tryStates(
            before, files.steps, fixture.expectations, fixture.settings, scenario.rawValue,
            limit: leavesOut == .none ? nil : 12, secondCuts: leavesOut == .none ? secondCuts : 0)
    }

    /// A power cut after every step of a writer that is not the engine's.
    mutating func cutPower(during name: String, writer: (CrashFixture) throws -> Void) throws {
        let files = try SimulatedFileSystem(
            root: fixtureFolder.path, databaseFolders: CrashFixture.databaseFolders(fixtureFolder.path))
        try files.createDirectory(fixtureFolder.path + "/state")
        let fixture = CrashFixture(files, filesPerDirectory: 9999)
        try fixture.open()
        fixture.settle()
        let before = files.image
        try writer(fixture)
        fixture.die()
        try tryStates(before, files.steps, fixture.expectations, fixture.settings, name, limit: 12, secondCuts: 0)
    }

    /// The process dies after every step and is started again; then the power is cut.
    mutating func killAndCutPower(during scenario: CrashScenario) throws {
        var steps = 0
        while true {
            let files = try SimulatedFileSystem(
                root: fixtureFolder.path, databaseFolders: CrashFixture.databaseFolders(fixtureFolder.path))
            try files.createDirectory(fixtureFolder.path + "/state")
            let fixture = CrashFixture(files, filesPerDirectory: scenario.filesPerDirectory)
            try scenario.prepare(fixture)
            fixture.settle()
            let before = files.image
            files.stopDead(after: steps)
            try? scenario.act(fixture)
            fixture.die()
            guard files.revive() else { break }
            let restart = files.steps.count
            try fixture.open()
            try fixture.compare()
            try fixture.noteWhatIsThere()
            try fixture.add()
            fixture.die()
            try tryStates(
                before, files.steps, fixture.expectations, fixture.settings,
                "\(scenario.rawValue), killed after \(steps)",
                from: restart, limit: Self.isLong ? 64 : 4, secondCuts: Self.isLong ? 1 : 0)
            steps += 1
        }
    }

    private mutating func tryStates(
        _ before: DiskImage, _ steps: [DiskStep], _ expectations: [CrashExpectation], _ settings: LibrarySettings,
        _ name: String, from first: Int = 0, limit: Int? = nil, secondCuts: Int
    ) throws {
        var disk = CrashStates(before)
        var expectation = 0
        var seen: Set<[Int]> = []
        for (index, step) in ([nil] + steps.map { Optional($0) }).enumerated() {
            if let step { disk.take(step) }
            if case .mark(let mark) = step { expectation = mark }
            guard index >= first else { continue }
            for image in disk.images(limit: limit ?? statesEachStep, using: &generator) {
                guard seen.insert([image.fingerprint, expectation]).inserted else { continue }
                try check(image, expectations[expectation], settings, "\(name), step \(index)", secondCuts: secondCuts)
            }
        }
    }

    private mutating func check(
        _ image: DiskImage, _ expectation: CrashExpectation, _ settings: LibrarySettings, _ name: String,
        secondCuts: Int
    ) throws {
        let files = try SimulatedFileSystem(
            root: checkFolder.path, databaseFolders: CrashFixture.databaseFolders(checkFolder.path), image: image)
        let fixture = CrashFixture(
            files, expectation: expectation, filesPerDirectory: settings.filesPerDirectory,
            seed: UInt64(1_000_000 + states))
        var check = CrashCheck(expectation)
        check.run(fixture)
        fixture.die()
        states += 1
        announced += check.findings.announced
        lost += check.findings.lost.map { "\(name), \($0)" }
        breaches += check.findings.breaches.map { "\(name), \($0)" }
        guard secondCuts > 0, check.findings.lost.isEmpty, check.findings.breaches.isEmpty else { return }
        let steps = files.steps
        for _ in 0..<secondCuts {
            let cut = Int.random(in: 0...steps.count, using: &generator)
            var disk = CrashStates(image)
            var mark = 0
            for step in steps.prefix(cut) {
                disk.take(step)
                if case .mark(let number) = step { mark = number }
            }
            guard let again = disk.images(limit: 6, using: &generator).randomElement(using: &generator) else {
                continue
            }
            secondStates += 1
            try self.check(
                again, fixture.expectations[mark], settings, "\(name), second cut after step \(cut)", secondCuts: 0)
        }
    }
}
