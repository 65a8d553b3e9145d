import Foundation
import PinholeTesting
import Synchronization
import Testing
import USBGadget

@testable import MassStorage

@Suite("A host and the disk")
struct BulkOnlyConnectionTests {
    private static let testUnitReady = commandBlock(.testUnitReady, 0, 0, 0, 0, 0)
    private static let passed = DiskHost.Answer(data: [], residue: 0, status: .passed)
    private static let failed = DiskHost.Answer(data: [], residue: 0, status: .failed)

    // MARK: The medium

    @Test("a host finds no medium, asks for one once, and is notified when it comes and goes")
    func comingAndGoing() throws {
        let host = DiskHost()
        #expect(try host.perform(commandBlock(.inquiry, 0, 0, 0, 36, 0), .toHost(36)).status == .passed)
        #expect(host.events.elements.isEmpty)
        for _ in 0..<3 {
            #expect(try host.perform(Self.testUnitReady) == Self.failed)
            #expect(try host.sense() == .mediumNotPresent)
        }
        #expect(host.events.elements == [.mediumWanted])
        #expect(host.connection.insert(.threePhotos, from: host.files))
        #expect(try host.perform(Self.testUnitReady) == Self.failed)
        #expect(try host.sense() == .mediumMayHaveChanged)
        #expect(try host.perform(Self.testUnitReady) == Self.passed)
        host.connection.removeMedium()
        #expect(try host.perform(Self.testUnitReady) == Self.failed)
        #expect(try host.sense() == .mediumNotPresent)
        #expect(host.events.elements == [.mediumWanted])
    }

    @Test("another medium in place of the first is reported, and the files of the first are closed")
    func replacement() throws {
        let host = try DiskHost(with: .threePhotos)
        #expect(try host.read(FATVolume.threePhotos.firstBlock(of: 0), 1).status == .passed)
        #expect(host.files.openCount == 1)
        #expect(host.connection.insert(.threePhotos, from: host.files))
        #expect(host.files.openCount == 0)
        #expect(try host.perform(Self.testUnitReady) == Self.failed)
        #expect(try host.sense() == .mediumMayHaveChanged)
    }

    @Test("a host that puts the medium out finds none from then on")
    func ejection() throws {
        let host = try DiskHost(with: .threePhotos)
        #expect(try host.read(FATVolume.threePhotos.firstBlock(of: 0), 1).status == .passed)
        #expect(try host.perform(commandBlock(.startStopUnit, 0, 0, 0, 2, 0)) == Self.passed)
        #expect(host.events.elements == [.ejected])
        #expect(host.files.openCount == 0)
        #expect(!host.connection.insert(.threePhotos, from: host.files))
        #expect(try host.perform(Self.testUnitReady) == Self.failed)
        #expect(try host.sense() == .mediumNotPresent)
        #expect(host.events.elements == [.ejected])
    }

    // MARK: Files

    @Test("a file stays open while it is read, and is opened again when another was read in between")
    func opening() throws {
        let volume = FATVolume.threePhotos
        let host = try DiskHost(with: volume)
        let (first, second) = try (volume.firstBlock(of: 0), volume.firstBlock(of: 1))
        for block in [first, first + 1, first + 2, second, first] {
            #expect(try host.read(block, 1).status == .passed)
            #expect(host.files.openCount == 1)
        }
        #expect(host.files.state.withLock { $0.opened } == [0, 1, 0])
        host.connection.removeMedium()
        #expect(host.files.openCount == 0)
    }

    @Test("a file that cannot be opened is a block that cannot be read; the others can")
    func missing() throws {
        let volume = FATVolume.threePhotos
        let host = try DiskHost(with: volume)
        host.files.state.withLock { $0.missing = [1] }
        let (first, second) = try (volume.firstBlock(of: 0), volume.firstBlock(of: 1))
        try #require(second == first + 24)
        let answer = try host.read(second - 7, 9)
        #expect(answer.status == .failed)
        #expect(answer.residue == 1024)
        // 9,000 bytes are 17 blocks and a part of one; six blocks of zeros follow.
        #expect(answer.data[0] == MadeUpFiles.byte(0, at: 8704))
        #expect(answer.data[..<512].contains { $0 != 0 })
        #expect(answer.data.dropFirst(512).allSatisfy { $0 == 0 })
        let sense = try host.perform(commandBlock(.requestSense, 0, 0, 0, 18, 0), .toHost(18)).data
        #expect(sense[0] == 0xf0 && sense[2] == 0x03 && sense[12] == 0x11)
        #expect(sense[3..<7].reduce(0) { $0 << 8 | UInt64($1) } == second)
        #expect(try host.read(first, 1).status == .passed)
        #expect(try host.perform(Self.testUnitReady) == Self.passed)
    }

