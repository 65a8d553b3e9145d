import Testing

@testable import MassStorage

@Suite("Commands of the unit")
struct SCSIUnitTests {
    private static let testUnitReady = commandBlock(.testUnitReady, 0, 0, 0, 0, 0)
    private static let requestSense = commandBlock(.requestSense, 0, 0, 0, 18, 0)

    /// A unit, with a medium that is known or without one.
    private func unit(blocks: UInt64? = nil) -> SCSIUnit {
        var unit = SCSIUnit(
            identity: SCSIIdentity(
                vendor: "Pinhole", product: "Pinhole Camera", revision: "1.0.0", serialNumber: "00c0ffee"))
        if let blocks {
            #expect(unit.insert(blockCount: blocks) == true)
            #expect(unit.handle(SCSICommand(Self.testUnitReady)).sense == .mediumMayHaveChanged)
        }
        return unit
    }

    private func reply(_ command: [UInt8], blocks: UInt64? = 100_000) -> SCSIReply {
        var unit = unit(blocks: blocks)
        return unit.handle(SCSICommand(command))
    }

    private func bytes(_ command: [UInt8], blocks: UInt64? = 100_000) -> [UInt8]? {
        guard case .bytes(let bytes) = reply(command, blocks: blocks).data else { return nil }
        return bytes
    }

    // MARK: The medium

    @Test("there is no medium until one is put in, and a new one is reported once")
    func insertion() {
        var unit = unit()
        for command in [
            Self.testUnitReady, commandBlock(.readCapacity10) + [UInt8](repeating: 0, count: 9), DiskHost.read10(0, 1),
        ] {
            #expect(unit.handle(SCSICommand(command)) == .refused(.mediumNotPresent))
        }
        #expect(unit.insert(blockCount: 8) == true)
        #expect(unit.handle(SCSICommand(Self.testUnitReady)) == .refused(.mediumMayHaveChanged))
        #expect(unit.handle(SCSICommand(Self.testUnitReady)) == .good)
        unit.removeMedium()
        #expect(unit.handle(SCSICommand(Self.testUnitReady)) == .refused(.mediumNotPresent))
        #expect(unit.insert(blockCount: 8) == true)
        unit.removeMedium()
        #expect(unit.handle(SCSICommand(Self.testUnitReady)) == .refused(.mediumNotPresent))
    }

    @Test("INQUIRY and REPORT LUNS leave the pending sense in place; REQUEST SENSE returns it")
    func attention() {
        var unit = unit()
        #expect(unit.insert(blockCount: 8) == true)
        #expect(unit.handle(SCSICommand(commandBlock(.inquiry, 0, 0, 0, 36, 0))).sense == nil)
        #expect(unit.handle(SCSICommand(commandBlock(.reportLUNs, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0))).sense == nil)
        let sense = unit.handle(SCSICommand(Self.requestSense))
        #expect(sense == .data(SCSISense.mediumMayHaveChanged.fixedFormat, limit: 18))
        #expect(unit.handle(SCSICommand(Self.testUnitReady)) == .good)
    }

    @Test("a reset keeps the pending sense for the host, and forgets the rest")
    func reset() {
        var unit = unit(blocks: 8)
        #expect(unit.handle(SCSICommand(commandBlock(.preventAllowMediumRemoval, 0, 0, 0, 1, 0))) == .good)
        #expect(unit.insert(blockCount: 16) == true)
        unit.reset()
        #expect(unit.handle(SCSICommand(Self.testUnitReady)) == .refused(.mediumMayHaveChanged))
        #expect(unit.handle(SCSICommand(commandBlock(.startStopUnit, 0, 0, 0, 2, 0))) == .good)
        #expect(unit.medium == .ejected)
    }

    @Test("a medium that the host has put out does not come back")
    func ejection() {
        var unit = unit(blocks: 8)
        // Stopped, started, put to sleep: it stays.
        for byte: UInt8 in [0, 1, 3, 0x10, 0x22] {
            #expect(unit.handle(SCSICommand(commandBlock(.startStopUnit, 0, 0, 0, byte, 0))) == .good)
        }
        #expect(unit.medium == .present(blockCount: 8))
        #expect(unit.handle(SCSICommand(commandBlock(.preventAllowMediumRemoval, 0, 0, 0, 1, 0))) == .good)
        #expect(unit.handle(SCSICommand(commandBlock(.startStopUnit, 0, 0, 0, 2, 0))) == .refused(.removalPrevented))
        #expect(unit.handle(SCSICommand(commandBlock(.preventAllowMediumRemoval, 0, 0, 0, 0, 0))) == .good)
        #expect(unit.handle(SCSICommand(commandBlock(.startStopUnit, 0, 0, 0, 2, 0))) == .good)
        #expect(unit.handle(SCSICommand(Self.testUnitReady)) == .refused(.mediumNotPresent))
        #expect(unit.handle(SCSICommand(commandBlock(.startStopUnit, 0, 0, 0, 3, 0))) == .refused(.mediumNotPresent))
        #expect(unit.insert(blockCount: 8) == false)
        unit.removeMedium()
        #expect(unit.insert(blockCount: 8) == false)
    }

