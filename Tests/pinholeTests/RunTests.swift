import Console
import Foundation
import Testing

@Suite("The camera as a program")
struct RunTests {
    @Test("started without a terminal it presses its button, prints the photo's path and ends")
    func tryIt() throws {
        let camera = try CameraProcess()
        let run = try CameraProcess.run(
            ["run", "--state", camera.state, "--sensor", "simulated", "--console", "stdio", "--press-at-start"])
        #expect(run.status == 0)
        #expect(run.output.contains(camera.state + "/library/DCIM/100PINHL/PINH0001.JPG"))
        #expect(try camera.files() == ["100PINHL/PINH0001.JPG"])
    }

    @Test("commands typed on standard input are carried out in order, and the end of input ends the run")
    func typedCommands() throws {
        let camera = try CameraProcess()
        try camera.configuration.write(toFile: camera.folder.path + "/c.conf", atomically: true, encoding: .utf8)
        let run = try CameraProcess.run(
            [
                "run", "--state", camera.state, "--config", camera.folder.path + "/c.conf", "--sensor", "simulated",
                "--console", "stdio",
            ],
            input: "shoot --count 2\nlist\nfavorite 100-0001\nlist --filter favorites --json\nnonsense\n")
        #expect(run.status == 0)
        #expect(run.output.contains("100-0002"))
        #expect((run.output + run.errors).contains("nonsense"))
        #expect(run.output.contains("\"favorite\":true"))
    }

    @Test("show, list and the file agree with what shoot reports")
    func shoot() throws {
        let camera = try CameraProcess()
        try camera.start()
        let shoot = try camera.command("shoot", "--count", "3")
        #expect(shoot.status == 0)
        #expect(shoot.photos.map(\.number) == ["100-0001", "100-0002", "100-0003"])
        for photo in shoot.photos {
            #expect(try Data(contentsOf: URL(fileURLWithPath: photo.path)).count == Int(photo.bytes))
            #expect(photo.width == 640 && photo.height == 480)
            #expect(photo.lagUs != nil && photo.durableMs != nil)
            #expect(try camera.command("show", photo.id).photos.first?.number == photo.number)
            #expect(try camera.command("show", photo.number).photos.first?.id == photo.id)
        }
        #expect(try camera.command("list").photos.map(\.number) == ["100-0003", "100-0002", "100-0001"])
        #expect(try camera.command("list", "--limit", "1").photos.count == 1)
        #expect(camera.stop() == 0)
    }

    @Test("a deleted photo is gone from list and DCIM, and comes back under its number and identifier")
    func trash() throws {
        let camera = try CameraProcess()
        try camera.start()
        let photos = try camera.command("shoot", "--count", "2").photos
        let first = try #require(photos.first)
        #expect(try camera.command("delete", first.number).status == 0)
        #expect(try camera.command("list").photos.map(\.number) == ["100-0002"])
        #expect(try camera.files() == ["100PINHL/PINH0002.JPG"])
        #expect(try camera.command("show", first.id).status == Console.ExitStatus.noSuchPhoto.rawValue)
        let restored = try camera.command("restore", first.number)
        #expect(restored.photos.map(\.id) == [first.id])
        #expect(try camera.files().count == 2)
        #expect(try camera.command("delete", "100-0001", "100-0002").status == 0)
        #expect(try camera.command("trash").records.count == 2)
        #expect(try camera.command("trash", "--empty").status == 0)
        #expect(try camera.command("restore", first.id).status == Console.ExitStatus.noSuchPhoto.rawValue)
        #expect(try camera.command("shoot").photos.first?.number == "100-0003", "a number is never used again")
    }

    @Test("a setting changes the next photo, survives a restart and can be taken back")
    func settings() throws {
        let camera = try CameraProcess()
        try camera.start()
        #expect(try camera.command("set", "photo.orientation", "6").status == 0)
        #expect(try camera.command("set", "photo.quality", "193").status == Console.ExitStatus.usage.rawValue)
        #expect(try camera.command("set", "simulator.width", "640").status == Console.ExitStatus.usage.rawValue)
        #expect(try camera.command("set", "photo.qualty", "50").errors.isEmpty)
        camera.stop()
        try camera.start()
        let photo = try #require(try camera.command("shoot").photos.first)
        let tags = try CameraProcess.run(["-n", "-s3", "-Orientation", photo.path], program: "/usr/bin/exiftool")
        #expect(tags.output == "6\n")
        #expect(try camera.command("set", "--reset").status == 0)
        for case .setting(let record) in try camera.command("get", "photo.orientation").records {
            #expect(record.value == .integer(1) && record.source == "default")
        }
    }

    @Test("events and the log report what happened")
    func events() throws {
        let camera = try CameraProcess()
        try camera.start()
        _ = try camera.command("press")
        var names: [String] = []
        try camera.wait {
            names = try camera.command("events").records.compactMap {
                if case .event(let event) = $0 { event.event } else { nil }
            }
            return names.contains("saved")
        }
        #expect(
            names.filter { ["ready", "pressed", "captured", "saved"].contains($0) }
                == ["ready", "pressed", "captured", "saved"])
        #expect(try camera.command("log").status == 0)
    }

    @Test("a hold takes a burst whose photos belong together")
    func burst() throws {
        let camera = try CameraProcess()
        try camera.start()
        _ = try camera.command("press", "--hold", "1000")
        // A press that comes during the burst begins after it.
        _ = try camera.command("press")
        try camera.wait {
            let newest = try camera.command("list", "--limit", "1").photos.first
            return try newest?.number != "100-0001" && newest?.burst == nil && camera.status()?.state == .ready
        }
        let photos = try camera.command("list", "--filter", "bursts").photos
        #expect(photos.count >= 3)
        #expect(Set(photos.map(\.burst)).count == 1)
        #expect(photos.last?.number == "100-0001", "the burst begins with the photo of the press")
    }

    @Test("the clock can be set, is trusted then, and the photo says so")
    func clock() throws {
        let camera = try CameraProcess(
            configuration: "simulator : { width = 640; height = 480; }; clock : { zone = \"Europe/Berlin\"; };")
        try camera.start()
        let set = try camera.command("clock", "set", "2031-07-01T12:00")
        #expect(set.status == 0)
        let photo = try #require(try camera.command("shoot").photos.first)
        #expect(photo.captured.hasPrefix("2031-07-01T12:0") && photo.captured.hasSuffix("+02:00"))
        #expect(photo.clockTrusted)
    }
}
