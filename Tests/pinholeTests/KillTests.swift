import Console
import Foundation
import PinholeTesting
import Platform
import Testing

@Suite("Killed at any moment", .serialized)
struct KillTests {
    @Test("every announced photo is there and whole, no file in DCIM is cut off, no number comes twice")
    func killedWhileSaving() throws {
        let camera = try CameraProcess(
            configuration: "simulator : { width = 1280; height = 960; frames_per_second = 60.0; };")
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        var announced: [String: PhotoRecord] = [:]
        for _ in 0..<(CameraProcess.isLong ? 300 : 30) {
            try camera.start()
            let shots = try camera.background("shoot", "--count", "999")
            let due = MonotonicTime.now() + .milliseconds(Int.random(in: 1...400, using: &random))
            while MonotonicTime.now() < due { usleep(200) }
            camera.kill()
            for photo in try shots.outcome().photos {
                #expect(announced[photo.number] == nil, "\(photo.number) was given twice")
                announced[photo.number] = photo
            }
        }
        #expect(announced.count > 20)
        try camera.start()
        let listed = try camera.command("list").photos
        #expect(Set(listed.map(\.number)).count == listed.count)
        #expect(Set(listed.map(\.id)).count == listed.count)
        for photo in announced.values {
            #expect(listed.contains { $0.number == photo.number && $0.id == photo.id }, "\(photo.number) is lost")
        }
        let verify = try camera.command("verify")
        #expect(verify.status == 0)
        #expect(camera.stop() == 0)
        for file in try camera.files() {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: camera.state + "/library/DCIM/" + file))
            #expect(bytes.starts(with: [0xff, 0xd8]) && bytes.suffix(2) == Data([0xff, 0xd9]), "\(file) is cut off")
        }
        #expect(try camera.files().count == listed.count)
    }
}
