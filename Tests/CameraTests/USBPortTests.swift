import Configuration
import Console
import Foundation
import PTP
import PinholeTesting
import Platform
import Testing
import MassStorage
import Offload
import Photos
import USB
import USBGadget

@testable import Camera

@Suite("The door at the USB port", .timeLimit(.minutes(10)))
struct USBDoorTests {
    /// The gadget's folders as ordinary files, which take what the camera writes.
    private struct Folders {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gadget-\(UUID().uuidString)").path
        var layout = GadgetLayout()

        init() throws {
            layout.run = folder + "/run"
            layout.configuration = folder + "/config"
            layout.controllers = folder + "/udc"
            layout.terminals = folder + "/ttyGS"
            for path in [layout.functionFS, layout.controllers + "/dummy"] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            for path in [layout.lock, layout.boundControllerFile, layout.boundProductFile]
                + ["ep0", "ep1", "ep2", "ep3"].map({ layout.functionFS + "/" + $0 })
            {
                try Data().write(to: URL(fileURLWithPath: path))
            }
        }

        func attribute(_ path: String) throws -> String {
            String(try String(contentsOfFile: path, encoding: .utf8).prefix { $0 != "\n" })
        }

        /// Gives the gadget a serial line; returns its other end.
        func makeSerialLine() throws -> PseudoTerminal {
            try FileManager.default.createDirectory(atPath: layout.consoleFunction, withIntermediateDirectories: true)
            try Data("0\n".utf8).write(to: URL(fileURLWithPath: layout.consoleFunction + "/port_num"))
            let computer = try PseudoTerminal()
            try FileManager.default.createSymbolicLink(
                atPath: layout.terminals + "0", withDestinationPath: computer.path)
            try computer.openOnce()
            return computer
        }

        /// Removes the gadget as root does, as far as the camera can notice.
        func takeAway() throws {
            for path in [layout.boundControllerFile, layout.boundProductFile] {
                try FileManager.default.removeItem(atPath: path)
            }
            let event: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
            let control = try FileHandle(forUpdating: URL(fileURLWithPath: layout.functionFS + "/ep0"))
            try control.seekToEnd()
            try control.write(contentsOf: event)
            try control.close()
        }

        /// Sets it up again.
        func giveBack() throws {
            for path in [layout.boundControllerFile, layout.boundProductFile, layout.functionFS + "/ep0"] {
                try Data().write(to: URL(fileURLWithPath: path))
            }
        }

