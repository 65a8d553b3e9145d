import Testing

@testable import MassStorage

/// Reads a disk as a host does, knowing nothing of how it was made: from its blocks.
struct FATReader {
    /// A file that was found.
    struct File: Equatable {
        var path: String
        var byteCount: UInt32
        var clusters: [UInt32]
        var attributes: UInt8
    }

    private let read: (Range<UInt64>) throws -> [UInt8]
    private let start: UInt64
    private let blocksPerCluster: UInt64
    private let dataStart: UInt64
    private let root: UInt32
    /// The FAT.
    let entries: [UInt32]
    let clusterCount: Int
    /// What FSInfo says.
    let freeCount: UInt32

    init(_ read: @escaping (Range<UInt64>) throws -> [UInt8]) throws {
        self.read = read
        let table = try read(0..<1)
        try #require(Array(table[510...]) == [0x55, 0xaa])
        let start = UInt64(Self.number(table, 454, 4))
        self.start = start
        let boot = try read(start..<start + 1)
        let copy = try read(start + 6..<start + 9)
        #expect(try read(start..<start + 3) == copy)
        let reserved = UInt64(Self.number(boot, 14, 2))
        let fatBlocks = UInt64(Self.number(boot, 36, 4))
        blocksPerCluster = UInt64(boot[13])
        root = Self.number(boot, 44, 4)
        dataStart = start + reserved + UInt64(boot[16]) * fatBlocks
        #expect(dataStart % 8 == 0)
        let blocks = UInt64(Self.number(boot, 32, 4))
        clusterCount = Int((start + blocks - dataStart) / blocksPerCluster)
        // What makes it FAT32.
        #expect(clusterCount >= 65525 + 16)
        let fat = start + reserved
        let first = try read(fat..<fat + fatBlocks)
        let second = try read(fat + fatBlocks..<dataStart)
        #expect(first == second)
        entries = (0..<clusterCount + 2).map { Self.number(first, $0 * 4, 4) }
        let rest = first.dropFirst((clusterCount + 2) * 4)
        #expect(rest.allSatisfy { $0 == 0 })
        freeCount = Self.number(try read(start + 1..<start + 2), 488, 4)
    }

    /// All files, each with its path; and what a directory says of itself and its parent is right.
    func files() throws -> [File] {
        try files(in: root, parent: nil, path: "")
    }

    private func files(in cluster: UInt32, parent: UInt32?, path: String) throws -> [File] {
        let bytes = try clusters(from: cluster).flatMap { try self.bytes(of: $0) }
        var found: [File] = []
        var own: [String: UInt32] = [:]
        var names: Set<String> = []
        for place in stride(from: 0, to: bytes.count, by: 32) where bytes[place] != 0 {
            let entry = Array(bytes[place..<place + 32])
            let target = Self.number(entry, 20, 2) << 16 | Self.number(entry, 26, 2)
            let name = Self.name(entry)
            if entry[11] & 0x08 != 0 {
                #expect(parent == nil && name == "PINHOLE")
            } else if name == "." || name == ".." {
                own[name] = target
            } else if entry[11] & 0x10 != 0 {
                #expect(names.insert(name).inserted)
                found += try files(in: target, parent: cluster == root ? 0 : cluster, path: path + name + "/")
            } else {
                #expect(names.insert(name).inserted)
                let size = Self.number(entry, 28, 4)
                let chain = size == 0 ? [] : try clusters(from: target)
                let bytesPerCluster = UInt32(blocksPerCluster) * 512
                let expected = Int((size + bytesPerCluster - 1) / bytesPerCluster)
                #expect(chain.count == expected)
                #expect(size > 0 || target == 0)
                found.append(File(path: path + name, byteCount: size, clusters: chain, attributes: entry[11]))
            }
        }
        #expect(own == (parent.map { [".": cluster, "..": $0] } ?? [:]))
        return found
    }

    /// The clusters of a chain.
    func clusters(from first: UInt32) throws -> [UInt32] {
        var chain: [UInt32] = []
        var cluster = first
        while cluster < 0x0fff_fff8 {
            try #require(cluster >= 2 && Int(cluster) < entries.count && chain.count <= clusterCount)
            chain.append(cluster)
            cluster = entries[Int(cluster)]
        }
        return chain
    }

    /// The bytes of a file, and what lies behind them in its last cluster.
    func content(of file: File) throws -> (bytes: [UInt8], slack: [UInt8]) {
        let bytes = try file.clusters.flatMap { try self.bytes(of: $0) }
        return (Array(bytes.prefix(Int(file.byteCount))), Array(bytes.dropFirst(Int(file.byteCount))))
    }

    private func bytes(of cluster: UInt32) throws -> [UInt8] {
        let block = dataStart + UInt64(cluster - 2) * blocksPerCluster
        return try read(block..<block + blocksPerCluster)
    }

    private static func name(_ entry: [UInt8]) -> String {
        func text(_ part: ArraySlice<UInt8>) -> String {
            String(String(decoding: part, as: UTF8.self).reversed().drop { $0 == " " }.reversed())
        }
        let suffix = text(entry[8..<11])
        return text(entry[0..<8]) + (suffix.isEmpty ? "" : "." + suffix)
    }

    private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt32 {
        bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
