import Platform

/// The blocks that describe the disk to a host: partition table, boot sector, FSInfo.
struct FATHeader: Sendable {
    /// The positions of the disk's parts.
    let layout: FATLayout
    /// A number that other volumes do not have.
    let serialNumber: UInt32
    /// The volume's label of at most 11 characters, which hosts show.
    let label: FATName
    /// The first cluster that belongs to nothing.
    let nextFree: UInt64

    /// A block before the first FAT; nil for one that is empty.
    func block(_ block: UInt64) -> [UInt8]? {
        guard block >= FATLayout.partitionStart else { return block == 0 ? partitionTable : nil }
        // FAT32 keeps a copy of its first three blocks at the sixth (Microsoft FAT Specification, section 3.6).
        switch block - FATLayout.partitionStart {
        case 0, 6: return bootSector
        case 1, 7: return fileSystemInfo
        case 2, 8: return Self.signed([])
        default: return nil
        }
    }

    /// A master boot record with one partition, which televisions expect (UEFI 2.10, section 5.2.1).
    private var partitionTable: [UInt8] {
        // A PC that starts from here goes on with its next disk: the BIOS call for that.
        var bytes: [UInt8] = [0xcd, 0x18]
        bytes += [UInt8](repeating: 0, count: 440 - bytes.count)
        bytes.append(littleEndian: serialNumber)
        bytes += [0, 0]
        bytes.append(0)  // not active
        bytes += Self.cylinderAddress(of: FATLayout.partitionStart)
        bytes.append(0x0c)  // FAT32, by block numbers
        bytes += Self.cylinderAddress(of: layout.blockCount - 1)
        bytes.append(littleEndian: UInt32(clamping: FATLayout.partitionStart))
        bytes.append(littleEndian: UInt32(clamping: layout.partitionBlocks))
        return Self.signed(bytes)
    }

    /// The boot sector of FAT32 (Microsoft FAT Specification, sections 3.1 and 3.3).
    private var bootSector: [UInt8] {
        // Drivers look for a jump; the name is the one that most drivers take.
        var bytes: [UInt8] = [0xeb, 0x58, 0x90] + Array("MSWIN4.1".utf8)
        bytes.append(littleEndian: UInt16(FATVolume.blockSize))
        bytes.append(UInt8(clamping: layout.blocksPerCluster))
        bytes.append(littleEndian: UInt16(clamping: FATLayout.reservedBlocks))
        bytes.append(UInt8(clamping: FATLayout.fatCount))
        bytes.append(littleEndian: UInt16(0))  // entries of a root directory of a fixed size
        bytes.append(littleEndian: UInt16(0))  // blocks in 16 bits
        bytes.append(0xf8)  // a fixed disk
        bytes.append(littleEndian: UInt16(0))  // blocks of a FAT in 16 bits
        bytes.append(littleEndian: UInt16(63))
        bytes.append(littleEndian: UInt16(255))
        bytes.append(littleEndian: UInt32(clamping: FATLayout.partitionStart))
        bytes.append(littleEndian: UInt32(clamping: layout.partitionBlocks))
        bytes.append(littleEndian: UInt32(clamping: layout.fatBlocks))
        bytes.append(littleEndian: UInt16(0))  // the copies of the FAT are the same
        bytes.append(littleEndian: UInt16(0))  // version
        bytes.append(littleEndian: UInt32(clamping: FATLayout.firstCluster))  // the root directory
        bytes.append(littleEndian: UInt16(1))  // FSInfo
        bytes.append(littleEndian: UInt16(6))  // copy of the boot sector
        bytes += [UInt8](repeating: 0, count: 12)
        bytes += [0x80, 0, 0x29]  // the BIOS's first disk; the next three fields are there
        bytes.append(littleEndian: serialNumber)
        bytes += label.bytes
        bytes += Array("FAT32   ".utf8)
        bytes += [0xcd, 0x18]
        return Self.signed(bytes)
    }

    /// How much is free (Microsoft FAT Specification, section 5).
    private var fileSystemInfo: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(0x4161_5252))
        bytes += [UInt8](repeating: 0, count: 480)
        bytes.append(littleEndian: UInt32(0x6141_7272))
        let free = FATLayout.firstCluster + layout.clusterCount - nextFree
        bytes.append(littleEndian: UInt32(clamping: free))
        bytes.append(littleEndian: free == 0 ? UInt32.max : UInt32(clamping: nextFree))
        return Self.signed(bytes)
    }

    /// A block that ends as all of them do.
    private static func signed(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: FATVolume.blockSize - 2 - bytes.count) + [0x55, 0xaa]
    }

    /// Head, sector and cylinder of a block for 255 heads and 63 sectors; the last there is for what lies beyond.
    private static func cylinderAddress(of block: UInt64) -> [UInt8] {
        let (sectors, heads) = (UInt64(63), UInt64(255))
        let cylinder = block / (sectors * heads)
        guard cylinder < 1024 else { return [0xfe, 0xff, 0xff] }
        return [
            UInt8(truncatingIfNeeded: block / sectors % heads),
            UInt8(truncatingIfNeeded: block % sectors + 1) | UInt8(truncatingIfNeeded: cylinder >> 2 & 0xc0),
            UInt8(truncatingIfNeeded: cylinder),
        ]
    }
}
