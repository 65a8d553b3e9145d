import Platform

extension FATVolume {
    /// A part of what a run of blocks holds.
    package enum Piece: Hashable, Sendable {
        /// Bytes of the file system itself.
        case bytes([UInt8])
        /// So many bytes that are zero.
        case zeros(Int)
        /// So many bytes of a file, which has its place in the list, from an offset.
        case file(Int, offset: UInt64, count: Int)

        /// How many bytes it is.
        package var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .zeros(let count), .file(_, _, let count): count
            }
        }
    }

    private var layout: FATLayout { header.layout }

    /// What a run of blocks holds, in order; nothing for blocks that the disk does not have.
    package func pieces(of blocks: Range<UInt64>) -> [Piece] {
        let wanted = blocks.clamped(to: 0..<blockCount)
        var pieces = PieceList()
        var block = wanted.lowerBound
        while block < wanted.upperBound {
            let count = append(block..<wanted.upperBound, to: &pieces)
            block += max(1, count)
        }
        return pieces.pieces
    }

    /// Appends the first blocks of a run.
    ///
    /// - Returns: how many.
    private func append(_ blocks: Range<UInt64>, to pieces: inout PieceList) -> UInt64 {
        let block = blocks.lowerBound
        if block < layout.fatStart {
            if let bytes = header.block(block) { pieces.append(bytes) } else { pieces.append(zeros: Self.blockSize) }
            return 1
        }
        if block < layout.dataStart {
            let first = (block - layout.fatStart) % layout.fatBlocks
            let count = min(UInt64(blocks.count), layout.fatBlocks - first)
            appendFAT(first..<first + count, to: &pieces)
            return count
        }
        return appendData(blocks, to: &pieces)
    }

    // MARK: The FAT

    /// Appends blocks of the FAT (Microsoft FAT Specification, section 4).
    private func appendFAT(_ blocks: Range<UInt64>, to pieces: inout PieceList) {
        let first = blocks.lowerBound * FATLayout.entriesPerBlock
        let end = blocks.upperBound * FATLayout.entriesPerBlock
        guard first < usedEnd else { return pieces.append(zeros: blocks.count * Self.blockSize) }
        // The low byte of the first entry is the medium's; the second says that the volume was left as it should be.
        var entries: [UInt32] = first == 0 ? [0x0fff_fff8, 0x0fff_ffff] : []
        entries.reserveCapacity(Int(end - first))
        var cluster = max(first, FATLayout.firstCluster)
        var index = extentIndex(ofCluster: cluster)
        while cluster < min(end, usedEnd) {
            let extentEnd = clusterEnd(ofExtent: index)
            while cluster < min(end, extentEnd) {
                cluster += 1
                entries.append(cluster == extentEnd ? 0x0fff_ffff : UInt32(truncatingIfNeeded: cluster))
            }
            index += 1
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * MemoryLayout<UInt32>.size)
        for entry in entries { bytes.append(littleEndian: entry) }
        pieces.append(bytes)
        pieces.append(zeros: blocks.count * Self.blockSize - bytes.count)
    }

    // MARK: Files and directories

    private func appendData(_ blocks: Range<UInt64>, to pieces: inout PieceList) -> UInt64 {
        let block = blocks.lowerBound
        let cluster = FATLayout.firstCluster + (block - layout.dataStart) / layout.blocksPerCluster
        guard cluster < usedEnd else {
            pieces.append(zeros: blocks.count * Self.blockSize)
            return UInt64(blocks.count)
        }
        let position = extentIndex(ofCluster: cluster)
        let extent = extents[position]
        let end = min(blocks.upperBound, layout.block(ofCluster: clusterEnd(ofExtent: position)))
        let offset = (block - layout.block(ofCluster: UInt64(extent.cluster))) * UInt64(Self.blockSize)
        let wanted = Int(end - block) * Self.blockSize
        var left = wanted
        if position < directories.count {
            // An entry that was not written in the end, for want of room, is empty.
            let bytes = directories[position].dropFirst(Int(offset)).prefix(wanted)
            pieces.append(Array(bytes))
            left -= bytes.count
        } else if offset < UInt64(extent.byteCount) {
            let count = min(wanted, Int(UInt64(extent.byteCount) - offset))
            pieces.append(.file(Int(extent.index), offset: offset, count: count))
            left -= count
        }
        pieces.append(zeros: left)
        return end - block
    }

    /// The extent that a cluster lies in, which one does.
    private func extentIndex(ofCluster cluster: UInt64) -> Int {
        var range = extents.startIndex..<extents.endIndex
        while range.count > 1 {
            let middle = range.lowerBound + range.count / 2
            if UInt64(extents[middle].cluster) <= cluster {
                range = middle..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    /// The cluster behind the last of an extent.
    private func clusterEnd(ofExtent index: Int) -> UInt64 {
        index + 1 < extents.endIndex ? UInt64(extents[index + 1].cluster) : usedEnd
    }
}

/// Pieces in order, without empty ones.
private struct PieceList {
    private(set) var pieces: [FATVolume.Piece] = []

    mutating func append(_ piece: FATVolume.Piece) {
        pieces.append(piece)
    }

    mutating func append(_ bytes: [UInt8]) {
        if !bytes.isEmpty { pieces.append(.bytes(bytes)) }
    }

    mutating func append(zeros count: Int) {
        guard count > 0 else { return }
        if case .zeros(let before) = pieces.last {
            pieces[pieces.count - 1] = .zeros(before + count)
        } else {
            pieces.append(.zeros(count))
        }
    }
}