    @Test("an end of access takes the medium out although the host has locked it")
    func locked() {
        var unit = unit(blocks: 8)
        #expect(unit.handle(SCSICommand(commandBlock(.preventAllowMediumRemoval, 0, 0, 0, 1, 0))) == .good)
        unit.removeMedium()
        #expect(unit.handle(SCSICommand(Self.testUnitReady)) == .refused(.mediumNotPresent))
    }

    // MARK: Sense

    @Test("sense is that of the last command, and is returned once")
    func sense() {
        var unit = unit(blocks: 8)
        #expect(unit.handle(SCSICommand(DiskHost.read10(8, 1))) == .refused(.blockOutOfRange))
        let sense = unit.handle(SCSICommand(Self.requestSense))
        #expect(sense == .data([0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0], limit: 18))
        #expect(unit.handle(SCSICommand(Self.requestSense)) == .data(SCSISense.none.fixedFormat, limit: 18))
        unit.fail(.unrecoveredRead(0x0102_0304))
        let failed = unit.handle(SCSICommand(Self.requestSense))
        #expect(failed == .data([0xf0, 0, 3, 1, 2, 3, 4, 10, 0, 0, 0, 0, 0x11, 0, 0, 0, 0, 0], limit: 18))
        unit.fail(.unrecoveredRead(1 << 32))
        #expect(unit.handle(SCSICommand(commandBlock(.requestSense, 0, 0, 0, 3, 0))).data == .bytes([0x70, 0, 3]))
        #expect(unit.handle(SCSICommand(commandBlock(.requestSense, 1, 0, 0, 18, 0))) == .refused(.invalidField))
    }

    // MARK: What it is

    @Test("INQUIRY reports a disk with a removable medium")
    func inquiry() {
        let expected: [UInt8] =
            [0, 0x80, 6, 2, 31, 0, 0, 0] + Array("Pinhole Pinhole Camera  1.0.".utf8)
        for blocks: UInt64? in [nil, 8] {
            #expect(bytes(commandBlock(.inquiry, 0, 0, 0, 36, 0), blocks: blocks) == expected)
        }
        #expect(bytes(commandBlock(.inquiry, 0, 0, 0, 5, 0)) == Array(expected.prefix(5)))
        #expect(bytes(commandBlock(.inquiry, 0, 0, 1, 0, 0)) == expected)
        #expect(reply(commandBlock(.inquiry, 0, 0, 0, 0, 0)) == .good)
        #expect(reply(commandBlock(.inquiry, 0, 0x80, 0, 36, 0)) == .refused(.invalidField))
        #expect(reply(commandBlock(.inquiry, 2, 0, 0, 36, 0)) == .refused(.invalidField))
    }

    @Test("pages of vital product data contain its serial number")
    func pages() {
        #expect(bytes(commandBlock(.inquiry, 1, 0, 0, 255, 0)) == [0, 0, 0, 3, 0, 0x80, 0x83])
        #expect(bytes(commandBlock(.inquiry, 1, 0x80, 0, 255, 0)) == [0, 0x80, 0, 8] + Array("00c0ffee".utf8))
        let designator = Array("Pinhole Pinhole Camera  00c0ffee".utf8)
        #expect(bytes(commandBlock(.inquiry, 1, 0x83, 0, 255, 0)) == [0, 0x83, 0, 36, 2, 1, 0, 32] + designator)
        #expect(reply(commandBlock(.inquiry, 1, 0xb0, 0, 255, 0)) == .refused(.invalidField))
    }

    @Test("texts of an identity are printable and as long as they may be")
    func identity() {
        let identity = SCSIIdentity(
            vendor: "A\u{7}B – a long name", product: "", revision: "é12",
            serialNumber: String(repeating: "9", count: 500))
        #expect(Array(identity.standard[8...]) == Array("AB  a lo                12  ".utf8))
        #expect(identity.page(0x83)?.count == 64)
    }

