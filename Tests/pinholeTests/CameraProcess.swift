import Console
import Foundation
import PinholeTesting
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

    /// Starts the camera and waits until it takes presses.
    func start(_ options: [String] = []) throws {
        let file = folder.appendingPathComponent("pinhole.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments =
            ["run", "--state", state, "--config", file.path, "--sensor", sensor, "--console", "none"] + options
        process.standardInput = FileHandle.nullDevice
        let errors = folder.appendingPathComponent("errors")
        FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        self.process = process
        while try status()?.state == nil || status()?.state == .starting {
            if !process.isRunning {
                let words = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
                throw Failure(description: "the camera ended while it started: \(words)")
            }
            usleep(2000)
        }
    }

    /// Why a camera could not be used.
    struct Failure: Error, CustomStringConvertible {
        var description: String
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

    /// Runs `pinhole`, or another program, to its end.
    static func run(_ words: [String], program: String = program, input: String? = nil) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        let source = Pipe()
        process.standardInput = input == nil ? FileHandle.nullDevice : source
        try process.run()
        if let input {
            source.fileHandleForWriting.write(Data(input.utf8))
            try source.fileHandleForWriting.close()
        }
        // Both pipes are read at the same time, so that neither fills up.
        let reader = WorkQueue(name: "errors", threads: 1)
        let errorText = Recorder<Data>()
        let isRead = Platform.Semaphore()
        let errorFile = errors.fileHandleForReading
        reader.submit {
            errorText.add(errorFile.readDataToEndOfFile())
            isRead.signal()
        }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        isRead.wait()
        Task { await reader.stop() }
        return Outcome(
            output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: errorText.elements[0], as: UTF8.self), status: process.terminationStatus)
    }

    /// The photo files under DCIM, by their path relative to it.
    func files() throws -> [String] {
        let dcim = state + "/library/DCIM"
        return try (FileManager.default.subpathsOfDirectory(atPath: dcim)).filter { $0.contains(".") }.sorted()
    }
}
