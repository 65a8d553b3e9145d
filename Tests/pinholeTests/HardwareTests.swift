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

    @Test("without a camera and a GPIO chip the service tells both, and the shell's commands work")
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
        "the service manager is told of the start, of how the camera is and of the end",
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
        var told: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1000)
        while case let count = recv(manager, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
            told.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
        #expect(told.first == "READY=1")
        #expect(told.dropFirst().first?.hasPrefix(status) == true)
        #expect(told.contains("WATCHDOG=1"))
        #expect(told.contains("STOPPING=1"))
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

    @Test("the owner's configuration goes before the board's facts")
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

    @Test("what keeps a line or a light away is said with what to do")
    func sentences() throws {
        func sentence(_ code: Int32, path: String = "/dev/gpiochip0:3", chips: [String] = ["/dev/gpiochip0"]) -> String
        {
            MissingLine.sentence(
                "light", SystemError(code: code, operation: "drive the GPIO line", path: path), chips: chips)
        }
        #expect(sentence(EBUSY).contains("another program"))
        #expect(sentence(ENOENT, chips: []).contains("no GPIO chip"))
        #expect(sentence(ENOENT, path: "/dev/gpiochip7:3").contains("there is no /dev/gpiochip7, only /dev/gpiochip0"))
        #expect(sentence(EINVAL).contains("gpioinfo"))
        #expect(sentence(ENOENT, path: "GPIO17").contains("gpioinfo"))
        #expect(sentence(EACCES, chips: []).contains("/dev/gpiochip0"))
        #expect(sentence(ENOENT, path: "/sys/class/leds/ACT/brightness").contains("ls /sys/class/leds"))
        #expect(sentence(EROFS, path: "/sys/class/leds/ACT/brightness").contains("ReadWritePaths"))
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: URL(fileURLWithPath: "/tmp"),
            create: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let chip = folder.appendingPathComponent("gpiochip0").path
        try Data().write(to: URL(fileURLWithPath: chip))
        chmod(chip, 0o060)
        #expect(sentence(EACCES, path: "GPIO17", chips: [chip]).contains("\(chip): "))
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

    /// A driver that finds what a test gives it.
    private final class ScriptedDriver: CameraDriver {
        let found = Mutex<[SensorModel]>([])
        let changed = Mutex<(@Sendable () -> Void)?>(nil)
        let sensor = SimulatedSensor(options: SimulatedSensorOptions())
        let name = "scripted 1"
        let absence = "no camera: look at the cable"

        func cameras() throws(SensorError) -> [SensorModel] { found.withLock { $0 } }
        func sensor(of model: SensorModel) throws(SensorError) -> any Sensor { sensor }
        func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {
            self.changed.withLock { $0 = changed }
        }
    }

    @Test("a driver's news of cameras is passed on, and the camera is then there")
    func news() async throws {
        let driver = ScriptedDriver()
        let sensors = HardwareSensors(driver: driver, hasTerminal: true)
        let loop = try EventLoop()
        let told = Mutex(0)
        sensors.follow(on: loop) { told.withLock { $0 += 1 } }
        do {
            _ = try await sensors.connect()
            Issue.record("there is no camera")
        } catch {
            #expect(error.code == "camera-missing")
            #expect(error.message.hasPrefix("no camera: look at the cable; to try Pinhole without a camera"))
        }
        driver.found.withLock { $0 = [driver.sensor.model] }
        let changed = try #require(driver.changed.withLock { $0 })
        changed()
        #expect(told.withLock { $0 } == 1)
        _ = try await sensors.connect()
        #expect(sensors.frameSize.width == driver.sensor.model.width)
    }

    @Test("the wish to be powered off is a file that somebody takes")
    func powerOff() async throws {
        let path = NSTemporaryDirectory() + "pinhole-poweroff-\(UUID().uuidString)"
        let isAsked = await PowerSwitch(path: path).request { unlink(path) }
        #expect(isAsked)
        #expect(await !PowerSwitch(path: "/no/such/folder/poweroff").request())
    }
}

@Suite("The service manager's watchdog")
struct WatchdogRuleTests {
    @Test("it is petted at each tick while every part has answered")
    func alive() {
        var rule = WatchdogRule()
        for round in 1...3 {
            #expect(
                rule.handle(.tick) == [.pet, .ask(.library, round: round), .ask(.sensor, round: round)])
            #expect(rule.handle(.proved(.library, round: round)).isEmpty)
            #expect(rule.handle(.proved(.sensor, round: round)).isEmpty)
        }
    }

    @Test("a part that is stuck ends the petting, and is named once", arguments: WatchdogRule.Part.allCases)
    func stuck(_ part: WatchdogRule.Part) {
        var rule = WatchdogRule()
        _ = rule.handle(.tick)
        for other in WatchdogRule.Part.allCases where other != part { _ = rule.handle(.proved(other, round: 1)) }
        #expect(rule.handle(.tick) == [.report(part)])
        for _ in 0..<5 { #expect(rule.handle(.tick).isEmpty) }
        #expect(rule.handle(.proved(part, round: 1)) == [.pet])
        #expect(rule.handle(.tick).first == .pet)
    }

    @Test("an answer to an earlier question proves nothing")
    func oldAnswer() {
        var rule = WatchdogRule()
        _ = rule.handle(.tick)
        for part in WatchdogRule.Part.allCases { _ = rule.handle(.proved(part, round: 1)) }
        _ = rule.handle(.tick)
        for part in WatchdogRule.Part.allCases { _ = rule.handle(.proved(part, round: 1)) }
        #expect(rule.handle(.tick) == [.report(.library), .report(.sensor)])
    }
}
