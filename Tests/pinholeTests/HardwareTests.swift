import Capture
import Console
import Foundation
import GPIOPanel
import Panel
import PinholeTesting
import Platform
import Imaging
import SimulatedSensor
import Synchronization
import Testing

@testable import Camera
@testable import pinhole

@Suite("A board without its hardware")
struct HardwareTests {
    @Test("without a camera the run says what is missing, keeps the console and ends with the end of input")
    func noCamera() throws {
        let camera = try CameraProcess()
        let run = try CameraProcess.run(
            ["run", "--state", camera.state, "--sensor", "auto", "--console", "stdio"],
            input: "status --json\nshoot\nlist\n")
        #expect(run.status == 0)
        #expect(run.output.contains("no camera"))
        #expect(run.output.contains("\"state\":\"fault\""))
        #expect(run.output.contains("\"sensor\":null"))
        #expect(run.output.contains("\"board\":\"generic\""))
        #expect(!run.output.contains("--sensor simulated"), "nobody sits there to try it")
    }

    @Test("the program loads libcamera only when it looks for a camera, and says so when it cannot")
    func lateLibcamera() throws {
        let camera = try CameraProcess()
        // The loader lists what the program needs instead of starting it.
        let needed = try CameraProcess.run(
            ["LD_TRACE_LOADED_OBJECTS=1", CameraProcess.program], program: "/usr/bin/env")
        #expect(needed.output.contains("libturbojpeg.so") && !needed.output.contains("libcamera"))
        let alone = camera.folder.appendingPathComponent("pinhole").path
        try FileManager.default.copyItem(atPath: CameraProcess.program, toPath: alone)
        let words = ["run", "--state", camera.state, "--console", "stdio", "--sensor"]
        let missing = try CameraProcess.run(words + ["libcamera"], program: alone, input: "status --json\n")
        #expect(missing.status == 0)
        #expect(missing.output.contains("libcamera cannot be loaded") && missing.output.contains("install"))
        #expect(missing.output.contains("\"state\":\"fault\""))
        let simulated = try CameraProcess.run(words + ["simulated"], program: alone, input: "shoot\n")
        #expect(simulated.output.contains("100-0001"))
    }

    @Test("without a camera and a GPIO chip, the service reports both, and the shell's commands work")
    func noChip() throws {
        let camera = try CameraProcess()
        camera.sensor = "auto"
        try camera.start(["--board", "emulated"])
        let status = try #require(try camera.status())
        #expect(status.state == .fault && status.board == "emulated" && status.led == "camera-unavailable")
        let faults = try camera.command("events").records.compactMap { record -> EventRecord? in
            if case .event(let event) = record, event.name == .fault { event } else { nil }
        }
        #expect(
            Set(faults.compactMap { $0.text("code") }) == ["camera-missing", "button-unavailable", "light-unavailable"])
        let lines = try camera.command("log").output
        #expect(lines.contains("there is no GPIO chip"))
        #expect(try camera.command("shoot").status == Console.ExitStatus.unavailable.rawValue)
        #expect(try camera.command("press").output.contains("\"unsupported\""))
        #expect(try camera.command("list").status == 0)
        #expect(camera.stop() == 0)
    }

    @Test(
        "the service manager receives the end of the start, the status and the stop",
        arguments: [("simulated", "STATUS=ready"), ("auto", "STATUS=fault: no camera")])
    func serviceManager(sensor: String, status: String) throws {
        let camera = try CameraProcess()
        let path = camera.folder.path + "/notify"
        let manager = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(manager) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(manager, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        let run = try CameraProcess.run(
            [
                "NOTIFY_SOCKET=\(path)", "WATCHDOG_USEC=600000000", CameraProcess.program, "run", "--state",
                camera.state,
                "--sensor", sensor, "--console", "stdio",
            ], program: "/usr/bin/env", input: "status\n")
        #expect(run.status == 0)
        var received: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1000)
        while case let count = recv(manager, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
            received.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
        #expect(received.first == "READY=1")
        #expect(received.dropFirst().first?.hasPrefix(status) == true)
        #expect(received.contains("WATCHDOG=1"))
        #expect(received.contains("STOPPING=1"))
    }

    @Test("doctor in a shell looks for the hardware, in a simulated camera it does not miss any")
    func doctor() throws {
        let camera = try CameraProcess()
        let alone = try camera.command("doctor")
        #expect(alone.status == Console.ExitStatus.unavailable.rawValue)
        #expect(alone.output.contains("\"check\":\"camera\"") && alone.output.contains("no camera"))
        let run = try CameraProcess.run(
            ["run", "--state", camera.state, "--sensor", "simulated", "--console", "stdio"], input: "doctor --json\n")
        #expect(run.output.contains("\"check\":\"board\"") && !run.output.contains("\"check\":\"camera\""))
        #expect(run.output.contains("a camera runs on \(camera.state)"))
    }

    @Test("a board that is not there is refused with the names of those that are")
    func unknownBoard() throws {
        let camera = try CameraProcess()
        let run = try CameraProcess.run(["run", "--state", camera.state, "--board", "toaster"])
        #expect(run.status == Console.ExitStatus.configuration.rawValue)
        #expect(run.errors.contains("emulated, generic"))
        #expect(!FileManager.default.fileExists(atPath: camera.state))
    }

    @Test("the owner's configuration goes before the board's configuration")
    func ownerWins() throws {
        let camera = try CameraProcess(
            configuration: "simulator : { width = 640; height = 480; }; button : { bias = \"pull-down\"; };")
        try camera.start(["--board", "emulated"])
        func value(_ key: String) throws -> FieldValue? {
            for case .setting(let setting) in try camera.command("get", key).records { return setting.value }
            return nil
        }
        #expect(try value("button.bias") == .string("pull-down"))
        #expect(try value("button.shutter_line") == .string("gpiochip0:3"))
        #expect(camera.stop() == 0)
    }

    @Test("a line that config.txt lacks is named")
    func firmwareLines() throws {
        let file = NSTemporaryDirectory() + "pinhole-config-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "# comment\n dtparam=i2c_arm=on \n".write(toFile: file, atomically: true, encoding: .utf8)
        let findings = Doctor.firmware("dtparam=i2c_arm=on; gpio=17=pu", files: [file])
        #expect(findings.map(\.result) == [.ok, .warning])
        #expect(findings.last?.detail.contains("add the line `gpio=17=pu` to \(file)") == true)
        #expect(Doctor.firmware("", files: [file]).isEmpty)
    }

}
