import Configuration
import Console
import Glibc
import Platform

/// A board and its configuration file: `board/NAME/board.conf` under a folder of shared files.
///
/// Looked for under `PINHOLE_SHARE` when that is set; else beside the program (`../share/pinhole`), under
/// `/usr/share/pinhole`, and in the source tree that the program was built in.
package struct Board: Hashable, Sendable {
    /// The board without hardware.
    package static let simulated = "simulated"

    /// The name of the board's folder in `board`.
    package let name: String
    /// The board's configuration file; nil for a board that needs none.
    package let path: String?

    /// True for the board without hardware.
    package var isSimulated: Bool { name == Self.simulated }

    /// Finds a board.
    ///
    /// - Parameter name: nil for what suits the sensor.
    /// - Throws: `CommandFailure` when there is no such board.
    /// - Blocking: looks for files.
    package static func find(
        _ name: String?, isSensorSimulated: Bool, folders: [String] = shareFolders
    ) throws(CommandFailure) -> Board {
        let wanted = name ?? (isSensorSimulated ? simulated : "generic")
        for folder in folders {
            let path = folder + "/board/" + wanted + "/board.conf"
            if access(path, F_OK) == 0 { return Board(name: wanted, path: path) }
        }
        guard let name, name != simulated else { return Board(name: wanted, path: nil) }
        let known = Set(folders.flatMap { DeviceFolder.names(in: $0 + "/board") { $0 != simulated } } + [simulated])
        throw CommandFailure(
            .configuration, "there is no board \(name); the boards are \(known.sorted().joined(separator: ", "))")
    }

    /// Where shared files may lie, the first first.
    package static var shareFolders: [String] {
        if let given = getenv("PINHOLE_SHARE").map({ String(cString: $0) }), !given.isEmpty { return [given] }
        var program = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/exe", &program, Int(PATH_MAX))
        let path = String(decoding: program.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var folders: [String] = []
        var parts = path.split(separator: "/").dropLast()
        folders.append("/" + parts.dropLast().joined(separator: "/") + "/share/pinhole")
        folders.append("/usr/share/pinhole")
        // A build lies four folders deep in its source tree: .build/TRIPLE/release/pinhole.
        for _ in 0..<4 where !parts.isEmpty {
            parts = parts.dropLast()
            let folder = "/" + parts.joined(separator: "/")
            if access(folder + "/Package.swift", F_OK) == 0 { folders.append(folder) }
        }
        return folders
    }
}
