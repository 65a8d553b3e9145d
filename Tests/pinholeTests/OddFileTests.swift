import Console
import Foundation
import Testing

@Suite("Odd things in the state folder")
struct OddFileTests {
    @Test(
        "a pipe where a small file should be holds nobody up",
        arguments: ["settings.conf", "clock", "number", "library/.pinhole/number"])
    func pipes(name: String) throws {
        let camera = try CameraProcess()
        try camera.start()
        _ = try camera.command("shoot")
        camera.stop()
        let path = camera.state + "/" + name
        try? FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o644) == 0)
        // Whether it starts or refuses with a sentence, it answers.
        do {
            try camera.start()
            #expect(try camera.command("list").photos.count == 1)
            #expect(camera.stop() == 0)
        } catch let failure as CameraProcess.Failure {
            #expect(failure.description.contains("pinhole: "))
        }
        #expect(try CameraProcess.run(["check-config", path]).status == Console.ExitStatus.configuration.rawValue)
    }

    @Test("a folder in staging is left alone")
    func folderInStaging() throws {
        let camera = try CameraProcess()
        try camera.start()
        camera.stop()
        let folder = camera.state + "/library/.pinhole/staging/sub"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try camera.start()
        #expect(try camera.command("shoot").status == 0)
        #expect(FileManager.default.fileExists(atPath: folder))
    }

    @Test("a link in place of a folder whose files are removed is refused, and what it leads to is untouched")
    func linkedStaging() throws {
        let camera = try CameraProcess()
        try camera.start()
        camera.stop()
        let outside = camera.folder.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
        try "mine".write(toFile: outside + "/PINH0077.JPG", atomically: true, encoding: .utf8)
        let staging = camera.state + "/library/.pinhole/staging"
        try FileManager.default.removeItem(atPath: staging)
        try FileManager.default.createSymbolicLink(atPath: staging, withDestinationPath: outside)
        let run = try CameraProcess.run(["run", "--state", camera.state])
        #expect(run.status == Console.ExitStatus.storage.rawValue)
        #expect(run.errors.contains(staging))
        #expect(try String(contentsOfFile: outside + "/PINH0077.JPG", encoding: .utf8) == "mine")
    }

    @Test("closed standard descriptors are no files of the camera")
    func closedDescriptors() throws {
        let camera = try CameraProcess()
        let run =
            "exec '\(CameraProcess.program)' run --state '\(camera.state)' --sensor simulated --console stdio --press-at-start"
        #expect(try CameraProcess.run(["-c", run + " <&- >&- 2>&-"], program: "/bin/bash").status == 0)
        #expect(try camera.files() == ["100PINHL/PINH0001.JPG"])
    }

    @Test("a state folder may be named in any way that leads to it")
    func stateNames() throws {
        let camera = try CameraProcess()
        let run = try CameraProcess.run(
            [
                "-c",
                "cd '\(camera.folder.path)' && exec '\(CameraProcess.program)' run --state ./state/ --sensor simulated --console stdio",
            ],
            program: "/bin/sh", input: "shoot --json\n")
        #expect(run.status == 0)
        #expect(run.photos.first?.path.hasPrefix("/") == true)
        #expect(run.photos.first?.resources.first?.type == "photo")
    }

    @Test("a run asked for JSON writes nothing but JSON")
    func json() throws {
        let camera = try CameraProcess()
        let run = try CameraProcess.run(
            ["run", "--json", "--state", camera.state, "--sensor", "simulated", "--console", "stdio"],
            input: "status\nfoo\nshoot\n")
        #expect(run.status == 0)
        for line in run.output.split(separator: "\n") { #expect(Record(json: String(line)) != nil, "\(line)") }
        #expect(run.photos.count == 1)
    }
}
