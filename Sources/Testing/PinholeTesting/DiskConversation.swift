import MassStorage
import USBGadget

/// What a host says to a disk of four files: packets of any bytes and whole commands, while the medium and the files come
/// and go, and a reset or the end of access comes in the middle of a transfer.
///
/// One byte says what comes next; a small one is the length of a packet whose bytes follow.
package struct DiskConversation {
    private var rest: ArraySlice<UInt8>
    private let files = MadeUpFiles()
    private let pipes = FakeUSBPipes(packetSize: 64)
    private let connection: BulkOnlyConnection
    private var isPresent = false
    private var isHalted = false
    private var tag: UInt32 = 0
    /// What happens before the next transfers to the host, by how many come before it.
    private var surprises: [Int: Surprise] = [:]
    private var fault: String?

    private enum Surprise {
        case reset
        case removal
        case overtaking
    }

    private static let volume = FATVolume(
        files: [
            .init(folders: ["DCIM", "100PINHL"], name: "PINH0001.JPG", byteCount: 9000),
            .init(folders: ["DCIM", "100PINHL"], name: "PINH0001.DNG", byteCount: 4096),
            .init(folders: ["DCIM", "101PINHL"], name: "PINH0001.JPG", byteCount: 0),
            .init(folders: [], name: "a long name.jpeg", byteCount: 513),
        ], serialNumber: 1)

    private static let read10: UInt8 = 0x28
    private static let startStopUnit: UInt8 = 0x1b
    /// The operation codes of the commands that the host sends most, and one that no unit supports.
    private static let operations: [UInt8] = [
        0x00, 0x03, 0x04, 0x08, 0x0a, 0x12, 0x15, 0x1a, 0x1b, 0x1e, 0x23, 0x25, 0x28, 0x2a, 0x2f, 0x35, 0x42, 0x55,
        0x5a, 0x88, 0x8a, 0x9e, 0xa0, 0xa8, 0xaa, 0xff,
    ]

    /// A conversation that bytes stand for.
    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
        connection = BulkOnlyConnection(
            pipes: pipes,
            identity: SCSIIdentity(vendor: "Pinhole", product: "Camera", revision: "1.0", serialNumber: "1"))
    }

    /// Has it from its begin until the host goes.
    ///
    /// - Returns: what was wrong with what the disk did; nil when nothing was.
    package mutating func run() -> String? {
        while let word = rest.popFirst(), fault == nil { say(word) }
        // What never came refers to the pipes that keep it.
        pipes.state.withLock { ($0.packets, $0.whenIdle, $0.beforeSend) = ([], [], [:]) }
        connection.run()
        if files.openCount != 0 { fault = fault ?? "\(files.openCount) files were left open" }
        return fault
    }

    private mutating func say(_ word: UInt8) {
        switch word {
        case 0xf0: reset()
        case 0xf1: isPresent = connection.insert(Self.volume, from: files)
        case 0xf2: removeMedium()
        case 0xf3:
            let (missing, end) = (Int(next() % 5), UInt64(next()) << 6)
            files.state.withLock { ($0.missing, $0.ends) = ([missing], [Int(end % 4): end]) }
        case 0xf4: send([])
        case 0xf5: surprises[Int(next())] = .reset
        case 0xf6: surprises[Int(next())] = .removal
        case 0xf7: surprises[Int(next())] = .overtaking
        case 0xf8...: ask()
        default:
            let packet = Array(rest.prefix(Int(word) % 65))
            rest = rest.dropFirst(packet.count)
            send(packet)
        }
    }

    private mutating func reset() {
        connection.reset()
        serve()
        isHalted = false
    }

    private mutating func removeMedium() {
        connection.removeMedium()
        isPresent = false
        if files.openCount != 0 { fault = "a file was left open after the medium was removed" }
    }

    /// Any packet. What it does to the medium is not followed.
    private mutating func send(_ packet: [UInt8]) {
        pipes.send(packet, emptyPacket: packet.isEmpty)
        let halts = pipes.state.withLock { $0.halts }
        // It may be a command for 4 GiB, of which no host takes all.
        let connection = connection
        pipes.state.withLock { $0.beforeSend = [32: { connection.reset() }] }
        serve()
        pipes.state.withLock { $0.beforeSend = [:] }
        if pipes.state.withLock({ $0.halts }) > halts { isHalted = true }
    }

    private mutating func serve() {
        pipes.state.withLock { $0.sent = [] }
        repeat {
            do throws(USBPipeError) { try connection.serve() } catch {}
        } while !pipes.state.withLock { $0.packets.isEmpty }
    }

    // MARK: Commands

    /// A command with any bytes, or with an address that there mostly is: in the header, a FAT, the files, at the end.
    private mutating func command() -> [UInt8] {
        let operation = Self.operations[Int(next()) % Self.operations.count]
        guard next() & 1 == 0 else { return [operation] + (0..<15).map { _ in next() } }
        var bytes = [operation, next() & 0x1f] + [UInt8](repeating: 0, count: 14)
        let last = Self.volume.blockCount - 4
        let bases: [UInt64] = [0, 2048, 2080, 2600, 3112, 3128, last, UInt64(next()) << 25]
        let block = UInt32(truncatingIfNeeded: bases[Int(next()) % bases.count] + UInt64(next()))
        let (address, count) =
            switch operation >> 5 {
            case 4: (6, 13)
            case 5: (2, 9)
            default: (2, 8)
            }
        for place in 0..<4 { bytes[address + place] = UInt8(truncatingIfNeeded: block >> (24 - 8 * UInt32(place))) }
        bytes[count] = next() & 0x3f
        return bytes
    }

    private mutating func ask() {
        let bytes = command()
        let length = (UInt32(next()) << 8) >> UInt32(next() % 9)
        tag &+= 1
        let wrapper = CommandBlockWrapper(
            tag: tag, dataTransferLength: length, isToHost: next() & 1 == 0,
            command: SCSICommand(Array(bytes.prefix(max(1, Int(next()) % 17)))))
        pipes.send(wrapper.bytes)
        if !wrapper.isToHost, length > 0 {
            let emptyPacket = length % UInt32(pipes.packetSize) == 0
            pipes.send([UInt8](repeating: 7, count: Int(length)), emptyPacket: emptyPacket && next() & 1 == 0)
        }
        let isDisturbed = plan()
        let opened = files.state.withLock { $0.opened.count }
        let wasHalted = isHalted
        serve()
        surprises = [:]
        pipes.state.withLock { ($0.beforeSend, $0.isOvertaken) = ([:], false) }
        if !isPresent, !isDisturbed, files.state.withLock({ $0.opened.count }) > opened {
            fault = "a file was opened without a medium"
        }
        if !isDisturbed, !wasHalted { check(wrapper) }
        // What else was received may have been taken for commands.
        if isDisturbed {
            removeMedium()
            reset()
        }
    }

    /// Whether something happens within the command.
    private func plan() -> Bool {
        for (place, surprise) in surprises {
            let body = body(of: surprise)
            pipes.state.withLock { $0.beforeSend[place] = body }
        }
        return !surprises.isEmpty
    }

    private func body(of surprise: Surprise) -> @Sendable () -> Void {
        let (connection, pipes) = (connection, pipes)
        switch surprise {
        case .reset: return { connection.reset() }
        case .removal: return { connection.removeMedium() }
        case .overtaking: return { pipes.state.withLock { $0.isOvertaken = true } }
        }
    }

    /// A host gets what it has asked for, and one status.
    private mutating func check(_ wrapper: CommandBlockWrapper) {
        let sent = pipes.sent
        let length = Int(wrapper.dataTransferLength)
        let data = sent.dropLast(CommandStatusWrapper.byteCount)
        let status = Array(sent.suffix(CommandStatusWrapper.byteCount))
        guard status.count == CommandStatusWrapper.byteCount, data.count == (wrapper.isToHost ? length : 0) else {
            fault = "\(wrapper) was answered with \(sent.count) bytes"
            return
        }
        let residue = status[8..<12].reversed().reduce(0) { $0 << 8 | Int($1) }
        let expected = CommandStatusWrapper(
            tag: wrapper.tag, dataResidue: UInt32(residue),
            status: CommandStatusWrapper.Status(rawValue: status[12]) ?? .passed)
        guard status == expected.bytes, residue <= length else {
            fault = "\(wrapper) was ended with \(status)"
            return
        }
        if data.dropFirst(length - residue).contains(where: { $0 != 0 }) { fault = "\(wrapper) gave away something" }
        if wrapper.command.bytes[0] == Self.read10, status[12] == 0 {
            checkRead(wrapper, Array(data.dropLast(residue)))
        }
        if wrapper.command.bytes[0] == Self.startStopUnit, status[12] == 0, wrapper.command.bytes[4] & 0xf3 == 2 {
            isPresent = false
        }
    }

    private mutating func checkRead(_ wrapper: CommandBlockWrapper, _ data: [UInt8]) {
        let first = wrapper.command.bytes[2..<6].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var expected: [UInt8] = []
        for block in first..<first + UInt64(data.count / FATVolume.blockSize) {
            expected += MadeUpFiles.bytes(of: Self.volume.pieces(of: block..<block + 1))
        }
        if data != expected { fault = "\(wrapper) read other bytes" }
        if !data.isEmpty, !isPresent { fault = "\(wrapper) read something without a medium" }
    }

    private mutating func next() -> UInt8 { rest.popFirst() ?? 0 }
}
