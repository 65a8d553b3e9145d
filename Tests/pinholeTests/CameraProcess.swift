import Console
import Foundation
import Platform
import Testing

/// A built `pinhole run` in a folder of its own, and the commands given to it.
final class CameraProcess {
    /// What a finished command printed and how it ended.
    struct Outcome {
        var output: String
        var errors: String
        var status: Int32

        /// The lines of JSON.
        var records: [Record] { output.split(separator: "\n").compactMap { Record(json: String($0)) } }

        /// The photos among them.
        var photos: [PhotoRecord] { records.compactMap { if case .photo(let photo) = $0 { photo } else { nil } } }
    }

    /// A folder of its own, removed at the end.
    let folder: URL
    let state: String
    var configuration: String
    var sensor = "simulated"
    private var process: Process?

    /// The program under test lies beside the tests.
    static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("pinhole").path

    /// A camera that is not running yet; small frames, so that a test is quick.
    init(configuration: String = "simulator : { width = 640; height = 480; frames_per_second = 30.0; };") throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("pinhole-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        state = folder.appendingPathComponent("state").path
        self.configuration = configuration
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A small file system.
    enum Card: Sendable {
        /// In memory, of so many MiB.
        case memory(Int)
        /// A disk image of so many MiB, which only root may mount.
        case disk(Int)
        /// A disk that fails every write beyond so many MiB with EIO, although its file system has more room.
        case failingDisk(Int)
        /// A disk with more room than its quota of so many MiB.
        case quota(Int)

        /// Of so many MiB, in every way that whoever runs the tests may mount one.
        static func all(_ size: Int) -> [Card] { getuid() == 0 ? [.memory(size), .disk(size)] : [.memory(size)] }

        /// With a quota, where whoever runs the tests may mount one and the kernel has a file system with quotas.
        static func quotas(_ size: Int) -> [Card] {
            let known = (try? String(contentsOfFile: "/proc/filesystems", encoding: .utf8)) ?? ""
            return getuid() == 0 && known.contains("\tbtrfs\n") ? [.quota(size)] : []
        }

        /// That fail, where whoever runs the tests may mount one.
        static func failingDisks(_ size: Int) -> [Card] { getuid() == 0 ? [.failingDisk(size)] : [] }

        /// Makes it and mounts it on the library; `$0` is the state folder.
        fileprivate var mount: String {
            switch self {
            case .memory(let size): "mount -t tmpfs -o size=\(size)m none \"$0/library\""
            case .disk(let size):
                "truncate -s \(size)m \"$0/card\" && mkfs.ext4 -q -m 0 \"$0/card\""
                    + " && mount -o loop \"$0/card\" \"$0/library\""
            case .failingDisk(let size):
                // The image may grow no further than the file system that it lies on.
                "mkdir \"$0/disk\" && mount -t tmpfs -o size=\(size)m none \"$0/disk\""
                    + " && truncate -s \(4 * size)m \"$0/disk/card\" && mkfs.ext4 -q -m 0 \"$0/disk/card\""
                    + " && mount -o loop \"$0/disk/card\" \"$0/library\""
            case .quota(let size):
                "truncate -s 256m \"$0/card\" && mkfs.btrfs -q \"$0/card\" && mount -o loop \"$0/card\" \"$0/library\""
                    + " && btrfs quota enable \"$0/library\" && btrfs qgroup limit \(size)M \"$0/library\""
            }
        }
    }

    /// True in the long mode of the tests: `PINHOLE_LONG=1 make test`.
    static var isLong: Bool { ProcessInfo.processInfo.environment["PINHOLE_LONG"] == "1" }

    /// Starts the camera and waits until it takes presses.
    ///
    /// - Parameter card: when given, its library lies on a small file system of its own, which `inside` can reach.
    func start(_ options: [String] = [], card: Card? = nil) throws {
        let file = folder.appendingPathComponent("pinhole.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        let command =
            [Self.program, "run", "--state", state, "--config", file.path, "--sensor", sensor, "--console", "none"]
            + options
        if let card {
            // The socket must be reachable from outside, so only the library lies on the small file system.
            try FileManager.default.createDirectory(atPath: state + "/library", withIntermediateDirectories: true)
            let script = card.mount + " && exec \"$@\""
            process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            process.arguments = Self.namespace + ["/bin/sh", "-c", script, state] + command
        } else {
            process.executableURL = URL(fileURLWithPath: command[0])
            process.arguments = Array(command.dropFirst())
        }
        process.standardInput = FileHandle.nullDevice
        let errors = folder.appendingPathComponent("errors")
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        self.process = process
        do {
            try wait { try status().map { $0.state != .starting } ?? false }
        } catch {
            throw Failure(description: "\(error): \((try? String(contentsOf: errors, encoding: .utf8)) ?? "")")
        }
    }

    /// Why a camera could not be used.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Options of unshare(1) that give a mount namespace to whoever runs the tests.
    static var namespace: [String] { getuid() == 0 ? ["--mount"] : ["--mount", "--map-root-user"] }

    /// Runs a shell script that sees the camera's file systems; `$0` is the library.
    func inside(_ script: String) throws -> Outcome {
        let identifier = process?.processIdentifier ?? 0
        let user = getuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        return try Self.run(
            ["--target", "\(identifier)", "--mount", "--root"] + user + ["/bin/sh", "-c", script, state + "/library"],
            program: "/usr/bin/nsenter")
    }

    /// What the camera says about itself; nil while it does not answer.
    func status() throws -> StatusRecord? {
        for case .status(let status) in try command("status").records { return status }
        return nil
    }

    /// The camera's process; 0 before its start.
    var processIdentifier: Int32 { process?.processIdentifier ?? 0 }

    /// Descriptors that the camera has open.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count
    }

    /// Ends the camera at once, as a power cut does for the process.
    func kill() {
        guard let process, process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Sends a signal to the camera.
    func signal(_ number: Int32) {
        if let process, process.isRunning { Foundation.kill(process.processIdentifier, number) }
    }

    /// Waits until the camera has ended by itself.
    func ended() -> Int32 {
        guard let process else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Asks the camera to stop and waits for it.
    @discardableResult
    func stop() -> Int32 {
        guard let process else { return -1 }
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Gives the running camera a command with `--json`.
    func command(_ words: String...) throws -> Outcome {
        try Self.run(words + ["--state", state, "--json"])
    }

    /// A command under way.
    struct Running {
        fileprivate let process: Process
        fileprivate let output: URL
        fileprivate let errors: URL

        /// True until its end.
        var isRunning: Bool { process.isRunning }

        /// Waits for its end.
        func outcome() throws -> Outcome {
            process.waitUntilExit()
            return Outcome(
                output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8), status: process.terminationStatus)
        }
    }

    /// Gives the running camera a command with `--json` and does not wait for its end.
    func background(_ words: String...) throws -> Running {
        try background(program: Self.program, words + ["--state", state, "--json"])
    }

    /// Runs another program and does not wait for its end.
    func background(program: String, _ words: [String]) throws -> Running {
        let output = folder.appendingPathComponent(UUID().uuidString)
        let errors = folder.appendingPathComponent(UUID().uuidString)
        try Data().write(to: output)
        try Data().write(to: errors)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return Running(process: process, output: output, errors: errors)
    }

    /// Runs `pinhole`, or another program, to its end.
    static func run(_ words: [String], program: String = program, input: String? = nil) throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pinhole-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files, not pipes: whatever it prints, it never waits for a reader.
        let output = folder.appendingPathComponent("output")
        let errors = folder.appendingPathComponent("errors")
        try Data().write(to: output)
        try Data().write(to: errors)
        let process = Process()
        // A program that hangs fails its test instead of holding up all of them.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["--signal=KILL", "\(limit)", program] + words
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        if let input {
            let source = folder.appendingPathComponent("input")
            try Data(input.utf8).write(to: source)
            process.standardInput = try FileHandle(forReadingFrom: source)
        }
        try process.run()
        process.waitUntilExit()
        return Outcome(
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8), status: process.terminationStatus)
    }

    /// Seconds after which a wait has failed: far longer than a loaded machine needs.
    private static let limit = 120

    /// Asks again and again until the answer is true; a camera that ended makes it an error.
    func wait(until condition: () throws -> Bool) throws {
        let end = MonotonicTime.now() + .seconds(Self.limit)
        while try !condition() {
            guard process?.isRunning == true else { throw Failure(description: "the camera ended") }
            guard MonotonicTime.now() < end else { throw Failure(description: "the camera never got there") }
            usleep(5000)
        }
    }

    /// The photo files under DCIM, by their path relative to it.
    func files() throws -> [String] {
        let dcim = state + "/library/DCIM"
        return try (FileManager.default.subpathsOfDirectory(atPath: dcim)).filter { $0.contains(".") }.sorted()
    }
}
