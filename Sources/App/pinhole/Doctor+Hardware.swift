import Camera
import Capture
import Configuration
import Console
import GPIOPanel
import Glibc
import Panel
import Platform

// What the board has.
extension Doctor {
    /// What a running camera goes by.
    struct Running: Sendable {
        /// The name of the camera's board.
        var board: String
        /// The configuration of the camera that is examined.
        var configuration: CameraConfiguration
    }

    /// The board, its camera, its lines and what they need of the system.
    static func hardware(_ running: Running?) -> [DoctorRecord] {
        let configuration: CameraConfiguration
        let board: Board
        do throws(CommandFailure) {
            board = try Board.find(running?.board ?? namedBoard, isSensorSimulated: false)
            if let running {
                configuration = running.configuration
            } else {
                configuration = try Self.configuration(board)
            }
        } catch {
            return [DoctorRecord(check: "board", result: .failed, detail: error.message)] + cameras(Lists.drivers)
        }
        let known = DoctorRecord(
            check: "board", result: .ok, detail: board.name + (board.path.map { ", from \($0)" } ?? ""))
        guard !board.isSimulated else { return [known] }
        return [known] + cameras(Lists.drivers) + [groups] + lines(configuration)

            + firmware(configuration.board.firmwareLines) + [memoryForFrames]
    }

    /// The board named in the environment, or in the file that the service reads; nil for a generic one.
    private static var namedBoard: String? {
        if let name = getenv("PINHOLE_BOARD").map({ String(cString: $0) }), !name.isEmpty { return name }
        let text = (try? PosixFileOperations().read("/etc/default/pinhole", limit: 4096)) ?? []
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
            .last { $0.hasPrefix("PINHOLE_BOARD=") }
            .map { String($0.dropFirst("PINHOLE_BOARD=".count)) }
    }

    private static func configuration(_ board: Board) throws(CommandFailure) -> CameraConfiguration {
        var configuration = CameraConfiguration(schema: .pinhole)
        if let path = board.path { configuration = try ConfigurationCheck.load(path) }
        guard access(ConfigurationCheck.installedPath, F_OK) == 0 else { return configuration }
        return try ConfigurationCheck.load(ConfigurationCheck.installedPath, over: configuration)
    }

    /// The cameras that the drivers with hardware find.
    private static func cameras(_ drivers: [any SensorDriver]) -> [DoctorRecord] {
        drivers.filter { !$0.isSimulated }.map { driver in
            do throws(SensorError) {
                return try camera(try driver.source(SensorRequest()))
            } catch {
                return DoctorRecord(
                    check: "camera", result: .failed,
                    detail: "\(driver.name) does not start: \(CaptureError(error).message); restart the board")
            }
        }
    }

    private static func camera(_ source: any SensorSource) throws(SensorError) -> DoctorRecord {
        let cameras = try source.find()
        guard !cameras.isEmpty else {
            return DoctorRecord(check: "camera", result: .failed, detail: "\(source.absence) (\(source.version))")
        }
        let list = cameras.map { "\($0.name) with \($0.width)×\($0.height) pixels" }.joined(separator: ", ")
        return DoctorRecord(check: "camera", result: .ok, detail: "\(list) (\(source.version))")
    }

    private static var groups: DoctorRecord {
        let missing = ["video", "gpio"].filter { !isMember(of: $0) }
        guard !missing.isEmpty, geteuid() != 0 else {
            return DoctorRecord(check: "groups", result: .ok, detail: "this user has access to cameras and GPIO lines")
        }
        let user = DeviceAccess.userName
        return DoctorRecord(
            check: "groups", result: .warning,
            detail: "the user \(user) is not in \(missing.joined(separator: " and ")); run `sudo usermod -aG"
                + " \(missing.joined(separator: ",")) \(user)` and restart the camera")
    }

    private static func isMember(of name: String) -> Bool {
        guard let group = getgrnam(name)?.pointee.gr_gid else { return false }
        return DeviceAccess.isMember(of: group)
    }

