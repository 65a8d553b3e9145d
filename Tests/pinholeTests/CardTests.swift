import Console
import Foundation
import Testing

@Suite("Cards that fill up, turn read-only or vanish")
struct CardTests {
    private func camera() throws -> CameraProcess {
        try CameraProcess(
            configuration: """
                simulator : { width = 640; height = 480; frames_per_second = 30.0; };
                library : { reserve_mb = 8; };
                """)
    }

    /// `verify` beside the running camera, where the library can be seen.
    private func verifyInside(_ camera: CameraProcess) throws -> CameraProcess.Outcome {
        try camera.inside("exec \(CameraProcess.program) verify --state \(camera.state)")
    }

    /// The code of the error that a refused shot ends with.
    private func refusal(_ camera: CameraProcess) throws -> String? {
        let shoot = try camera.command("shoot")
        #expect(shoot.status == Console.ExitStatus.storage.rawValue)
        for case .error(let error) in shoot.records { return error.error.code }
        return nil
    }

    @Test(
        "a full card refuses the shot before it is taken, keeps the console alive, and recovers by itself",
        arguments: CameraProcess.Card.all(48))
    func full(card: CameraProcess.Card) throws {
        let camera = try camera()
        try camera.start(card: card)
        #expect(try camera.command("shoot").status == 0)
        #expect(try camera.inside("dd if=/dev/zero of=\"$0/filler\" bs=64k 2>/dev/null; true").status == 0)
        try camera.wait { try camera.status()?.state == .full }
        #expect(try refusal(camera) == "storage-full")
        #expect(try camera.status()?.led == "card-full")
        #expect(try camera.status()?.pressesRefused == 0, "a shot asked for by command is no press")
        #expect(try camera.command("press").status == 0)
        try camera.wait { try camera.status()?.pressesRefused == 1 }
        #expect(try camera.command("list").photos.count == 1)
        #expect(try camera.command("set", "photo.quality", "80").status == 0)
        #expect(try camera.inside("rm \"$0/filler\"").status == 0)
        try camera.wait { try camera.status()?.state == .ready }
        #expect(try camera.command("shoot").photos.first?.number == "100-0002")
        #expect(try verifyInside(camera).status == 0)
        #expect(camera.stop() == 0)
    }

    @Test(
        "taking photos until the card is full ends in a refusal; every photo announced is whole",
        arguments: CameraProcess.Card.all(24))
    func fillUp(card: CameraProcess.Card) throws {
        let camera = try camera()
        try camera.start(card: card)
        let shoot = try camera.command("shoot", "--count", "999")
        #expect(shoot.status == Console.ExitStatus.storage.rawValue)
        #expect(!shoot.photos.isEmpty)
        #expect(try camera.command("list").photos.count == shoot.photos.count)
        #expect(try verifyInside(camera).status == 0)
        // Deleting for good makes room.
        let numbers = shoot.photos.prefix(20).map(\.number)
        #expect(try CameraProcess.run(["delete"] + numbers + ["--state", camera.state]).status == 0)
        #expect(try camera.command("trash", "--empty").status == 0)
        try camera.wait { try camera.status()?.state == .ready }
        #expect(try camera.command("shoot").status == 0)
    }

    @Test(
        "a full quota is reported with its code, every announced photo is whole, and more room is used at once")
    func quota() throws {
        let camera = try camera()
        try camera.start(card: .quota(24))
        let shoot = try camera.command("shoot", "--count", "999")
        #expect(shoot.status == Console.ExitStatus.storage.rawValue)
        #expect(!shoot.photos.isEmpty)
        #expect(try refusal(camera) == "storage-full")
        #expect(try camera.command("list").photos.count == shoot.photos.count)
        #expect(try verifyInside(camera).status == 0)
        #expect(try camera.inside("btrfs qgroup limit none \"$0\"").status == 0)
        try camera.wait { try camera.command("shoot").status == 0 }
        #expect(try camera.status()?.state == .ready)
        #expect(try verifyInside(camera).status == 0)
    }

    @Test(
        "a disk that fails to write is reported with a code; the console answers and every announced photo is whole",
        arguments: CameraProcess.Card.failingDisks(16))
    func failingDisk(card: CameraProcess.Card) throws {
        let camera = try camera()
        try camera.start(card: card)
        let shoot = try camera.command("shoot", "--count", "999")
        #expect(shoot.status == Console.ExitStatus.storage.rawValue)
        #expect(!shoot.photos.isEmpty)
        #expect(try refusal(camera)?.hasPrefix("storage-") == true)
        #expect(try camera.command("list").photos.count >= shoot.photos.count)
        #expect(try camera.command("set", "photo.quality", "80").status == 0)
        #expect(try verifyInside(camera).status == 0)
        #expect(camera.stop() == 0)
    }

    @Test("another file system that is full changes nothing")
    func otherFull() throws {
        let camera = try camera()
        try camera.start(card: .memory(48))
        let fill = """
            mkdir -p "$0/../other" && mount -t tmpfs -o size=1m none "$0/../other" \
            && ! dd if=/dev/zero of="$0/../other/filler" bs=64k 2>/dev/null
            """
        #expect(try camera.inside(fill).status == 0)
        #expect(try camera.command("shoot", "--count", "3").status == 0)
        #expect(try camera.status()?.state == .ready)
    }

    @Test("a card that turns read-only refuses with its code, and works again when it can be written")
    func readOnly() throws {
        let camera = try camera()
        try camera.start(card: .memory(48))
        #expect(try camera.command("shoot").status == 0)
        // Files open for writing forbid remounting; a read-only bind mount over it does not.
        #expect(
            try camera.inside("mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\"").status == 0)
        try camera.wait { try camera.command("shoot").status == Console.ExitStatus.storage.rawValue }
        #expect(["storage-read-only", "storage-offline", "storage-failed"].contains(try refusal(camera) ?? ""))
        #expect(try camera.status()?.led == "card-full")
        #expect(try camera.inside("umount \"$0\"").status == 0)
        try camera.wait { try camera.status()?.state == .ready }
        #expect(try camera.command("shoot").status == 0)
        #expect(try verifyInside(camera).status == 0)
    }

    @Test("a library that vanishes is a state with a code, and is found again when it is back")
    func vanished() throws {
        let camera = try camera()
        try camera.start()
        #expect(try camera.command("shoot").status == 0)
        try FileManager.default.moveItem(atPath: camera.state + "/library", toPath: camera.state + "/elsewhere")
        try camera.wait { try camera.command("shoot").status == Console.ExitStatus.storage.rawValue }
        #expect(try camera.status()?.led == "card-full")
        try FileManager.default.moveItem(atPath: camera.state + "/elsewhere", toPath: camera.state + "/library")
        try camera.wait { try camera.status()?.state == .ready }
        let photo = try #require(try camera.command("shoot").photos.first)
        #expect(photo.number != "100-0001")
        #expect(try camera.command("verify").status == 0)
        #expect(try camera.command("list").photos.count == 2)
    }
}
