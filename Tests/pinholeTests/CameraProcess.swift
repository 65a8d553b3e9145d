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

    /// True in the long mode of the tests: `PINHOLE_LONG=1 make test`.
    static var isLong: Bool { ProcessInfo.processInfo.environment["PINHOLE_LONG"] == "1" }

    /// Starts the camera and waits until it takes presses.
    ///
    /// - Parameter tmpfsOptions: when given, its state folder lies on a small file system of its own, made with these
    ///   mount options, which `inside` can reach.
    func start(_ options: [String] = [], tmpfsOptions: String? = nil) throws {
        let file = folder.appendingPathComponent("pinhole.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        let command =
            [Self.program, "run", "--state", state, "--config", file.path, "--sensor", sensor, "--console", "none"]
            + options
        if let tmpfsOptions {
            // The socket must be reachable from outside, so only the library lies on the small file system.
            try FileManager.default.createDirectory(atPath: state + "/library", withIntermediateDirectories: true)
            let script = "mount -t tmpfs -o \(tmpfsOptions) none \"$0/library\" && exec \"$@\""
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

        /// Waits for its end.
        func outcome() throws -> Outcome {
            process.waitUntilExit()
            return Outcome(
                output: try String(contentsOf: output, encoding: .utf8), errors: "", status: process.terminationStatus)
        }
    }

    /// Gives the running camera a command with `--json` and does not wait for its end.
    func background(_ words: String...) throws -> Running {
        let output = folder.appendingPathComponent(UUID().uuidString)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = words + ["--state", state, "--json"]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return Running(process: process, output: output)
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
