import Foundation
import Testing

@testable import LibcameraSensor

@Suite("CameraAbsence")
struct CameraAbsenceTests {
    @Test("the device files tell why there is no camera")
    func reasons() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("devices-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(CameraAbsence(devices: folder.path + "/absent") == .noDevice)
        try Data().write(to: folder.appendingPathComponent("mediatool"))
        #expect(CameraAbsence(devices: folder.path) == .noDevice)
        try Data().write(to: folder.appendingPathComponent("media0"))
        #expect(CameraAbsence(devices: folder.path) == .notRecognised)
        // Root may open everything; what leads nowhere cannot be opened by anybody.
        let closed = folder.appendingPathComponent("media1").path
        try FileManager.default.createSymbolicLink(atPath: closed, withDestinationPath: "/absent")
        #expect(CameraAbsence(devices: folder.path) == .notPermitted(path: closed))
        #expect(CameraAbsence.notPermitted(path: closed).sentence.contains(closed))
    }
}
