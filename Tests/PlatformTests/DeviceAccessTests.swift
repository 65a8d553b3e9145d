import Foundation
import Testing

@testable import Platform

@Suite("DeviceAccess")
struct DeviceAccessTests {
    @Test("a file's group and mode show what its user lacks")
    func reasons() throws {
        let path = NSTemporaryDirectory() + "pinhole-device-\(UUID().uuidString)"
        try Data().write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(DeviceAccess(path: path) == .allowed)
        chmod(path, 0o066)
        #expect(DeviceAccess(path: path) == .allowed)
        chmod(path, 0o040)
        #expect(DeviceAccess(path: path) == .ownerOnly)
        #expect(DeviceAccess(path: path + "-absent") == .absent)
        #expect(DeviceAccess.isMember(of: getegid()))
        // Only root may give a file to a group that it is not in.
        guard getuid() == 0, let group = getgrnam("video")?.pointee.gr_gid, !DeviceAccess.isMember(of: group) else {
            return
        }
        chmod(path, 0o060)
        chown(path, 0, group)
        #expect(DeviceAccess(path: path) == .notInGroup("video", user: "root"))
        #expect(DeviceAccess(path: path).advice.contains("sudo usermod -aG video root"))
    }
}