    @Test(
        "a file that ends before its size is read as far as whole blocks go", arguments: [0, 1, 511, 512, 3000, 8191])
    func shorter(end: UInt64) throws {
        let volume = FATVolume.threePhotos
        let host = try DiskHost(with: volume)
        host.files.state.withLock { $0.ends = [1: end] }
        let first = try volume.firstBlock(of: 1)
        let answer = try host.read(first, 16)
        #expect(answer.status == .failed)
        let whole = Int(end) / 512 * 512
        #expect(answer.residue == 8192 - whole)
        #expect(Array(answer.data.prefix(whole)) == MadeUpFiles.bytes(1, at: 0, count: whole))
        #expect(answer.data.dropFirst(whole).allSatisfy { $0 == 0 })
        let sense = try host.perform(commandBlock(.requestSense, 0, 0, 0, 18, 0), .toHost(18)).data
        #expect(sense[3..<7].reduce(0) { $0 << 8 | UInt64($1) } == first + end / 512)
    }

    @Test("when access ends in the middle of a read, not a byte more is given", arguments: 0..<4)
    func revocation(transfer: Int) throws {
        let volume = FATVolume.threePhotos
        let host = try DiskHost(with: volume)
        let connection = host.connection
        // While the transfer is being filled; before, the last that was filled is on its way already.
        host.files.state.withLock { state in
            state.beforeRead = { _, offset in if offset == UInt64(transfer) * 2048 { connection.removeMedium() } }
        }
        let answer = try host.read(volume.firstBlock(of: 1), 16)
        host.files.state.withLock { $0.beforeRead = nil }
        #expect(answer.status == .failed)
        let given = transfer * 2048
        #expect(answer.residue == 8192 - given)
        #expect(Array(answer.data.prefix(given)) == MadeUpFiles.bytes(1, at: 0, count: given))
        #expect(answer.data.dropFirst(given).allSatisfy { $0 == 0 })
        #expect(try host.sense() == .mediumNotPresent)
        #expect(host.files.openCount == 0)
    }

    @Test("access that ends while a file is opened leaves none open")
    func revocationWhileOpening() throws {
        final class Closing: MediumSource {
            let files = MadeUpFiles()
            let body = Mutex<(@Sendable () -> Void)?>(nil)
            func open(_ index: Int) -> (any MediumFile)? {
                let file = files.open(index)
                body.withLock { $0 }?()
                return file
            }
        }
        let host = DiskHost()
        let source = Closing()
        let connection = host.connection
        connection.insert(.threePhotos, from: source)
        source.body.withLock { $0 = { connection.removeMedium() } }
        _ = try host.perform(Self.testUnitReady)
        let answer = try host.read(FATVolume.threePhotos.firstBlock(of: 0), 1)
        source.body.withLock { $0 = nil }
        #expect(answer == DiskHost.Answer(data: [UInt8](repeating: 0, count: 512), residue: 512, status: .failed))
        #expect(source.files.openCount == 0)
    }

    // MARK: What is no command

    private static let packets: [(String, [UInt8])] = {
        let good = CommandBlockWrapper(
            tag: 1, dataTransferLength: 0, isToHost: true, command: SCSICommand(testUnitReady)
        ).bytes
        func with(_ place: Int, _ byte: UInt8) -> [UInt8] {
            var bytes = good
            bytes[place] = byte
            return bytes
        }
        return [
            ("a byte too few", good.dropLast()), ("a byte too many", good + [0]), ("one byte", [0x55]),
            ("a full packet", [UInt8](repeating: 0x55, count: 64)), ("another signature", with(3, 0x53)),
            ("another unit", with(13, 1)), ("a reserved bit of the unit", with(13, 0x10)), ("no command", with(14, 0)),
            ("a command of 17 bytes", with(14, 17)), ("a reserved bit of the length", with(14, 0x26)),
        ].map { ($0.0, Array($0.1)) }
    }()

