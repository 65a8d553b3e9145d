/// A read-only disk with a removable medium, controlled by a host's commands (SPC-4, SBC-3).
package struct SCSIUnit: Sendable {
    /// The state of the drive's medium.
    package enum Medium: Hashable, Sendable {
        /// No medium yet, or the medium was removed.
        case absent
        /// A medium of this many blocks.
        case present(blockCount: UInt64)
        /// The host has ejected the medium, for the rest of the session.
        case ejected
    }

    private let identity: SCSIIdentity
    /// The medium that the host sees.
    package private(set) var medium = Medium.absent
    /// The reason for which the last command failed.
    private var sense: SCSISense?
    /// A unit attention that the host must receive before other commands succeed.
    private var attention: SCSISense?
    private var isRemovalPrevented = false

    /// A unit without a medium.
    package init(identity: SCSIIdentity) {
        self.identity = identity
    }

    // MARK: The medium

    /// Inserts a medium in place of the present one.
    ///
    /// - Returns: false after the host has ejected a medium.
    package mutating func insert(blockCount: UInt64) -> Bool {
        guard medium != .ejected else { return false }
        medium = .present(blockCount: blockCount)
        attention = .mediumMayHaveChanged
        return true
    }

    /// Removes the medium, even if the host has prevented removal.
    package mutating func removeMedium() {
        guard medium != .ejected else { return }
        medium = .absent
        attention = nil
    }

    /// Resets the unit. A pending unit attention remains.
    package mutating func reset() {
        (sense, isRemovalPrevented) = (nil, false)
    }

    // MARK: Commands

    /// Carries out a command, and remembers its sense data.
    package mutating func handle(_ command: SCSICommand) -> SCSIReply {
        let reply = reply(to: command)
        sense = reply.sense
        return reply
    }

    /// Records that the data of the last command could not be read.
    package mutating func fail(_ sense: SCSISense) {
        self.sense = sense
    }

    private mutating func reply(to command: SCSICommand) -> SCSIReply {
        guard let operation = command.operation else { return .refused(.invalidOperationCode) }
        guard command.isWhole else { return .refused(.invalidField) }
        if let attention, !operation.passesAttention {
            self.attention = nil
            return .refused(attention)
        }
        if operation.needsMedium, blockCount == nil { return .refused(.mediumNotPresent) }
        switch operation {
        case .testUnitReady, .synchronizeCache10: return .good
        case .requestSense: return requestSense(command)
        case .inquiry: return inquiry(command)
        case .reportLUNs: return reportLUNs(command)
        case .modeSense6: return modeSense(command, limit: UInt64(command[4]), isLong: false)
        case .modeSense10: return modeSense(command, limit: command.number(at: 7, bytes: 2), isLong: true)
        case .startStopUnit: return startStop(command)
        case .preventAllowMediumRemoval:
            isRemovalPrevented = command[4] & 0x01 != 0
            return .good
        case .readFormatCapacities: return readFormatCapacities(command)
        case .readCapacity10: return readCapacity10(command)
        case .serviceActionIn16: return readCapacity16(command)
        case .read6, .read10, .read12, .read16: return read(command)
        case .verify10: return verify(command)
        case .modeSelect6: return refuse(command, .invalidField, byteCount: UInt64(command[4]))
        case .modeSelect10: return refuse(command, .invalidField, byteCount: command.number(at: 7, bytes: 2))
        case .formatUnit: return refuse(command, .writeProtected, byteCount: nil)
        case .unmap: return refuse(command, .writeProtected, byteCount: command.number(at: 7, bytes: 2))
        case .writeSame10, .writeSame16: return refuse(command, .writeProtected, byteCount: Self.blockSize)
        case .write6, .write10, .write12, .write16, .writeAndVerify10, .writeAndVerify12, .writeAndVerify16:
            return refuse(command, .writeProtected, byteCount: command.blocks.count * Self.blockSize)
        }
    }

    private static let blockSize = UInt64(FATVolume.blockSize)

    private var blockCount: UInt64? {
        if case .present(let count) = medium { count } else { nil }
    }

    /// Refuses a command that would write; its data is discarded.
    private func refuse(_ command: SCSICommand, _ sense: SCSISense, byteCount: UInt64?) -> SCSIReply {
        SCSIReply(data: byteCount == 0 ? .none : .unwanted(byteCount), sense: sense)
    }

    // MARK: Reading

    private func read(_ command: SCSICommand) -> SCSIReply {
        guard let blocks = blocks(of: command) else { return .refused(.blockOutOfRange) }
        // The medium has no protection information. READ(6) has a part of the address in these bits.
        guard command.operation == .read6 || command[1] & 0xe0 == 0 else { return .refused(.invalidField) }
        return SCSIReply(data: blocks.isEmpty ? .none : .blocks(blocks), sense: nil)
    }

    /// Checks only the range: only the files themselves can fail, which reading shows.
    private func verify(_ command: SCSICommand) -> SCSIReply {
        guard blocks(of: command) != nil else { return .refused(.blockOutOfRange) }
        // Neither protection information nor bytes to compare with.
        return command[1] & 0xe6 == 0 ? .good : .refused(.invalidField)
    }

    private func blocks(of command: SCSICommand) -> Range<UInt64>? {
        let (first, count) = command.blocks
        guard let blockCount, first < blockCount, count <= blockCount - first else { return nil }
        return first..<first + count
    }

    private func readCapacity10(_ command: SCSICommand) -> SCSIReply {
        // An address is valid only with the PMI bit.
        guard let blockCount, command.number(at: 2, bytes: 4) == 0 || command[8] & 0x01 == 1 else {
            return .refused(.invalidField)
        }
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(clamping: blockCount - 1))
        bytes.append(bigEndian: UInt32(FATVolume.blockSize))
        return .data(bytes, limit: .max)
    }

    private func readCapacity16(_ command: SCSICommand) -> SCSIReply {
        guard
            let blockCount, command[1] & 0x1f == 0x10,
            command.number(at: 2, bytes: 8) == 0 || command[14] & 0x01 == 1
        else { return .refused(.invalidField) }
        var bytes: [UInt8] = []
        bytes.append(bigEndian: blockCount - 1)
        bytes.append(bigEndian: UInt32(FATVolume.blockSize))
        bytes += [UInt8](repeating: 0, count: 20)
        return .data(bytes, limit: command.number(at: 10, bytes: 4))
    }

    private func readFormatCapacities(_ command: SCSICommand) -> SCSIReply {
        var bytes: [UInt8] = [0, 0, 0, 8]
        bytes.append(bigEndian: UInt32(clamping: blockCount ?? 0))
        // A formatted medium, or none; then the size of a block in three bytes.
        bytes.append(bigEndian: UInt32(blockCount == nil ? 0x03 : 0x02) << 24 | UInt32(FATVolume.blockSize))
        return .data(bytes, limit: command.number(at: 7, bytes: 2))
    }

    // MARK: Identity and modes

    private mutating func requestSense(_ command: SCSICommand) -> SCSIReply {
        // The unit has no descriptor format.
        guard command[1] & 0x01 == 0 else { return .refused(.invalidField) }
        // The result of the last command comes first, then a unit attention.
        var reported = sense ?? .none
        if sense == nil, let attention {
            reported = attention
            self.attention = nil
        }
        return .data(reported.fixedFormat, limit: UInt64(command[4]))
    }

    private func inquiry(_ command: SCSICommand) -> SCSIReply {
        let limit = command.number(at: 3, bytes: 2)
        switch command[1] & 0x03 {
        case 0 where command[2] == 0: return .data(identity.standard, limit: limit)
        case 1:
            guard let page = identity.page(command[2]) else { return .refused(.invalidField) }
            return .data(page, limit: limit)
        default: return .refused(.invalidField)
        }
    }

    private func reportLUNs(_ command: SCSICommand) -> SCSIReply {
        let limit = command.number(at: 6, bytes: 4)
        guard limit >= 16 else { return .refused(.invalidField) }
        switch command[2] {
        case 0, 2: return .data([0, 0, 0, 8] + [UInt8](repeating: 0, count: 12), limit: limit)
        // The unit has no well-known logical units.
        case 1: return .data([UInt8](repeating: 0, count: 8), limit: limit)
        default: return .refused(.invalidField)
        }
    }

    private func modeSense(_ command: SCSICommand, limit: UInt64, isLong: Bool) -> SCSIReply {
        let (control, page, subpage) = (command[2] >> 6, command[2] & 0x3f, command[3])
        guard control != 3 else { return .refused(.savingNotSupported) }
        guard page == 0x08 && subpage == 0 || page == 0x3f && (subpage == 0 || subpage == 0xff) else {
            return .refused(.invalidField)
        }
        // The caching page (SBC-3, "Caching mode page"): no write cache, and no value can be changed.
        let caching: [UInt8] = [0x08, 0x12] + [UInt8](repeating: 0, count: 18)
        // The header says that the medium is write-protected (SBC-3, "Mode parameter header").
        var bytes: [UInt8] = []
        if isLong {
            bytes.append(bigEndian: UInt16(6 + caching.count))
            bytes += [0x00, 0x80, 0, 0, 0, 0]
        } else {
            bytes += [UInt8(3 + caching.count), 0x00, 0x80, 0]
        }
        return .data(bytes + caching, limit: limit)
    }

    private mutating func startStop(_ command: SCSICommand) -> SCSIReply {
        // Changes of power need no medium and change nothing here.
        guard command[4] & 0xf0 == 0 else { return .good }
        let (loadsOrEjects, starts) = (command[4] & 0x02 != 0, command[4] & 0x01 != 0)
        if starts { return blockCount == nil ? .refused(.mediumNotPresent) : .good }
        guard loadsOrEjects, blockCount != nil else { return .good }
        guard !isRemovalPrevented else { return .refused(.removalPrevented) }
        medium = .ejected
        return .good
    }
}