        /// What FunctionFS received.
        func descriptors() throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: layout.functionFS + "/ep0")))
        }
    }

    @Test("it is a camera or a disk, with the descriptors and the product number of each, or nothing")
    func modes() async throws {
        let camera = try await CameraInProcess()
        let folders = try Folders()
        let layout = folders.layout
        let door = USBDoor(functions: [.camera, .disk], gadget: layout)
        try await door.start(camera.doorContext())
        for function in [USBFunction.camera, .disk, .disk, .camera] {
            let isDisk = function.mode == "mass-storage"
            let record = try await door.perform(DoorCommand("usb", words: [function.word]))
            #expect(door.status == ["usb": .string("unplugged"), "usb_mode": .string(function.mode)])
            #expect(record.message == "shows \(isDisk ? "a disk" : "a camera"); no computer is connected")
            #expect(try folders.attribute(layout.boundControllerFile) == "dummy")
            #expect(try folders.attribute(layout.boundProductFile) == (isDisk ? "0x0106" : "0x0104"))
            let descriptors = try folders.descriptors()
            // Class, subclass and protocol of the first interface, at full speed.
            #expect(
                isDisk
                    ? descriptors.dropFirst(29).prefix(3) == [8, 6, 0x50]
                    : descriptors.dropFirst(33).prefix(3) == [6, 1, 1])
        }
        let record = try await door.perform(DoorCommand("usb", words: ["off"]))
        #expect(record == DoorRecord(["usb": .string("off"), "mode": .null], message: "switched off"))
        #expect(try folders.attribute(layout.boundControllerFile) == "")
        await door.stop()
        try await camera.end()
        try FileManager.default.removeItem(atPath: folders.folder)
    }

    @Test("a gadget that root takes away is let go of at once, its serial line too, and shown again when it is back")
    func takenAway() async throws {
        let camera = try await CameraInProcess(
            CameraConfiguration(schema: .doors()).setting(["usb.mode": .text("mass-storage")]))
        let folders = try Folders()
        let computer = try folders.makeSerialLine()
        let door = USBDoor(functions: [.camera, .disk], gadget: folders.layout)
        var port: FieldValue? { door.status["usb"] }
        await door.reload()
        #expect(port == .string("off") && computer.isClosed, "it is not open yet")
        try await door.start(camera.doorContext())
        for _ in 0..<3 {
            #expect(port == .string("unplugged") && !computer.isClosed)
            try folders.takeAway()
            await camera.until { _ in door.status["usb"] != .string("unplugged") && computer.isClosed }
            #expect(port == .string("unavailable") && door.record.message == GadgetError.notSetUp.message)
            await door.reload()
            #expect(port == .string("unavailable") && computer.isClosed)
            try folders.giveBack()
            await door.reload()
            #expect(door.status["usb_mode"] == .string("mass-storage"))
        }
        try await door.turnOff()
        await door.reload()
        #expect(port == .string("off") && computer.isClosed)
        await door.stop()
        try await camera.end()
        try FileManager.default.removeItem(atPath: folders.folder)
    }

    @Test("a port that cannot be used says why, and shows nothing")
    func unavailable() async throws {
        let camera = try await CameraInProcess()
        var layout = GadgetLayout()
        layout.run = "/nowhere"
        let door = USBDoor(functions: [.camera, .disk], gadget: layout)
        await #expect(throws: CommandFailure.starting) { try await door.perform(DoorCommand("usb")) }
        try await door.start(camera.doorContext())
        await #expect(throws: CommandFailure.self) {
            try await door.perform(DoorCommand("usb", words: ["mass-storage"]))
        }
        #expect(door.status == ["usb": .string("unavailable"), "usb_mode": .null])
        #expect(door.record.message == GadgetError.notSetUp.message)
        await door.stop()
        try await camera.end()
    }

    @Test("the configuration says what it is at the start")
    func configured() async throws {
        for (word, mode) in [("on", "camera"), ("mass-storage", "mass-storage"), ("off", nil)] {
            let camera = try await CameraInProcess(
                CameraConfiguration(schema: .doors()).setting(["usb.mode": .text(word)]))
            let folders = try Folders()
            let door = USBDoor(functions: [.camera, .disk], gadget: folders.layout)
            try await door.start(camera.doorContext())
            #expect(door.status["usb_mode"] == mode.map { .string($0) } ?? .null)
            await door.stop()
            try await camera.end()
            try FileManager.default.removeItem(atPath: folders.folder)
        }
    }

    @Test("a disk has two pipes, no events and no Microsoft descriptor")
    func descriptors() {
        let bytes = FunctionFSDescriptors.massStorage.descriptors
        let interface: [UInt8] = [9, 4, 0, 0, 2, 8, 6, 0x50, 1]
        let full: [UInt8] = [7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x02, 2, 64, 0, 0]
        let high: [UInt8] = [7, 5, 0x81, 2, 0, 2, 0, 7, 5, 0x02, 2, 0, 2, 0]
        let superSpeed: [UInt8] = [
            7, 5, 0x81, 2, 0, 4, 0, 6, 0x30, 0, 0, 0, 0, 7, 5, 0x02, 2, 0, 4, 0, 6, 0x30, 0, 0, 0, 0,
        ]
        let head: [UInt8] = [3, 0, 0, 0, 105, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0]
        #expect(bytes == head + interface + full + interface + high + interface + superSpeed)
        #expect(bytes.count == 105)
    }
}
