import PinholeTesting
import Platform
import Testing

@testable import MassStorage

@Suite("The disk of a list of files")
struct FATVolumeTests {
    /// Files of all sizes around clusters and blocks, in folders that lie in each other.
    private static func files(_ random: inout SeededGenerator) -> [FATVolume.File] {
        let folders: [[String]] = [
            [], ["DCIM"], ["DCIM", "100PINHL"], ["DCIM", "101PINHL"], ["A", "B", "C", "D"], ["a folder"],
        ]
        let names = ["PINH0001.JPG", "pinh0001.jpg", "a long name.jpeg", "NOEXT", "Übung.tif"]
        return (0..<Int.random(in: 0...60, using: &random)).map { index in
            let size: UInt64 =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: 0
                case 1: UInt64.random(in: 1...600, using: &random)
                case 2: UInt64.random(in: 1...4, using: &random) * 4096 + UInt64.random(in: 0...2, using: &random) - 1
                default: UInt64.random(in: 1...20_000, using: &random)
                }
            return FATVolume.File(
                folders: folders[Int.random(in: 0..<folders.count, using: &random)],
                name: index % 3 == 0 ? names[index / 3 % names.count] : "PINH\(1000 + index).JPG", byteCount: size)
        }
    }

    @Test("a host finds every file once, whole, and nothing else", arguments: 1...12)
    func reading(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let files = Self.files(&random)
        let host = try DiskHost(with: FATVolume(files: files, serialNumber: 1))
        let reader = try FATReader { blocks in
            var bytes: [UInt8] = []
            for block in stride(from: blocks.lowerBound, to: blocks.upperBound, by: 128) {
                let answer = try host.read(block, Int(min(128, blocks.upperBound - block)))
                try #require(answer.status == .passed && answer.residue == 0)
                bytes += answer.data
            }
            return bytes
        }
        let found = try reader.files()
        #expect(found.count == files.count)
        #expect(found.allSatisfy { $0.attributes == 0x21 })
        // The order in a directory is the list's.
        let expected = Dictionary(grouping: files.indices) { index in
            files[index].folders.map { $0 == "a folder" ? "AFOLDE~1/" : $0 + "/" }.joined()
        }
        let shown = Dictionary(grouping: found) { file in
            file.path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
        }
        #expect(Set(expected.keys) == Set(shown.keys))
        for (folder, indices) in expected {
            let there = try #require(shown[folder])
            try #require(there.map { UInt64($0.byteCount) } == indices.map { files[$0].byteCount })
            for (file, index) in zip(there, indices) {
                let (bytes, slack) = try reader.content(of: file)
                #expect(bytes == MadeUpFiles.bytes(index, at: 0, count: bytes.count), "\(file.path)")
                #expect(slack.allSatisfy { $0 == 0 })
            }
        }
        // No cluster belongs to two files; those that belong to none are free, and are counted.
        let used = found.flatMap(\.clusters)
        #expect(Set(used).count == used.count)
        let free = reader.entries.dropFirst(2).filter { $0 == 0 }.count
        #expect(Int(reader.freeCount) == free)
        #expect(reader.entries.prefix(2) == [0x0fff_fff8, 0x0fff_ffff])
        #expect(host.files.openCount <= 1)
    }

    @Test("however reads are cut, the bytes are the same", arguments: 1...8)
    func splits(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let volume = FATVolume(files: Self.files(&random), serialNumber: 1)
        let host = try DiskHost(with: volume)
        let layout = volume.header.layout
        let places = [
            0, FATLayout.partitionStart, layout.fatStart, layout.fatStart + layout.fatBlocks, layout.dataStart,
            layout.block(ofCluster: volume.usedEnd), layout.blockCount - 1,
        ]
        for _ in 0..<200 {
            let spread = UInt64.random(in: 0...60, using: &random)
            let place = places[Int.random(in: 0..<places.count, using: &random)]
            let first = Bool.random(using: &random) ? place + spread : place - min(place, spread)
            guard first < volume.blockCount else { continue }
            let count = min(Int.random(in: 1...40, using: &random), Int(volume.blockCount - first))
            var expected: [UInt8] = []
            for block in first..<first + UInt64(count) {
                let bytes = MadeUpFiles.bytes(of: volume.pieces(of: block..<block + 1))
                try #require(bytes.count == 512)
                expected += bytes
            }
            let answer = try host.perform(Self.command(first, count, &random), .toHost(count * 512))
            #expect(answer == DiskHost.Answer(data: expected, residue: 0, status: .passed))
        }
    }

    /// One of the four reading commands.
    private static func command(_ first: UInt64, _ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8]
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where first < 1 << 21:
            bytes = commandBlock(.read6)
            bytes += withUnsafeBytes(of: UInt32(first).bigEndian) { Array($0.dropFirst()) }
            return bytes + [UInt8(count), 0]
        case 1:
            bytes = commandBlock(.read12, 0)
            bytes.append(bigEndian: UInt32(first))
        case 2:
            bytes = commandBlock(.read16, 0)
            bytes.append(bigEndian: first)
        default: return DiskHost.read10(first, count)
        }
        bytes.append(bigEndian: UInt32(count))
        return bytes + [0, 0]
    }

    @Test("a hundred thousand photos fit, and any block of them is found")
    func large() throws {
        let files = (0..<100_000).map { index in
            FATVolume.File(
                folders: ["DCIM", "\(100 + index / 9999)PINHL"], name: "PINH\(1000 + index % 9000).JPG",
                byteCount: 4_000_000 + UInt64(index))
        }
        let volume = FATVolume(files: files, serialNumber: 1)
        #expect(volume.omittedCount == 0)
        let layout = volume.header.layout
        #expect(layout.blocksPerCluster == 64)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let index = Int.random(in: 0..<files.count, using: &random)
            let offset = UInt64.random(in: 0..<files[index].byteCount / 512, using: &random) * 512
            let first = try volume.firstBlock(of: index)
            let block = first + offset / 512
            let count = Int(min(512, files[index].byteCount - offset))
            #expect(volume.pieces(of: block..<block + 1).first == .file(index, offset: offset, count: count))
            // Its entry in both FATs is the next cluster, or the end.
            let cluster = 2 + (block - layout.dataStart) / layout.blocksPerCluster
            let isLast = (offset / layout.bytesPerCluster + 1) * layout.bytesPerCluster >= files[index].byteCount
            for fat in [layout.fatStart, layout.fatStart + layout.fatBlocks] {
                let bytes = MadeUpFiles.bytes(
                    of: volume.pieces(of: fat + cluster / 128..<fat + cluster / 128 + 1))
                let entry = bytes.withUnsafeBytes { $0.littleEndian(UInt32.self, at: Int(cluster % 128) * 4) }
                #expect(entry == (isLast ? 0x0fff_ffff : UInt32(cluster + 1)))
            }
        }
        // No free cluster needs to be.
        #expect(volume.usedEnd == layout.clusterCount + 2)
    }

    @Test("files of 4 GiB are left out, those of a byte less are not")
    func tooLarge() throws {
        let volume = FATVolume(
            files: [
                .init(folders: [], name: "LARGE.DNG", byteCount: 1 << 32),
                .init(folders: [], name: "FITS.DNG", byteCount: 1 << 32 - 1),
                .init(folders: [], name: "HUGE.DNG", byteCount: .max),
            ], serialNumber: 1)
        #expect(volume.omittedCount == 2)
        let first = try volume.firstBlock(of: 1)
        let last = first + (1 << 32) / 512 - 1
        #expect(
            volume.pieces(of: last..<last + 1) == [.file(1, offset: 1 << 32 - 512, count: 511), .zeros(1)])
    }

    @Test("a disk ends before 2 TiB, and what does not fit is left out")
    func tooMany() {
        let files =
            (0..<600).map {
                FATVolume.File(folders: ["DCIM", "100PINHL"], name: "PINH\(1000 + $0).JPG", byteCount: 1 << 32 - 1)
            } + [.init(folders: ["DCIM", "100PINHL"], name: "SMALL.JPG", byteCount: 1000)]
        let volume = FATVolume(files: files, serialNumber: 1)
        #expect((85...90).contains(volume.omittedCount))
        #expect(volume.blockCount <= UInt64(UInt32.max))
        #expect(volume.blockCount > UInt64(UInt32.max) - (1 << 24))
        // What is small still fits.
        #expect(volume.extents.last?.index == 600)
    }

    @Test("a directory has no more than 65,536 entries")
    func fullDirectory() {
        let files = (0..<65_540).map { FATVolume.File(folders: ["D"], name: "a long name \($0)", byteCount: 1) }
        let volume = FATVolume(files: files, serialNumber: 1)
        // Two entries are the directory's own.
        #expect(volume.omittedCount == 6)
        #expect(volume.directories[1].count == 2 << 20)
        let names = stride(from: 0, to: 2 << 20, by: 32).map { Array(volume.directories[1][$0..<$0 + 11]) }
        #expect(Set(names).count == 65_536)
        let crowd = FATVolume(
            files: (0..<65_600).map { FATVolume.File(folders: ["F\($0)", "G"], name: "X", byteCount: 1) },
            serialNumber: 1)
        #expect(crowd.omittedCount == 65_600 - 65_535)
    }

    @Test("there is nothing beyond the end of the disk")
    func end() {
        let volume = FATVolume.threePhotos
        #expect(volume.pieces(of: volume.blockCount..<volume.blockCount + 1).isEmpty)
        #expect(volume.pieces(of: volume.blockCount - 1 ..< .max) == [.zeros(512)])
        #expect(volume.pieces(of: .max ..< .max).isEmpty)
        #expect(volume.pieces(of: 5..<5).isEmpty)
    }

    @Test("another number changes only the blocks that contain it")
    func serialNumber() {
        let files = [FATVolume.File(folders: ["DCIM"], name: "PINH0001.JPG", byteCount: 9000)]
        let volumes = [1, 2].map { FATVolume(files: files, serialNumber: $0) }
        let used = 0..<volumes[0].header.layout.block(ofCluster: volumes[0].usedEnd)
        let different = used.filter { volumes[0].pieces(of: $0..<$0 + 1) != volumes[1].pieces(of: $0..<$0 + 1) }
        #expect(different == [0, 2048, 2054])
    }

    @Test(
        "dates that a directory cannot have are the nearest that it can",
        arguments: [
            (-1_000_000_000, 0x21, 0, 0), (315_532_799, 0x21, 0, 0), (315_532_801, 0x21, 0, 100),
            (1_796_030_101, 0x5d7e, 0x49e0, 100), (4_354_819_198, 0xff9f, 0xbf7d, 0),
            (4_354_819_200, 0xff9f, 0xbf7d, 199),
        ])
    func dates(seconds: Int64, day: UInt16, time: UInt16, hundredths: UInt8) {
        let date = FATDate(WallTime(unixNanoseconds: seconds * 1_000_000_000, offsetSeconds: 0, isTrusted: true))
        #expect(date.day == day && date.time == time && date.hundredths == hundredths)
        #expect(FATDate(nil) == .unknown)
    }
}
