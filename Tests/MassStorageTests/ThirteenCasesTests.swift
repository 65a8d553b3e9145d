import PinholeTesting
import Testing

@testable import MassStorage

/// USB Mass Storage Class Bulk-Only Transport 1.0, section 6.7: what the host expects, and what the device intends.
@Suite("The thirteen cases")
struct ThirteenCasesTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let command: [UInt8]
        let data: DiskHost.Data
        let status: CommandStatusWrapper.Status
        /// How many of the bytes that were moved mean nothing.
        let residue: Int
    }

    private static let testUnitReady = commandBlock(.testUnitReady, 0, 0, 0, 0, 0)
    private static let readCapacity = commandBlock(.readCapacity10, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    private static let write2 = commandBlock(.write10, 0, 0, 0, 0, 0, 0, 0, 2, 0)

    static let cases: [Case] = [
        Case(
            testDescription: "1: Hn = Dn", command: testUnitReady, data: .none, status: .passed, residue: 0),
        Case(
            testDescription: "2: Hn < Di", command: readCapacity, data: .none, status: .phaseError, residue: 0),
        Case(
            testDescription: "2: Hn < Di, blocks", command: DiskHost.read10(0, 1), data: .none, status: .phaseError,
            residue: 0),
        Case(
            testDescription: "3: Hn < Do", command: write2, data: .none, status: .phaseError, residue: 0),
        Case(
            testDescription: "4: Hi > Dn", command: testUnitReady, data: .toHost(512), status: .passed, residue: 512),
        Case(
            testDescription: "4: Hi > Dn, refused", command: DiskHost.read10(0xffff_fff0, 1), data: .toHost(512),
            status: .failed, residue: 512),
        Case(
            testDescription: "5: Hi > Di", command: readCapacity, data: .toHost(100), status: .passed, residue: 92),
        Case(
            testDescription: "5: Hi > Di, blocks", command: DiskHost.read10(2048, 3), data: .toHost(5000),
            status: .passed, residue: 5000 - 1536),
        Case(
            testDescription: "6: Hi = Di", command: readCapacity, data: .toHost(8), status: .passed, residue: 0),
        Case(
            testDescription: "6: Hi = Di, blocks", command: DiskHost.read10(2048, 70), data: .toHost(70 * 512),
            status: .passed, residue: 0),
        Case(
            testDescription: "7: Hi < Di", command: readCapacity, data: .toHost(5), status: .phaseError, residue: 0),
        Case(
            testDescription: "7: Hi < Di, blocks", command: DiskHost.read10(2048, 6), data: .toHost(2600),
            status: .phaseError, residue: 0),
        Case(
            testDescription: "8: Hi <> Do", command: write2, data: .toHost(1024), status: .phaseError, residue: 1024),
        Case(
            testDescription: "9: Ho > Dn", command: testUnitReady, data: .fromHost(512), status: .passed, residue: 512),
        Case(
            testDescription: "10: Ho <> Di", command: readCapacity, data: .fromHost(8), status: .phaseError, residue: 8),
        Case(
            testDescription: "10: Ho <> Di, blocks", command: DiskHost.read10(0, 2), data: .fromHost(1024),
            status: .phaseError, residue: 1024),
        Case(
            testDescription: "11: Ho > Do", command: write2, data: .fromHost(5000), status: .failed, residue: 5000),
        Case(
            testDescription: "12: Ho = Do", command: write2, data: .fromHost(1024), status: .failed, residue: 1024),
        Case(
            testDescription: "13: Ho < Do", command: write2, data: .fromHost(1000), status: .phaseError, residue: 1000),
    ]

    @Test("host and device agree in the end", arguments: cases)
    func agreement(test: Case) throws {
        let volume = FATVolume.threePhotos
        let host = try DiskHost(with: volume)
        let answer = try host.perform(test.command, test.data)
        #expect(answer.status == test.status)
        #expect(answer.residue == test.residue)
        if case .toHost(let count) = test.data {
            // All that the host asks for, of which what means something comes first.
            #expect(answer.data.count == count)
            let wanted = count - test.residue
            let first = test.command[0] == SCSIOperation.read10.rawValue ? UInt64(2048) : 0
            let expected =
                test.command[0] == SCSIOperation.read10.rawValue
                ? MadeUpFiles.bytes(of: volume.pieces(of: first..<first + 128))
                : [0, 0, 0, 0, 0, 0, 2, 0]
            if test.command[0] == SCSIOperation.readCapacity10.rawValue {
                #expect(Array(answer.data.dropFirst(4).prefix(wanted - 4)) == Array(expected[4..<wanted]))
            } else {
                #expect(Array(answer.data.prefix(wanted)) == Array(expected.prefix(wanted)))
            }
            #expect(answer.data.dropFirst(wanted).allSatisfy { $0 == 0 })
        } else {
            #expect(answer.data.isEmpty)
        }
        #expect(host.pipes.state.withLock { $0.halts } == 0)
        // The next command is taken as if nothing had been.
        #expect(try host.perform(Self.testUnitReady) == DiskHost.Answer(data: [], residue: 0, status: .passed))
    }
}
