import Foundation
import PinholeTesting
import Testing

@testable import MassStorage

/// A disk written to a file, for the system's own tools.
final class DiskImageFile {
    let folder: URL
    /// The whole disk.
    let disk: URL
    /// Its partition alone.
    let partition: URL

    /// Writes a disk; what is zero stays a hole.
    init(_ volume: FATVolume) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("pinhole-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        disk = folder.appendingPathComponent("disk.img")
        partition = folder.appendingPathComponent("partition.img")
        try Self.write(volume, from: 0, to: disk)
        try Self.write(volume, from: FATLayout.partitionStart, to: partition)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func write(_ volume: FATVolume, from first: UInt64, to file: URL) throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.truncate(atOffset: (volume.blockCount - first) * UInt64(FATVolume.blockSize))
        try handle.seek(toOffset: 0)
        for piece in volume.pieces(of: first..<volume.blockCount) {
            if case .zeros(let count) = piece {
                try handle.seek(toOffset: handle.offset() + UInt64(count))
            } else {
                try handle.write(contentsOf: MadeUpFiles.bytes(of: [piece]))
            }
        }
    }

    /// Runs a program; what it printed, and how it ended.
    func run(_ arguments: [String]) throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        // Debian keeps these programs where only root looks for programs.
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = (environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        (environment["TZ"], environment["LC_ALL"]) = ("UTC", "C")
        // mtools would have whole tracks, which only floppies have.
        environment["MTOOLS_SKIP_CHECK"] = "1"
        process.environment = environment
        process.currentDirectoryURL = folder
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: text, as: UTF8.self), process.terminationStatus)
    }
}