    @Test("REPORT LUNS reports one unit")
    func units() {
        let one: [UInt8] = [0, 0, 0, 8] + [UInt8](repeating: 0, count: 12)
        #expect(bytes(commandBlock(.reportLUNs, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0)) == one)
        #expect(bytes(commandBlock(.reportLUNs, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0), blocks: nil) == one)
        #expect(bytes(commandBlock(.reportLUNs, 0, 1, 0, 0, 0, 0, 0, 0, 16, 0, 0)) == [UInt8](repeating: 0, count: 8))
        #expect(reply(commandBlock(.reportLUNs, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0)) == .refused(.invalidField))
        #expect(reply(commandBlock(.reportLUNs, 0, 3, 0, 0, 0, 0, 0, 0, 16, 0, 0)) == .refused(.invalidField))
    }

    @Test("MODE SENSE says that nothing can be written")
    func modes() {
        let caching: [UInt8] = [8, 18] + [UInt8](repeating: 0, count: 18)
        for page: UInt8 in [0x08, 0x3f, 0x48, 0xbf] {
            #expect(bytes(commandBlock(.modeSense6, 0, page, 0, 192, 0), blocks: nil) == [23, 0, 0x80, 0] + caching)
            #expect(
                bytes(commandBlock(.modeSense10, 8, page, 0, 0, 0, 0, 1, 0, 0)) == [0, 26, 0, 0x80, 0, 0, 0, 0]
                    + caching)
        }
        #expect(bytes(commandBlock(.modeSense6, 0, 0x3f, 0xff, 4, 0)) == [23, 0, 0x80, 0])
        #expect(reply(commandBlock(.modeSense6, 0, 0x1c, 0, 192, 0)) == .refused(.invalidField))
        #expect(reply(commandBlock(.modeSense6, 0, 0x08, 1, 192, 0)) == .refused(.invalidField))
        #expect(reply(commandBlock(.modeSense6, 0, 0xff, 0, 192, 0)) == .refused(.savingNotSupported))
    }

    // MARK: Reading

    @Test("capacities are the medium's")
    func capacities() {
        #expect(bytes(commandBlock(.readCapacity10, 0, 0, 0, 0, 0, 0, 0, 0, 0)) == [0, 1, 0x86, 0x9f, 0, 0, 2, 0])
        #expect(bytes(commandBlock(.readCapacity10, 0, 0, 0, 0, 9, 0, 0, 1, 0)) == [0, 1, 0x86, 0x9f, 0, 0, 2, 0])
        #expect(reply(commandBlock(.readCapacity10, 0, 0, 0, 0, 9, 0, 0, 0, 0)) == .refused(.invalidField))
        #expect(
            bytes(commandBlock(.readCapacity10, 0, 0, 0, 0, 0, 0, 0, 0, 0), blocks: 1 << 33) == [
                255, 255, 255, 255, 0, 0, 2, 0,
            ])
        var long = commandBlock(.serviceActionIn16, 0x10) + [UInt8](repeating: 0, count: 14)
        long[13] = 32
        let expected: [UInt8] = [0, 0, 0, 0, 0, 1, 0x86, 0x9f, 0, 0, 2, 0] + [UInt8](repeating: 0, count: 20)
        #expect(bytes(long) == expected)
        long[13] = 12
        #expect(bytes(long) == Array(expected.prefix(12)))
        #expect(reply(long, blocks: nil) == .refused(.mediumNotPresent))
        long[9] = 1
        #expect(reply(long) == .refused(.invalidField))
        long[1] = 0x12
        #expect(reply(long) == .refused(.invalidField))
        let formats = commandBlock(.readFormatCapacities, 0, 0, 0, 0, 0, 0, 0, 252, 0)
        #expect(bytes(formats) == [0, 0, 0, 8, 0, 1, 0x86, 0xa0, 2, 0, 2, 0])
        #expect(bytes(formats, blocks: nil) == [0, 0, 0, 8, 0, 0, 0, 0, 3, 0, 2, 0])
    }

    @Test(
        "reading names its blocks in four ways",
        arguments: [
            (commandBlock(.read6, 0x01, 0x00, 0x02, 3, 0), 0x1_0002..<0x1_0005),
            (commandBlock(.read6, 0xe0, 0x00, 0x02, 0, 0), 2..<258),
            (commandBlock(.read10, 0, 0, 1, 0, 2, 0, 0x01, 0x00, 0), 0x1_0002..<0x1_0102),
            (commandBlock(.read10, 0x18, 0, 0, 0, 0, 0, 0x00, 0x01, 0), 0..<1),
            (commandBlock(.read12, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0), 0x1_0002..<0x1_0102),
            (commandBlock(.read16, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0), 0x1_0002..<0x1_0102),
        ] as [([UInt8], Range<UInt64>)])
    func reading(command: [UInt8], blocks: Range<UInt64>) {
        #expect(reply(command) == SCSIReply(data: .blocks(blocks), sense: nil))
    }

    @Test("nothing is read of no blocks, nor of those that there are not")
    func range() {
        #expect(reply(DiskHost.read10(0, 0)) == .good)
        #expect(reply(DiskHost.read10(100_000, 0)) == .refused(.blockOutOfRange))
        #expect(reply(DiskHost.read10(99_999, 1)).sense == nil)
        #expect(reply(DiskHost.read10(99_999, 2)) == .refused(.blockOutOfRange))
        let all = [UInt8](repeating: 0xff, count: 12)
        #expect(reply(commandBlock(.read16, 0) + all + [0, 0]) == .refused(.blockOutOfRange))
        #expect(
            reply(commandBlock(.read16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0))
                == .refused(.blockOutOfRange))
        // Protection information.
        #expect(reply(commandBlock(.read10, 0x20, 0, 0, 0, 0, 0, 0, 1, 0)) == .refused(.invalidField))
    }

    @Test("VERIFY looks at the range, and does not compare")
    func verifying() {
        #expect(reply(commandBlock(.verify10, 0x10, 0, 0, 0, 0, 0, 0, 8, 0)) == .good)
        #expect(reply(commandBlock(.verify10, 0, 0, 1, 0x86, 0xa0, 0, 0, 1, 0)) == .refused(.blockOutOfRange))
        #expect(reply(commandBlock(.verify10, 2, 0, 0, 0, 0, 0, 0, 8, 0)) == .refused(.invalidField))
        #expect(reply(commandBlock(.synchronizeCache10, 0, 0, 0, 0, 0, 0, 0, 0, 0)) == .good)
        #expect(
            reply(commandBlock(.synchronizeCache10, 0, 0, 0, 0, 0, 0, 0, 0, 0), blocks: nil)
                == .refused(.mediumNotPresent))
    }

    // MARK: What is refused

    @Test(
        "whatever writes is refused, and says how much it brings",
        arguments: [
            (commandBlock(.write6, 0, 0, 0, 1, 0), 512), (commandBlock(.write6, 0, 0, 0, 0, 0), 256 * 512),
            (commandBlock(.write10, 0, 0, 0, 0, 0, 0, 1, 0, 0), 256 * 512),
            (commandBlock(.writeAndVerify10, 0, 0, 0, 0, 0, 0, 0, 2, 0), 1024),
            (commandBlock(.write12, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0), 0xffff_ffff * 512),
            (commandBlock(.writeAndVerify12, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0), 512),
            (commandBlock(.write16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0), 1536),
            (commandBlock(.writeAndVerify16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0),
            (commandBlock(.writeSame10, 0, 0, 0, 0, 0, 0, 0, 9, 0), 512),
            (commandBlock(.writeSame16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0), 512),
            (commandBlock(.unmap, 0, 0, 0, 0, 0, 0, 0, 24, 0), 24), (commandBlock(.formatUnit, 0, 0, 0, 0, 0), nil),
        ] as [([UInt8], UInt64?)])
    func writing(command: [UInt8], byteCount: UInt64?) {
        let data: SCSIReply.Data = byteCount == 0 ? .none : .unwanted(byteCount)
        #expect(reply(command) == SCSIReply(data: data, sense: .writeProtected))
        #expect(reply(command, blocks: nil) == .refused(.mediumNotPresent))
    }

    @Test("modes cannot be changed")
    func modeSelect() {
        #expect(
            reply(commandBlock(.modeSelect6, 0x10, 0, 0, 24, 0), blocks: nil)
                == SCSIReply(data: .unwanted(24), sense: .invalidField))
        #expect(
            reply(commandBlock(.modeSelect10, 0x10, 0, 0, 0, 0, 0, 1, 0, 0))
                == SCSIReply(data: .unwanted(256), sense: .invalidField))
    }

    @Test("a command that is not known is refused, and so is one that is cut short")
    func unknown() {
        let known: Set<UInt8> = [
            0x00, 0x03, 0x04, 0x08, 0x0a, 0x12, 0x15, 0x1a, 0x1b, 0x1e, 0x23, 0x25, 0x28, 0x2a, 0x2e, 0x2f, 0x35, 0x41,
            0x42, 0x55, 0x5a, 0x88, 0x8a, 0x8e, 0x93, 0x9e, 0xa0, 0xa8, 0xaa, 0xae,
        ]
        for code in UInt8.min...UInt8.max {
            let reply = reply([code] + [UInt8](repeating: 0, count: 15))
            #expect((reply == .refused(.invalidOperationCode)) == !known.contains(code), "\(code)")
            guard known.contains(code) else { continue }
            let length = [6, 10, 10, 0, 16, 12, 0, 0][Int(code >> 5)]
            for count in 1..<length {
                #expect(self.reply([code] + [UInt8](repeating: 0, count: count - 1)) == .refused(.invalidField))
            }
        }
        #expect(reply([]) == .refused(.invalidField))
    }
}
