import Foundation
import Glibc
import Testing

@testable import Console

@Suite("Path of the control socket")
struct ControlSocketTests {
    private static func path(
        _ state: String, directory: String = "/home/me", runDirectory: String? = nil
    ) throws(CommandFailure) -> String {
        try ControlSocket.path(state: state, workingDirectory: directory, runDirectory: runDirectory, user: getuid())
    }

    private static let long = "/" + String(repeating: "long/", count: 30)

    @Test("it lies in the state folder, however that is written")
    func inState() throws {
        #expect(try Self.path("/s") == "/s/run/console.sock")
        #expect(try Self.path("/s//a/./b/") == "/s/a/b/run/console.sock")
        #expect(try Self.path(".pinhole") == "/home/me/.pinhole/run/console.sock")
        #expect(try Self.path("../x") == "/home/x/run/console.sock")
        #expect(try Self.path("/") == "/run/console.sock")
    }

    @Test("the installed camera's lies where systemd puts it")
    func installed() throws {
        #expect(try Self.path("/var/lib/pinhole/") == "/run/pinhole/console.sock")
    }

    @Test(
        "a long state folder gets a short path in the user's run directory, the same each time, another for another folder"
    )
    func long() throws {
        let own = FileManager.default.temporaryDirectory.path + "/pinhole-run-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: own, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: own) }
        let path = try Self.path(Self.long, runDirectory: own)
        #expect(path.hasPrefix(own + "/pinhole-") && path.hasSuffix(".sock"))
        #expect(path.utf8.count <= ControlSocket.pathLimit)
        #expect(try Self.path(Self.long + "/.", runDirectory: own) == path)
        #expect(try Self.path(Self.long + "x", runDirectory: own) != path)
    }

    @Test("a run directory that others may write into, or that is not there, is not used")
    func unsafeRunDirectory() throws {
        let open = FileManager.default.temporaryDirectory.path + "/pinhole-run-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: open) }
        #expect(chmod(open, 0o777) == 0)
        for directory in [open, "/nowhere", "relative"] {
            let path = try Self.path(Self.long, runDirectory: directory)
            #expect(!path.hasPrefix(directory) && path.utf8.count <= ControlSocket.pathLimit)
        }
    }

    @Test("a path of 107 bytes is used, one of 108 is not")
    func limit() throws {
        let fits = "/" + String(repeating: "a", count: 107 - "//run/console.sock".count)
        #expect(try Self.path(fits) == fits + "/run/console.sock")
        let short = try Self.path(fits + "a")
        #expect(!short.hasPrefix(fits))
    }
}
