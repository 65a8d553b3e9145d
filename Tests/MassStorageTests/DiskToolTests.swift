import Foundation
import PinholeTesting
import Platform
import Testing

@testable import MassStorage

@Suite("The disk, as other programs read it")
struct DiskToolTests {
    /// A quarter past nine, local time.
    private static let taken = WallTime(
        unixNanoseconds: 1_796_026_500_000_000_000, offsetSeconds: 3600, isTrusted: true)
    /// An odd second, in another zone.
    private static let later = WallTime(
        unixNanoseconds: 1_796_112_901_500_000_000, offsetSeconds: -7200, isTrusted: true)

    /// What a disk holds, and by what paths.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let files: [FATVolume.File]
        let paths: [String]

        var volume: FATVolume { FATVolume(files: files, serialNumber: 0x1a2b_3c4d) }
    }

    static let few = Case(
        testDescription: "some files",
        files: [
            .init(folders: ["DCIM", "100PINHL"], name: "PINH0001.JPG", byteCount: 300_000, created: taken),
            .init(
                folders: ["DCIM", "100PINHL"], name: "PINH0001.DNG", byteCount: 4096, created: taken, modified: later),
            .init(folders: ["DCIM", "100PINHL"], name: "PINH0002.JPG", byteCount: 0, created: taken),
            .init(folders: ["DCIM", "101PINHL"], name: "PINH0001.JPG", byteCount: 12_345, modified: taken),
            .init(folders: [], name: "a long name.jpeg", byteCount: 1),
            .init(folders: [], name: "A LONG NAME.JPEG", byteCount: 4097, created: later),
        ],
        paths: [
            "DCIM/100PINHL/PINH0001.JPG", "DCIM/100PINHL/PINH0001.DNG", "DCIM/100PINHL/PINH0002.JPG",
            "DCIM/101PINHL/PINH0001.JPG", "ALONGN~1.JPE", "ALONGN~2.JPE",
        ])

    /// Directories of more than a cluster, and many of them.
    static let many: Case = {
        var files = (0..<1200).map { index in
            FATVolume.File(
                folders: ["DCIM", "\(100 + index / 400)PINHL"], name: "PINH\(1000 + index % 400).JPG",
                byteCount: UInt64(index) * 13, created: taken)
        }
        files += (0..<40).map { FATVolume.File(folders: ["A\($0 / 4)", "B", "C\($0)"], name: "D", byteCount: 5000) }
        return Case(
            testDescription: "many files", files: files,
            paths: files.map { ($0.folders + [$0.name]).joined(separator: "/") })
    }()

    static let nothing = Case(testDescription: "nothing", files: [], paths: [])

    @Test("fsck.fat finds nothing", arguments: [nothing, few, many])
    func fsck(disk: Case) throws {
        let image = try DiskImageFile(disk.volume)
        let (output, status) = try image.run(["fsck.fat", "-n", image.partition.path])
        #expect(status == 0, "\(output)")
        // Its own version and a count, and nothing between.
        let lines = output.split(separator: "\n")
        #expect(lines.count == 2, "\(output)")
        #expect(lines.last?.contains("/\(FATLayout.smallestClusterCount) clusters") ?? false, "\(output)")
    }

    @Test("mcopy finds every file, with its size, date and bytes", arguments: [few, many])
    func mcopy(disk: Case) throws {
        let image = try DiskImageFile(disk.volume)
        let copy = image.folder.appendingPathComponent("copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        let (output, status) = try image.run(["mcopy", "-s", "-m", "-i", "disk.img@@1M", "::/", copy.path])
        #expect(status == 0, "\(output)")
        for (index, path) in disk.paths.enumerated() {
            let file = copy.appendingPathComponent(path)
            let bytes = [UInt8](try Data(contentsOf: file))
            #expect(bytes == MadeUpFiles.bytes(index, at: 0, count: Int(disk.files[index].byteCount)), "\(path)")
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            let date = try #require(attributes[.modificationDate] as? Date)
            #expect(date.timeIntervalSince1970 == Self.shownDate(of: disk.files[index]), "\(path)")
        }
        let paths = try FileManager.default.subpathsOfDirectory(atPath: copy.path)
        let folders = paths.filter { path in disk.paths.contains { $0.hasPrefix(path + "/") } }
        #expect(paths.count == folders.count + disk.paths.count)
    }

    /// Seconds from 1970 to the local time of a file, as the programs take it: in steps of two, and no earlier than 1980.
    private static func shownDate(of file: FATVolume.File) -> Double {
        guard let moment = file.modified ?? file.created else { return 315_532_800 }
        return Double((moment.unixSeconds + Int64(moment.offsetSeconds)) / 2 * 2)
    }

    @Test("mattrib shows that files are read-only")
    func attributes() throws {
        let image = try DiskImageFile(Self.few.volume)
        let (output, status) = try image.run(["mattrib", "-i", "disk.img@@1M", "-/", "-X", "::/"])
        #expect(status == 0, "\(output)")
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("AR ") }.count == Self.few.files.count, "\(output)")
        // The others are the root and three folders.
        #expect(lines.filter { $0.hasPrefix("D ") }.count == 4, "\(output)")
        #expect(lines.count == Self.few.files.count + 4, "\(output)")
    }

    @Test("sfdisk finds one partition of FAT32 that reaches to the end of the disk")
    func partition() throws {
        let volume = Self.few.volume
        let image = try DiskImageFile(volume)
        let (output, status) = try image.run(["sfdisk", "-d", "disk.img"])
        #expect(status == 0, "\(output)")
        let words = output.split { " \n,=:".contains($0) }.map(String.init)
        func value(of word: String) -> String? {
            words.firstIndex(of: word).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        }
        #expect(value(of: "label") == "dos")
        #expect(value(of: "label-id") == "0x1a2b3c4d")
        #expect(value(of: "start") == "2048")
        #expect(value(of: "size") == String(volume.blockCount - 2048))
        #expect(value(of: "type") == "c")
        #expect(words.filter { $0 == "start" }.count == 1)
    }

    @Test("blkid knows the volume by its name and number")
    func identity() throws {
        let image = try DiskImageFile(Self.few.volume)
        let (output, status) = try image.run(["blkid", "-p", "-o", "export", "partition.img"])
        #expect(status == 0, "\(output)")
        let lines = Set(output.split(separator: "\n").map(String.init))
        #expect(lines.isSuperset(of: ["LABEL=PINHOLE", "UUID=1A2B-3C4D", "VERSION=FAT32", "TYPE=vfat"]), "\(output)")
    }
}
