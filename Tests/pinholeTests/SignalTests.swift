import Console
import Foundation
import PinholeTesting
import Platform
import Testing

@Suite("Signals at any moment")
struct SignalTests {
    private func camera() throws -> CameraProcess {
        try CameraProcess(configuration: "simulator : { width = 1280; height = 960; frames_per_second = 60.0; };")
    }

    @Test("SIGTERM and SIGINT end the camera in order: exit 0, nothing announced is lost, nothing is left half done")
    func ending() throws {
        let camera = try camera()
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        var announced: [String] = []
        for number in 0..<(CameraProcess.isLong ? 60 : 12) {
            try camera.start()
            let shots = try camera.background("shoot", "--count", "999")
            let due = MonotonicTime.now() + .milliseconds(Int.random(in: 1...300, using: &random))
            while MonotonicTime.now() < due { usleep(200) }
            camera.signal(number.isMultiple(of: 2) ? SIGTERM : SIGINT)
            if number.isMultiple(of: 3) { camera.signal(SIGTERM) }
            #expect(camera.ended() == 0)
            announced += try shots.outcome().photos.map(\.number)
        }
        try camera.start()
        let listed = try camera.command("list").photos.map(\.number)
        #expect(Set(announced).isSubset(of: listed))
        #expect(Set(announced).count == announced.count)
        // An orderly end leaves no gap in the numbers.
        #expect(listed.count == Int(listed.first?.suffix(4) ?? "0"))
        #expect(try camera.command("verify").status == 0)
    }

    @Test("a press whose edge was taken becomes a photo although the camera is asked to stop")
    func pressesBeforeTheEnd() throws {
        let camera = try camera()
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        for _ in 0..<(CameraProcess.isLong ? 40 : 8) {
            try camera.start()
            let events = try camera.background("events", "--follow")
            let presses = Int.random(in: 1...5, using: &random)
            let before = try camera.files().count
            for _ in 0..<presses { #expect(try camera.command("press", "--hold", "20").status == 0) }
            camera.signal(SIGTERM)
            #expect(camera.ended() == 0)
            #expect(try camera.files().count == before + presses)
            _ = try events.outcome()
        }
        try camera.start()
        #expect(try camera.command("verify").status == 0)
    }

    @Test("a camera that is stopped and continued goes on, and takes photos of now")
    func stopAndContinue() throws {
        let camera = try camera()
        try camera.start()
        #expect(try camera.command("shoot").status == 0)
        camera.signal(SIGSTOP)
        // Longer than any frame stays in the ring.
        let due = MonotonicTime.now() + .milliseconds(700)
        while MonotonicTime.now() < due { usleep(1000) }
        camera.signal(SIGCONT)
        try camera.wait { try camera.status()?.state == .ready }
        let photo = try #require(try camera.command("shoot").photos.first)
        #expect(abs(photo.lagUs ?? .max) < 500_000)
        #expect(camera.stop() == 0)
    }

    @Test("a reader that goes away in the middle of an answer does not end the camera")
    func brokenPipe() throws {
        let camera = try camera()
        try camera.start()
        _ = try camera.command("shoot", "--count", "20")
        for _ in 0..<20 {
            let script = "'\(CameraProcess.program)' list --state '\(camera.state)' | head -n 1 >/dev/null"
            #expect(try CameraProcess.run(["-c", script], program: "/bin/sh").status == 0)
        }
        camera.signal(SIGPIPE)
        camera.signal(SIGHUP)
        #expect(try camera.command("shoot").status == 0)
        #expect(camera.stop() == 0)
    }
}