    @Test("what is no command stalls both pipes until a reset", arguments: packets.indices)
    func malformed(index: Int) throws {
        let host = try DiskHost(with: .threePhotos)
        host.pipes.send(Self.packets[index].1)
        host.pipes.state.withLock { $0.sent = [] }
        try host.connection.serve()
        #expect(host.pipes.state.withLock { $0.halts } == 1)
        // A host that clears the pipes without a reset gets nowhere.
        host.begin(Self.testUnitReady)
        try host.connection.serve()
        #expect(host.pipes.state.withLock { $0.halts } == 2)
        #expect(host.pipes.sent.isEmpty)
        host.connection.reset()
        #expect(try host.perform(Self.testUnitReady) == Self.passed)
    }

    @Test("an empty packet is nothing, and reserved flags are passed over")
    func tolerated() throws {
        let host = try DiskHost(with: .threePhotos)
        host.pipes.send([], emptyPacket: true)
        try host.connection.serve()
        var bytes = CommandBlockWrapper(
            tag: 7, dataTransferLength: 0, isToHost: true, command: SCSICommand(Self.testUnitReady)
        ).bytes
        bytes[12] = 0x7f
        host.pipes.state.withLock { $0.sent = [] }
        host.pipes.send(bytes)
        try host.connection.serve()
        #expect(try host.answer(tag: 7) == Self.passed)
        #expect(host.pipes.state.withLock { $0.halts } == 0)
    }

    @Test("data from the host ends with a packet that is not full")
    func shortData() throws {
        let host = try DiskHost(with: .threePhotos)
        let wrapper = CommandBlockWrapper(
            tag: 3, dataTransferLength: 4096, isToHost: false,
            command: SCSICommand(commandBlock(.write10, 0, 0, 0, 0, 0, 0, 0, 8, 0)))
        host.pipes.state.withLock { $0.sent = [] }
        host.pipes.send(wrapper.bytes)
        host.pipes.send([UInt8](repeating: 1, count: 1000))
        try host.connection.serve()
        #expect(try host.answer(tag: 3) == DiskHost.Answer(data: [], residue: 4096, status: .failed))
        #expect(try host.sense() == .writeProtected)
    }

    // MARK: Resets and ends

    @Test("a reset ends a transfer wherever it is, and the next command is answered", arguments: 0...4)
    func resetWhileSending(transfer: Int) throws {
        let volume = FATVolume.threePhotos
        let host = try DiskHost(with: volume)
        let first = try volume.firstBlock(of: 1)
        let connection = host.connection
        host.begin(DiskHost.read10(first, 16), .toHost(8192))
        host.pipes.state.withLock { $0.beforeSend[transfer] = { connection.reset() } }
        #expect(throws: USBPipeError.interrupted) { try host.connection.serve() }
        #expect(host.pipes.state.withLock { $0.sent.count } == transfer)
        let answer = try host.read(first, 16)
        #expect(answer.status == .passed)
        #expect(host.pipes.state.withLock { $0.abandoned } > 0)
    }

    @Test("a reset ends the waiting for data, and a command from before it is not carried out")
    func resetWhileReceiving() throws {
        let host = try DiskHost(with: .threePhotos)
        let (connection, pipes) = (host.connection, host.pipes)
        host.begin(commandBlock(.write10, 0, 0, 0, 0, 0, 0, 0, 2, 0), .fromHost(1024))
        // Half of it never comes.
        pipes.state.withLock { $0.packets.removeLast(8) }
        pipes.whenIdle { connection.reset() }
        #expect(throws: USBPipeError.interrupted) { try connection.serve() }
        let wrapper = CommandBlockWrapper(
            tag: 1, dataTransferLength: 0, isToHost: true,
            command: SCSICommand(commandBlock(.startStopUnit, 0, 0, 0, 2, 0)))
        pipes.whenIdle {
            connection.reset()
            pipes.send(wrapper.bytes)
        }
        try connection.serve()
        #expect(host.events.elements.isEmpty)
        #expect(try host.perform(Self.testUnitReady) == Self.passed)
    }

