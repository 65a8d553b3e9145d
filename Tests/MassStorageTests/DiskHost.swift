import PinholeTesting
import Synchronization
import Testing
import USBGadget

@testable import MassStorage

/// A host that commands a disk, one command after the other, on one thread.
struct DiskHost {
    /// What came back of a command.
    struct Answer: Equatable {
        var data: [UInt8]
        var residue: Int
        var status: CommandStatusWrapper.Status
    }

    /// The way of the data that the host has in mind.
    enum Data: Equatable {
        case none
        case toHost(Int)
        case fromHost(Int)
    }

    let pipes = FakeUSBPipes(packetSize: 64)
    let files = MadeUpFiles()
    let events = Recorder<BulkOnlyConnection.Event>()
    let connection: BulkOnlyConnection

    init() {
        let events = events
        connection = BulkOnlyConnection(
            pipes: pipes,
            identity: SCSIIdentity(
                vendor: "Pinhole", product: "Pinhole Camera", revision: "1.0", serialNumber: "00c0ffee"),
            happened: { events.add($0) })
    }

    /// A host whose medium is there and known.
    init(with volume: FATVolume) throws {
        self.init()
        connection.insert(volume, from: files)
        #expect(try perform(commandBlock(.testUnitReady, 0, 0, 0, 0, 0)).status == .failed)
        #expect(try sense() == .mediumMayHaveChanged)
    }

    /// Has a command carried out.
    func perform(_ command: [UInt8], _ data: Data = .none, tag: UInt32 = 0x1234_5678) throws -> Answer {
        begin(command, data, tag: tag)
        try connection.serve()
        return try answer(tag: tag)
    }

    /// Sends a command and its data.
    func begin(_ command: [UInt8], _ data: Data = .none, tag: UInt32 = 0x1234_5678) {
        pipes.state.withLock { $0.sent = [] }
        var wrapper = CommandBlockWrapper(
            tag: tag, dataTransferLength: 0, isToHost: true, command: SCSICommand(command))
        switch data {
        case .none: break
        case .toHost(let count): wrapper.dataTransferLength = UInt32(count)
        case .fromHost(let count): (wrapper.dataTransferLength, wrapper.isToHost) = (UInt32(count), false)
        }
        pipes.send(wrapper.bytes)
        if case .fromHost(let count) = data { pipes.send([UInt8](repeating: 0xaa, count: count)) }
    }

    /// What the disk has sent since: data, then a status that is valid and meaningful (section 6.3).
    func answer(tag: UInt32 = 0x1234_5678) throws -> Answer {
        let transfers = pipes.state.withLock { $0.sent }
        // Only the last of the data's transfers may end with a packet that is not full.
        for transfer in transfers.dropLast(2) {
            #expect(!transfer.isEmpty)
            let excess = transfer.count % pipes.packetSize
            #expect(excess == 0)
        }
        let bytes = try #require(transfers.last)
        try #require(bytes.count == CommandStatusWrapper.byteCount)
        let status = try #require(CommandStatusWrapper.Status(rawValue: bytes[12]))
        let residue = bytes[8..<12].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        #expect(bytes == CommandStatusWrapper(tag: tag, dataResidue: residue, status: status).bytes)
        #expect(pipes.state.withLock { $0.packets.isEmpty })
        return Answer(data: transfers.dropLast().flatMap { $0 }, residue: Int(residue), status: status)
    }

    /// The sense data of the last command, from REQUEST SENSE.
    func sense() throws -> SCSISense {
        let bytes = try perform(commandBlock(.requestSense, 0, 0, 0, 18, 0), .toHost(18)).data
        try #require(bytes.count == 18)
        let key = try #require(SCSISense.Key(rawValue: bytes[2]))
        return SCSISense(key: key, code: UInt16(bytes[12]) << 8 | UInt16(bytes[13]))
    }

    /// Reads blocks with READ (10).
    func read(_ first: UInt64, _ count: Int) throws -> Answer {
        try perform(Self.read10(first, count), .toHost(count * 512))
    }

    static func read10(_ first: UInt64, _ count: Int) -> [UInt8] {
        var bytes = commandBlock(.read10, 0)
        bytes.append(bigEndian: UInt32(first))
        bytes.append(0)
        bytes.append(bigEndian: UInt16(count))
        return bytes + [0]
    }
}

/// A command descriptor block: an operation code and the bytes that follow it.
func commandBlock(_ operation: SCSIOperation, _ bytes: UInt8...) -> [UInt8] {
    [operation.rawValue] + bytes
}

extension FATVolume {
    /// Three photos in two directories, as a camera shows them.
    static let threePhotos = FATVolume(
        files: [
            File(folders: ["DCIM", "100PINHL"], name: "PINH0001.JPG", byteCount: 9000),
            File(folders: ["DCIM", "100PINHL"], name: "PINH0002.JPG", byteCount: 8192),
            File(folders: ["DCIM", "101PINHL"], name: "PINH0001.JPG", byteCount: 1),
        ], serialNumber: 0x1a2b_3c4d)

    /// First block of a file.
    func firstBlock(of index: Int) throws -> UInt64 {
        let extent = try #require(extents.dropFirst(directories.count).first { $0.index == UInt32(index) })
        return header.layout.block(ofCluster: UInt64(extent.cluster))
    }
}