    private static func lines(_ configuration: CameraConfiguration) -> [DoctorRecord] {
        let chips = MissingLine.chips
        var records = [
            DoctorRecord(
                check: "GPIO", result: chips.isEmpty ? .warning : .ok,
                detail: chips.isEmpty
                    ? "there is no GPIO chip on this machine; buttons need one" : chips.joined(separator: ", "))
        ]
        for (name, text) in [
            ("shutter button", configuration.button.shutterLine), ("focus button", configuration.button.focusLine),
            ("light", configuration.led.line),
        ] where !text.isEmpty {
            guard let address = GPIOLineAddress(text) else { continue }
            records.append(line(name, address))
        }
        if configuration.button.shutterLine.isEmpty {
            records.append(
                DoctorRecord(
                    check: "shutter button", result: .warning,
                    detail: "none is configured; set its line in button.shutter_line, or choose the board with --board")
            )
        }
        if !configuration.led.name.isEmpty {
            let path = "/sys/class/leds/\(configuration.led.name)/brightness"
            let isThere = access(path, W_OK) == 0
            records.append(
                DoctorRecord(
                    check: "light", result: isThere ? .ok : .warning,
                    detail: isThere
                        ? "\(path) can be written"
                        : MissingLine.sentence("light", SystemError.last("write to", path))))
        }
        return records
    }

    /// Looks whether a line is there, without asking for it: a running camera has it.
    private static func line(_ name: String, _ address: GPIOLineAddress) -> DoctorRecord {
        do throws(SystemError) {
            let (chip, offset) = try address.located()
            guard access(chip, R_OK | W_OK) == 0 else { throw SystemError.last("open", "\(chip):\(offset)") }
            return DoctorRecord(check: name, result: .ok, detail: "line \(offset) of \(chip)")
        } catch {
            return DoctorRecord(
                check: name, result: .warning, detail: MissingLine.sentence(name, error))
        }
    }

    /// Looks for the lines that a board needs in the firmware's configuration.
    static func firmware(
        _ lines: String, files: [String] = ["/boot/firmware/config.txt", "/boot/config.txt"]
    ) -> [DoctorRecord] {
        let wanted = lines.split(separator: ";").map(trimmed).filter { !$0.isEmpty }
        guard !wanted.isEmpty else { return [] }
        guard let file = files.first(where: { access($0, R_OK) == 0 }) else {
            let list = wanted.map { "`\($0)`" }.joined(separator: " and ")
            return [
                DoctorRecord(
                    check: "config.txt", result: .warning,
                    detail: "\(files.joined(separator: " and ")) do not exist; this board needs \(list) there")
            ]
        }
        let text = String(
            decoding: (try? PosixFileOperations().read(file, limit: 1 << 20)) ?? [], as: UTF8.self)
        let present = Set(text.split(separator: "\n").map(trimmed))
        return wanted.map { line in
            let isThere = present.contains(line)
            return DoctorRecord(
                check: "config.txt", result: isThere ? .ok : .warning,
                detail: isThere ? "\(file) has `\(line)`" : "add the line `\(line)` to \(file) and restart the board")
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    private static var memoryForFrames: DoctorRecord {
        let heaps = DeviceFolder.names(in: "/dev/dma_heap").map { "/dev/dma_heap/" + $0 }
        let usable = (heaps + ["/dev/udmabuf"]).first { access($0, R_OK | W_OK) == 0 }
        return DoctorRecord(
            check: "frame memory", result: usable == nil ? .warning : .ok,
            detail: usable.map { "\($0) can be used" }
                ?? "neither /dev/dma_heap nor /dev/udmabuf can be used; run `sudo modprobe udmabuf`, or add this user to the"
                + " group video")
    }

    /// Whether a camera runs on the state folder.
    static func service(_ state: String) -> DoctorRecord {
        if (try? ControlClient.connect(state: state)) != nil {
            return DoctorRecord(check: "service", result: .ok, detail: "a camera runs on \(state)")
        }
        let isInstalled = access("/usr/lib/systemd/system/pinhole.service", F_OK) == 0
        return DoctorRecord(
            check: "service", result: isInstalled && state == ControlSocket.installedState ? .warning : .ok,
            detail: "no camera runs on \(state); start it with "
                + (isInstalled ? "`sudo systemctl start pinhole`" : "`pinhole run`"))
    }
}
