import Configuration
import Console
import Foundation
import PTP
import PinholeTesting
import Platform
import Testing
import USBGadget

@testable import Camera
@testable import pinhole

@Suite("The USB port", .timeLimit(.minutes(10)))
struct USBPortTests {
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

        /// Takes the gadget away as root does, as far as the camera is told.
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

        /// Sets it up anew.
        func giveBack() throws {
            for path in [layout.boundControllerFile, layout.boundProductFile, layout.functionFS + "/ep0"] {
                try Data().write(to: URL(fileURLWithPath: path))
            }
        }

        /// What FunctionFS was told.
        func descriptors() throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: layout.functionFS + "/ep0")))
        }
    }

    private final class NoCommands: CommandHandler {
        func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink) { reply.finish(.done) }
        let grammar = CommandGrammar()
        func consoleEnded() {}
    }

    @Test("it is a camera or a disk, with the descriptors and the product number of each, or nothing")
    func modes() async throws {
        let camera = try await CameraInProcess()
        let folders = try Folders()
        let layout = folders.layout
        let port = USBPort(
            sessions: camera.appliance.clientSessions(), appliance: camera.appliance, commands: NoCommands(),
            gadget: layout)
        for mode in [USBMode.camera, .massStorage, .massStorage, .camera] {
            try await port.turnOn(as: mode)
            let isDisk = mode == .massStorage
            #expect(port.state.0 == .unplugged && port.state.1 == mode)
            #expect(port.record.message == "shows \(isDisk ? "a disk" : "a camera"); no computer is connected")
            #expect(try folders.attribute(layout.boundControllerFile) == "dummy")
            #expect(try folders.attribute(layout.boundProductFile) == (isDisk ? "0x0106" : "0x0104"))
            let told = try folders.descriptors()
            // Class, subclass and protocol of the first interface, at full speed.
            #expect(isDisk ? told.dropFirst(29).prefix(3) == [8, 6, 0x50] : told.dropFirst(33).prefix(3) == [6, 1, 1])
        }
        try await port.turnOff()
        #expect(port.record == DoorRecord(["usb": .string("off"), "mode": .null], message: "switched off"))
        #expect(try folders.attribute(layout.boundControllerFile) == "")
        await port.stop()
        try await camera.end()
        try FileManager.default.removeItem(atPath: folders.folder)
    }

    @Test("a gadget that root takes away is let go of at once, its serial line too, and shown again when it is back")
    func takenAway() async throws {
        let camera = try await CameraInProcess()
        let folders = try Folders()
        let computer = try folders.makeSerialLine()
        var isOpen: Bool { !computer.isClosed }
        let port = USBPort(
            sessions: camera.appliance.clientSessions(), appliance: camera.appliance, commands: NoCommands(),
            gadget: folders.layout)
        await port.retry()
        #expect(port.state.0 == .off && !isOpen)
        await port.start(as: .massStorage)
        for _ in 0..<3 {
            #expect(port.state.0 == .unplugged && isOpen)
            try folders.takeAway()
            while port.state.0 == .unplugged || isOpen { await Task.yield() }
            #expect(port.state.0 == .unavailable && port.record.message == GadgetError.notSetUp.message)
            await port.retry()
            #expect(port.state.0 == .unavailable && !isOpen)
            try folders.giveBack()
            await port.retry()
            #expect(port.state.1 == .massStorage)
        }
        try await port.turnOff()
        await port.retry()
        #expect(port.state.0 == .off && !isOpen)
        await port.stop()
        try await camera.end()
        try FileManager.default.removeItem(atPath: folders.folder)
    }

    @Test("a port that cannot be used says why, and shows nothing")
    func unavailable() async throws {
        let camera = try await CameraInProcess()
        var layout = GadgetLayout()
        layout.run = "/nowhere"
        let port = USBPort(
            sessions: camera.appliance.clientSessions(), appliance: camera.appliance, commands: NoCommands(),
            gadget: layout)
        await #expect(throws: CommandFailure.self) { try await port.turnOn(as: .massStorage) }
        #expect(port.state.0 == .unavailable && port.state.1 == nil)
        #expect(port.record.message == GadgetError.notSetUp.message)
        await port.start(as: nil)
        #expect(port.state.0 == .off)
        await port.stop()
        try await camera.end()
    }

    @Test("the configuration says what it is at the start")
    func configured() {
        let modes = ["on", "mass-storage", "off"].map { word in
            USBMode(configured: CameraConfiguration(schema: .pinhole).setting(["usb.mode": .text(word)]))
        }
        #expect(modes == [.camera, .massStorage, nil])
    }

    @Test("a disk has two pipes, no events and no Microsoft descriptor")
    func descriptors() {
        let bytes = USBMode.massStorage.descriptors.descriptors
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