    @Test("the control pipe reports one unit, waits for a reset, and refuses the rest")
    func controlPipe() throws {
        let host = try DiskHost(with: .threePhotos)
        let connection = host.connection
        #expect(
            connection.answer(USBSetupPacket(requestType: 0xa1, request: 0xfe, length: 1), data: { [] }) == [0])
        for refused in [
            USBSetupPacket(requestType: 0xa1, request: 0xfe, length: 2),
            .init(requestType: 0x21, request: 0xfe, length: 1),
            .init(requestType: 0x21, request: 0xff, length: 1), .init(requestType: 0x21, request: 0xff, value: 1),
            .init(requestType: 0xa1, request: 0xff), .init(requestType: 0x21, request: 0x66),
        ] {
            #expect(connection.answer(refused, data: { [] }) == nil)
        }
        let pipes = host.pipes
        let answers = Recorder<[UInt8]?>()
        let answered = DispatchSemaphore(value: 0)
        pipes.whenIdle {
            DispatchQueue.global().async {
                answers.add(connection.answer(USBSetupPacket(requestType: 0x21, request: 0xff), data: { [] }))
                answered.signal()
            }
            while !pipes.state.withLock({ $0.isInterrupted }) { sched_yield() }
        }
        let wrapper = CommandBlockWrapper(
            tag: 9, dataTransferLength: 0, isToHost: true, command: SCSICommand(Self.testUnitReady))
        pipes.whenIdle {
            answered.wait()
            pipes.state.withLock { $0.sent = [] }
            pipes.send(wrapper.bytes)
        }
        connection.run()
        #expect(answers.elements == [[]])
        #expect(try host.answer(tag: 9) == Self.passed)
    }

    @Test("a command in place of the taking of data is answered, and the data are taken back")
    func overtaken() throws {
        let volume = FATVolume.threePhotos
        let host = try DiskHost(with: volume)
        let pipes = host.pipes
        host.begin(DiskHost.read10(2048, 16), .toHost(8192))
        let next = CommandBlockWrapper(
            tag: 2, dataTransferLength: 0, isToHost: true, command: SCSICommand(Self.testUnitReady))
        pipes.state.withLock { state in
            state.beforeSend[1] = {
                pipes.send(next.bytes)
                pipes.state.withLock { ($0.isOvertaken, $0.sent) = (true, []) }
            }
        }
        host.connection.run()
        #expect(try host.answer(tag: 2) == Self.passed)
        #expect(pipes.state.withLock { $0.abandoned } > 0)
    }

    @Test("a cable that is pulled ends everything, whatever byte it was at")
    func unplugging() throws {
        let volume = FATVolume.threePhotos
        let first = try volume.firstBlock(of: 0)
        // While the disk sends.
        for transfer in 0...3 {
            let host = try DiskHost(with: volume)
            let pipes = host.pipes
            host.begin(DiskHost.read10(first, 12), .toHost(6144))
            pipes.state.withLock { $0.beforeSend[transfer] = { pipes.state.withLock { $0.isGone = true } } }
            host.connection.run()
            #expect(pipes.state.withLock { $0.sent.count } == transfer)
            #expect(host.files.openCount == 0)
            #expect(throws: USBPipeError.self) { try host.connection.serve() }
        }
        // While the host sends.
        for count in 0..<40 {
            let host = try DiskHost(with: volume)
            #expect(try host.read(first, 1).status == .passed)
            host.begin(commandBlock(.write10, 0, 0, 0, 0, 0, 0, 0, 2, 0), .fromHost(1024))
            host.pipes.state.withLock { state in
                let bytes = state.packets.flatMap { $0 }.prefix(count)
                state.packets = bytes.isEmpty ? [] : [Array(bytes)]
            }
            host.connection.run()
            #expect(host.files.openCount == 0)
        }
    }

    @Test("closing ends the waiting for commands, and no file stays open")
    func closing() throws {
        let host = try DiskHost(with: .threePhotos)
        #expect(try host.read(FATVolume.threePhotos.firstBlock(of: 0), 1).status == .passed)
        let connection = host.connection
        host.pipes.whenIdle { connection.close() }
        connection.run()
        #expect(host.files.openCount == 0)
        // A reset that comes too late changes nothing.
        connection.reset()
        connection.run()
    }
}
