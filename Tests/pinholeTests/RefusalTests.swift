import Console
import Foundation
import Testing

@Suite("What the program refuses")
struct RefusalTests {
    /// One sentence on standard error, and nothing else.
    private func expectOneSentence(_ outcome: CameraProcess.Outcome, _ status: Console.ExitStatus) {
        #expect(outcome.status == status.rawValue)
        #expect(outcome.output.isEmpty)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 1, "\(outcome.errors)")
        #expect(lines.first?.hasPrefix("pinhole: ") == true, "\(outcome.errors)")
    }

    @Test(
        "a wrong command line is refused with one sentence",
        arguments: [
            ["frobnicate"], ["list", "--limit", "0"], ["list", "--filter", "any("], ["show"], ["show", "../../etc"],
            ["run", "--sensor", "telescope"], ["run", "--console", "nowhere"], ["press", "trigger"],
            ["shoot", "--count", "99999999999999999999"], ["set", "photo.quality"], ["clock", "set", "yesterday"],
        ])
    func usage(words: [String]) throws {
        let camera = try CameraProcess()
        expectOneSentence(try CameraProcess.run(words + ["--state", camera.state]), .usage)
        #expect(!FileManager.default.fileExists(atPath: camera.state))
    }

    @Test("without a running camera a command says how to start one")
    func notRunning() throws {
        let camera = try CameraProcess()
        expectOneSentence(try CameraProcess.run(["status", "--state", camera.state]), .unavailable)
        let json = try camera.command("status")
        #expect(json.status == Console.ExitStatus.unavailable.rawValue)
        guard case .error(let error)? = json.records.first else {
            Issue.record("no error in \(json.output)")
            return
        }
        #expect(error.error.code == "not-running")
        #expect(!FileManager.default.fileExists(atPath: camera.state))
    }

    @Test(
        "a wrong setting on the command line is refused like one in the configuration",
        arguments: [
            (["--set", "photo.quality=193"], "photo.quality cannot be"),
            (["--set", "photo.qualty=93"], "did you mean photo.quality?"), (["--ptpip", "nowhere"], "ptpip.address"),
            (["--set", "clock.zone=Mars/Olympus"], "Mars/Olympus"),
        ])
    func settings(options: [String], expected: String) throws {
        let camera = try CameraProcess()
        let run = try CameraProcess.run(["run", "--state", camera.state, "--sensor", "simulated"] + options)
        expectOneSentence(run, .configuration)
        #expect(run.errors.contains(expected), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: camera.state))
    }

    @Test(
        "a wrong configuration is refused with line, key and what was expected, and nothing is made",
        arguments: [
            ("photo : { quality = 193; };", "photo.quality"), ("\nphoto : { qualty = 93; };", "photo.quality"),
            ("photo : {", ":1"), ("clock : { zone = \"Mars/Olympus\"; };", "Mars/Olympus"),
            ("simulator : { width = \"wide\"; };", "simulator.width"),
        ])
    func configuration(text: String, expected: String) throws {
        let camera = try CameraProcess()
        let file = camera.folder.path + "/wrong.conf"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try CameraProcess.run(["run", "--state", camera.state, "--config", file])
        expectOneSentence(run, .configuration)
        #expect(run.errors.contains(expected), "\(run.errors)")
        expectOneSentence(try CameraProcess.run(["check-config", file]), .configuration)
        #expect(!FileManager.default.fileExists(atPath: camera.state))
    }

    @Test("a configuration file that is not there is refused")
    func missingConfiguration() throws {
        let camera = try CameraProcess()
        expectOneSentence(
            try CameraProcess.run(["run", "--state", camera.state, "--config", camera.folder.path + "/none"]),
            .configuration)
    }

    @Test("on a wrong configuration a reload keeps the last good one and says so")
    func reload() throws {
        let camera = try CameraProcess()
        try camera.start()
        let file = camera.folder.path + "/pinhole.conf"
        try "photo : { quality = 5000; };".write(toFile: file, atomically: true, encoding: .utf8)
        camera.signal(SIGHUP)
        try camera.wait { try camera.command("events").output.contains("photo.quality") }
        #expect(try camera.command("shoot").status == 0)
        #expect(try camera.status()?.led == "configuration-refused")
        try camera.configuration.write(toFile: file, atomically: true, encoding: .utf8)
        camera.signal(SIGHUP)
        try camera.wait { try camera.status()?.led != "configuration-refused" }
    }

    @Test("a second camera on the same state folder is refused and disturbs nothing")
    func secondRun() throws {
        let camera = try CameraProcess()
        try camera.start()
        expectOneSentence(try CameraProcess.run(["run", "--state", camera.state]), .tryAgain)
        #expect(try camera.command("shoot").status == 0)
    }

    @Test("a state folder without a parent is refused and not made")
    func missingParent() throws {
        let camera = try CameraProcess()
        let state = camera.folder.path + "/no/such/place"
        expectOneSentence(try CameraProcess.run(["run", "--state", state]), .storage)
        #expect(!FileManager.default.fileExists(atPath: camera.folder.path + "/no"))
    }

    @Test("a state folder that is a file is refused and left alone")
    func fileInTheWay() throws {
        let camera = try CameraProcess()
        try "mine".write(toFile: camera.state, atomically: true, encoding: .utf8)
        expectOneSentence(try CameraProcess.run(["run", "--state", camera.state]), .storage)
        #expect(try String(contentsOfFile: camera.state, encoding: .utf8) == "mine")
    }

    @Test("a read-only state folder is refused")
    func readOnlyState() throws {
        let camera = try CameraProcess()
        try FileManager.default.createDirectory(atPath: camera.state, withIntermediateDirectories: false)
        // A read-only mount stops root as well, who may write where the mode forbids it.
        let script = "mount -t tmpfs -o ro none \"$1\" && exec \"$0\" run --state \"$1\""
        let run = try CameraProcess.run(
            CameraProcess.namespace + ["/bin/sh", "-c", script, CameraProcess.program, camera.state],
            program: "/usr/bin/unshare")
        expectOneSentence(run, .storage)
    }

    @Test("a folder of photographs that cannot be used is refused with the file's name")
    func badPhotographs() throws {
        let camera = try CameraProcess()
        let photographs = camera.folder.path + "/photographs"
        expectOneSentence(
            try CameraProcess.run(["run", "--state", camera.state, "--sensor", "simulated:" + photographs]),
            .unavailable)
        try FileManager.default.createDirectory(atPath: photographs, withIntermediateDirectories: false)
        try "not a picture".write(toFile: photographs + "/broken.jpg", atomically: true, encoding: .utf8)
        let run = try CameraProcess.run(["run", "--state", camera.state, "--sensor", "simulated:" + photographs])
        expectOneSentence(run, .unavailable)
        #expect(run.errors.contains("broken.jpg"))
    }
}
