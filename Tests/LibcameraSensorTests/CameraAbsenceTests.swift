import Foundation
import Testing

@testable import LibcameraSensor

@Suite("CameraAbsence")
struct CameraAbsenceTests {
    @Test("the device files show why there is no camera")
    func reasons() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("devices-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(CameraAbsence(devices: folder.path + "/absent") == .noDevice(closedMemory: nil))
        try Data().write(to: folder.appendingPathComponent("mediatool"))
        #expect(CameraAbsence(devices: folder.path) == .noDevice(closedMemory: nil))
        try Data().write(to: folder.appendingPathComponent("media0"))
        #expect(CameraAbsence(devices: folder.path) == .notRecognized)
        // Root may open everything; what leads nowhere cannot be opened by anybody.
        let closed = folder.appendingPathComponent("media1").path
        try FileManager.default.createSymbolicLink(atPath: closed, withDestinationPath: "/absent")
        #expect(CameraAbsence(devices: folder.path) == .notPermitted(path: closed))
        #expect(CameraAbsence.notPermitted(path: closed).sentence.contains(closed))
        try FileManager.default.removeItem(atPath: closed)
        // Without memory for its frames libcamera knows no camera either; one device of them is enough.
        let heaps = folder.appendingPathComponent("dma_heap")
        try FileManager.default.createDirectory(at: heaps, withIntermediateDirectories: true)
        let heap = heaps.appendingPathComponent("system").path
        try FileManager.default.createSymbolicLink(atPath: heap, withDestinationPath: "/absent")
        #expect(CameraAbsence(devices: folder.path) == .notPermitted(path: heap))
        try FileManager.default.removeItem(at: folder.appendingPathComponent("media0"))
        #expect(CameraAbsence(devices: folder.path) == .noDevice(closedMemory: heap))
        try Data().write(to: folder.appendingPathComponent("udmabuf"))
        #expect(CameraAbsence(devices: folder.path) == .noDevice(closedMemory: nil))
    }

    @Test("each reason says what to do")
    func sentences() {
        #expect(CameraAbsence.noDevice(closedMemory: nil).sentence.contains("cable"))
        #expect(CameraAbsence.noDevice(closedMemory: nil).sentence.contains("camera_auto_detect=1"))
        #expect(CameraAbsence.notRecognized.sentence.contains("dtoverlay="))
    }
}
