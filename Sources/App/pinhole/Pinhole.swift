import Camera
import Console
import Glibc
import Platform

/// The command line: `run` is the camera, some commands stand alone, all others talk to a running camera.
@main
enum Pinhole {
    static func main() {
        openStandardDescriptors()
        quietenLibcamera()
        let words = Array(CommandLine.arguments.dropFirst())
        var output = CommandOutput(command: nil, json: words.contains("--json"))
        do throws(CommandFailure) {
            let parsed = try CommandGrammar.pinhole.parse(words, console: false)
            output = CommandOutput(command: parsed.command, json: parsed.json)
            let state = statePath(parsed.state)
            // Before any other thread starts: every thread inherits the blocked signals.
            let signals = try parsed.command.isRun ? makeSignals() : nil
            let mainThread = Semaphore()
            Task.detached { [output] in
                var output = output
                do throws(CommandFailure) {
                    end(
                        try await perform(parsed.command, words: words, state: state, signals: signals, output: &output)
                    )
                } catch {
                    fail(error, &output)
                }
            }
            mainThread.wait()
        } catch {
            fail(error, &output)
        }
    }

    /// Opens /dev/null where standard input, output or error is closed: else the next file opened would be taken for it.
    private static func openStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Limits libcamera's log on standard error to errors, because users expect one sentence of ours there, unless they ask
    /// for more. Here, because no other thread reads the environment yet.
    private static func quietenLibcamera() {
        setenv("LIBCAMERA_LOG_LEVELS", "*:ERROR", 0)
    }

    private static func fail(_ failure: CommandFailure, _ output: inout CommandOutput) -> Never {
        output.show(.error(ErrorRecord(failure)))
        end(failure.exit.rawValue)
    }

    /// Ends the process. Not by exit(3): that takes libraries apart, libcamera among them, which other threads still use.
    private static func end(_ status: Int32) -> Never {
        quick_exit(status)
    }

    private static func makeSignals() throws(CommandFailure) -> Signals {
        do throws(SystemError) {
            return try Signals()
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func perform(
        _ command: Command, words: [String], state: String, signals: Signals?, output: inout CommandOutput
    ) async throws(CommandFailure) -> Int32 {
        switch command {
        case .run(let options):
            guard let signals else { throw .unknown }
            return try await RunCommand(options: options, state: state, json: words.contains("--json")).run(signals)
        case .help(let topic):
            output.show(.help(HelpRecord(help: CommandGrammar.pinhole.help(topic, console: false))))
        case .version:
            output.show(.version(VersionRecord(version: Version.current)))
        case .gadget(let step): try GadgetCommand.perform(step)
        case .checkConfiguration(let file):
            output.show(.configuration(try ConfigurationCheck.check(file)))
        case .doctor:
            // What a running camera may do and finds is what counts, not what this user may.
            if (try? ControlClient.connect(state: state)) != nil {
                return try ask(state: state, words: words, output: &output)
            }
            let findings = Doctor.findings(state: state)
            for finding in findings { output.show(.doctor(finding)) }
            return DoctorRecord.exit(findings).rawValue
        case .verify:
            let record = try await VerifyCommand.verify(state: state)
            output.show(.verify(record))
            return record.exit.rawValue
        default:
            return try ask(state: state, words: words, output: &output)
        }
        return ExitStatus.done.rawValue
    }

    /// Has a running camera carry out the command.
    private static func ask(
        state: String, words: [String], output: inout CommandOutput
    ) throws(CommandFailure) -> Int32 {
        let client = try ControlClient.connect(state: state)
        try client.send(CommandGrammar.withoutState(words))
        while true {
            switch try client.next() {
            case .record(let line, let record):
                output.show(line: line, record)
                if case .input = record { try client.answer(readLine()) }
            case .exit(let status): return status
            }
        }
    }

    private static func statePath(_ given: String?) -> String {
        let variable = getenv("PINHOLE_STATE").map { String(cString: $0) } ?? ""
        var path = given ?? (variable.isEmpty ? ControlSocket.installedState : variable)
        if !path.hasPrefix("/"), let current = getcwd(nil, 0) {
            path = String(cString: current) + "/" + path
            free(current)
        }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}

extension Command {
    /// True for the command that is the camera.
    fileprivate var isRun: Bool { if case .run = self { true } else { false } }
}
