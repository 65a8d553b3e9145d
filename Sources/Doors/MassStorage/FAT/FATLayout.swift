/// Where the parts of the disk lie, in blocks (Microsoft FAT Specification, section 3).
///
/// Blocks and sectors are the same here: 512 bytes.
struct FATLayout: Hashable, Sendable {
    /// First block of the partition, at 1 MiB, where partitioning tools put it.
    static let partitionStart: UInt64 = 2048
    /// Blocks before the first FAT.
    static let reservedBlocks: UInt64 = 32
    /// The number of copies of the FAT.
    static let fatCount: UInt64 = 2
    /// Entries of the FAT in a block.
    static let entriesPerBlock: UInt64 = 128
    /// The number of the first cluster.
    static let firstCluster: UInt64 = 2
    /// A volume with fewer than 65,525 clusters is not FAT32; the specification advises to stay clear of that number.
    static let smallestClusterCount: UInt64 = 65_600
    /// A disk has so many blocks at most, because partitions and FAT32 count them with 32 bits.
    private static let blockLimit = UInt64(UInt32.max)
    /// Data begins at a multiple of 4 KiB, so that a host's pages are pages of the files.
    private static let alignment: UInt64 = 8

    /// The size of a cluster in blocks.
    let blocksPerCluster: UInt64
    /// How many clusters there are.
    let clusterCount: UInt64

    /// The smallest layout that has so many clusters.
    init(blocksPerCluster: UInt64, clusterCount: UInt64) {
        self.blocksPerCluster = blocksPerCluster
        self.clusterCount = max(clusterCount, Self.smallestClusterCount)
    }

    /// The size of a cluster for files of so many bytes together: the specification's own table.
    static func blocksPerCluster(forBytes count: UInt64) -> UInt64 {
        switch count {
        case ...(8 << 30): 8
        case ...(16 << 30): 16
        case ...(32 << 30): 32
        default: 64
        }
    }

    /// The most clusters that a disk has room for, and that the FAT can number.
    static func clusterLimit(blocksPerCluster: UInt64) -> UInt64 {
        // A cluster needs its blocks and, in each FAT, a part of one; rounding needs less than two blocks and two
        // alignments.
        let room = blockLimit - partitionStart - reservedBlocks - fatCount * (alignment + 1)
        return min(room * entriesPerBlock / (blocksPerCluster * entriesPerBlock + fatCount), 0x0fff_fff5)
    }

    /// Blocks of one copy of the FAT.
    var fatBlocks: UInt64 {
        let entries = Self.firstCluster + clusterCount
        let blocks = (entries + Self.entriesPerBlock - 1) / Self.entriesPerBlock
        return (blocks + Self.alignment - 1) / Self.alignment * Self.alignment
    }

    /// First block of the first FAT.
    var fatStart: UInt64 { Self.partitionStart + Self.reservedBlocks }
    /// First block of the first cluster.
    var dataStart: UInt64 { fatStart + Self.fatCount * fatBlocks }
    /// The size of the disk in blocks.
    var blockCount: UInt64 { dataStart + clusterCount * blocksPerCluster }
    /// Blocks of the partition, which reaches to the end of the disk.
    var partitionBlocks: UInt64 { blockCount - Self.partitionStart }
    /// The size of a cluster in bytes.
    var bytesPerCluster: UInt64 { blocksPerCluster * UInt64(FATVolume.blockSize) }

    /// First block of a cluster.
    func block(ofCluster cluster: UInt64) -> UInt64 {
        dataStart + (cluster - Self.firstCluster) * blocksPerCluster
    }

    /// Clusters that so many bytes need.
    func clusters(forBytes count: UInt64) -> UInt64 {
        Self.clusters(forBytes: count, blocksPerCluster: blocksPerCluster)
    }

    /// The same for a cluster of so many blocks.
    static func clusters(forBytes count: UInt64, blocksPerCluster: UInt64) -> UInt64 {
        let size = blocksPerCluster * UInt64(FATVolume.blockSize)
        return count / size + (count % size == 0 ? 0 : 1)
    }
}
