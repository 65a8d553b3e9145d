import Platform

// The little of FAT32 that finds files on a disk without a mistake.
extension DiskHost {
    /// A file on the disk; nil bytes for one that cannot be read.
    struct File: Equatable {
        var path: String
        var byteCount: Int
        var bytes: [UInt8]?
    }

    /// Every file on the disk, by its path.
    func files() -> [File] {
        guard let record = read(0), let start = number(record, 446 + 8, UInt32.self), let boot = read(start),
            let reserved = number(boot, 14, UInt16.self), let size = number(boot, 36, UInt32.self),
            let root = number(boot, 44, UInt32.self)
        else { return [] }
        let fat = start + UInt32(reserved)
        let volume = Volume(fat: fat, data: fat + UInt32(boot[16]) * size, blocksPerCluster: UInt32(boot[13]))
        return files(in: root, of: volume, "").sorted { $0.path < $1.path }
    }

    private struct Volume {
        var fat: UInt32
        var data: UInt32
        var blocksPerCluster: UInt32
    }

    private func files(in cluster: UInt32, of volume: Volume, _ path: String) -> [File] {
        let entries = bytes(from: cluster, of: volume) ?? []
        return stride(from: 0, to: entries.count, by: 32).flatMap { start -> [File] in
            let entry = Array(entries[start..<start + 32])
            // Free, deleted, itself or its parent, the label.
            guard entry[0] != 0, entry[0] != 0xe5, entry[0] != UInt8(ascii: "."), entry[11] & 0x08 == 0 else {
                return []
            }
            let name = [entry[0..<8], entry[8..<11]].map {
                String(decoding: $0, as: UTF8.self).split(separator: " ").joined()
            }
            let place = path + "/" + name.filter { !$0.isEmpty }.joined(separator: ".")
            let high = UInt32(number(entry, 20, UInt16.self) ?? 0)
            let first = high << 16 | UInt32(number(entry, 26, UInt16.self) ?? 0)
            if entry[11] & 0x10 != 0 { return files(in: first, of: volume, place) }
            let byteCount = Int(number(entry, 28, UInt32.self) ?? 0)
            let bytes = bytes(from: first, of: volume).map { Array($0.prefix(byteCount)) }
            return [File(path: place, byteCount: byteCount, bytes: bytes)]
        }
    }

    /// All clusters of a chain; nil when one cannot be read.
    private func bytes(from cluster: UInt32, of volume: Volume) -> [UInt8]? {
        var (bytes, cluster): ([UInt8], UInt32) = ([], cluster)
        while (2..<0x0fff_fff8).contains(cluster) {
            let block = volume.data + (cluster - 2) * volume.blocksPerCluster
            guard let piece = read(block, count: UInt16(volume.blocksPerCluster)),
                let table = read(volume.fat + cluster / 128),
                let next = number(table, Int(cluster % 128) * 4, UInt32.self)
            else { return nil }
            bytes += piece
            cluster = next & 0x0fff_ffff
        }
        return bytes
    }

    private func number<Number: FixedWidthInteger>(_ bytes: [UInt8], _ offset: Int, _ type: Number.Type) -> Number? {
        bytes.withUnsafeBytes { $0.littleEndian(type, at: offset) }
    }
}
