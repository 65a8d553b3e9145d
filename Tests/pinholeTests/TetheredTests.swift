import Console
import Foundation
import Testing

/// The built camera, and the real gphoto2 that speaks PTP/IP with it on loopback.
@Suite("A computer with gphoto2", .timeLimit(.minutes(10)))
struct TetheredTests {
    /// A camera that speaks PTP/IP, at a port that the system has chosen.
    private final class Tethered {
        let camera: CameraProcess
        private let port: Substring
        static let folder = "/store_00010001/DCIM/100PINHL"

        /// - Parameters:
        ///   - access: what the computer has without asking; nil when it asks, and a hold gives it everything.
        ///   - files: put into the library before the start, by their names under DCIM.
        init(access: String? = nil, files: [(name: String, bytes: Data)] = []) throws {
            let answer = access.map { "access = \"\($0)\";" } ?? "on_hold = \"full\";"
            camera = try CameraProcess(
                configuration: """
                    simulator : { width = 640; height = 480; frames_per_second = 30.0; };
                    button : { consent_hold_ms = 600; };
                    clients = ( { name = "ptpip"; purpose = "copies photos in a test"; \(answer) } );
                    """)
            for (name, bytes) in files {
                let file = URL(fileURLWithPath: camera.state + "/library/DCIM/" + name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try bytes.write(to: file)
            }
            try camera.start(["--ptpip", "127.0.0.1:0"])
            let address = try #require(try camera.status()?.doors["ptpip"]).description
            port = try #require(address.split(separator: ":").last)
        }

        private func words(_ words: [String]) -> [String] {
            [
                "-C", camera.folder.path, "HOME=\(camera.folder.path)", "LC_ALL=C", "gphoto2", "--port",
                "ptpip:127.0.0.1:\(port):\(port)",
                "--camera",
                "PTP/IP Camera",
            ] + words
        }

        /// Runs gphoto2 to its end.
        func gphoto2(_ words: String...) throws -> CameraProcess.Outcome {
            try CameraProcess.run(self.words(words), program: "/usr/bin/env")
        }

        /// Runs gphoto2 and does not wait for its end.
        func background(_ words: String...) throws -> CameraProcess.Running {
            try camera.background(program: "/usr/bin/env", self.words(words))
        }

        /// The names that gphoto2 lists.
        func list() throws -> [String] {
            try gphoto2("--list-files").output.split(separator: "\n").compactMap { line in
                line.hasPrefix("#") ? line.split(separator: " ").dropFirst().first.map(String.init) : nil
            }
        }

        /// Waits for an event about which the answer is true.
        func wait(for name: EventName, _ isMeant: (EventRecord) -> Bool = { _ in true }) throws {
            try camera.wait {
                try camera.command("events").records.contains {
                    if case .event(let event) = $0 { event.name == name && isMeant(event) } else { false }
                }
            }
        }

        /// Answers the prompt that is shown by holding the button.
        func hold() throws {
            try camera.wait { try camera.status()?.led == "prompt" }
            _ = try camera.command("press", "--hold", "900")
        }
    }

    @Test(
        "it sees an empty store until the owner holds the button, then every photo, byte for byte, with its thumbnail")
    func consent() throws {
        let tethered = try Tethered()
        let camera = tethered.camera
        #expect(try camera.command("shoot", "--count", "2").status == 0)
        let summary = try tethered.gphoto2("--summary")
        #expect(summary.output.contains("Model: Pinhole Camera") && summary.output.contains("Read-Only"))
        #expect(try tethered.list() == [])
        try tethered.hold()
        try tethered.wait(for: .access) { $0.text("level") == "full" }
        #expect(try tethered.list() == ["PINH0001.JPG", "PINH0002.JPG"])
        #expect(try tethered.gphoto2("--summary").output.contains("Read-Write"))
        #expect(try tethered.gphoto2("--get-all-files").status == 0)
        #expect(try tethered.gphoto2("--get-all-thumbnails").status == 0)
        for name in ["PINH0001", "PINH0002"] {
            let copy = camera.folder.path + "/\(name).JPG"
            let file = camera.state + "/library/DCIM/100PINHL/\(name).JPG"
            #expect(FileManager.default.contentsEqual(atPath: copy, andPath: file), "\(name)")
            let thumbnail = camera.folder.path + "/thumb_\(name).jpg"
            let size = try CameraProcess.run(["-s3", "-ImageSize", thumbnail], program: "/usr/bin/exiftool").output
            #expect(size == "160x120\n", "\(name)")
        }
        #expect(try camera.command("revoke", "ptpip").status == 0)
        #expect(try tethered.list() == [])
        #expect(camera.stop() == 0)
    }

    @Test("a deletion that is refused keeps the photo, one that the owner confirms does not")
    func deletion() throws {
        let tethered = try Tethered(access: "full")
        let camera = tethered.camera
        #expect(try camera.command("shoot", "--count", "2").status == 0)
        func delete() throws -> CameraProcess.Running {
            try tethered.background("--folder", Tethered.folder, "--delete-file", "PINH0001.JPG")
        }
        let refused = try delete()
        try camera.wait { try camera.status()?.led == "prompt" }
        #expect(try camera.command("deny", "ptpip").status == 0)
        // gphoto2 ends with 0 in any case.
        _ = try refused.outcome()
        #expect(try tethered.list() == ["PINH0001.JPG", "PINH0002.JPG"])
        let confirmed = try delete()
        try tethered.hold()
        #expect(try confirmed.outcome().status == 0)
        #expect(try tethered.list() == ["PINH0002.JPG"])
        #expect(try camera.command("trash").records.count == 1)
        #expect(camera.stop() == 0)
    }

    @Test("a computer that may only add can upload, and sees nothing; one that may do nothing cannot")
    func upload() throws {
        let tethered = try Tethered(access: "add-only")
        let camera = tethered.camera
        #expect(try camera.command("shoot").status == 0)
        let copy = camera.folder.path + "/holiday.jpg"
        try FileManager.default.copyItem(atPath: camera.state + "/library/DCIM/100PINHL/PINH0001.JPG", toPath: copy)
        #expect(try tethered.gphoto2("--folder", "/store_00010001", "--upload-file", copy).status == 0)
        #expect(try tethered.list() == [])
        #expect(try camera.files() == ["100PINHL/PINH0001.JPG", "100PINHL/PINH0002.JPG"])
        let uploaded = camera.state + "/library/DCIM/100PINHL/PINH0002.JPG"
        #expect(FileManager.default.contentsEqual(atPath: copy, andPath: uploaded))
        #expect(camera.stop() == 0)

        let nobody = try Tethered(access: "none")
        #expect(try nobody.gphoto2("--folder", "/store_00010001", "--upload-file", copy).status != 0)
        #expect(try nobody.camera.files() == [])
        #expect(nobody.camera.stop() == 0)
    }

    @Test("it takes photos, and receives those taken by the button while it is connected")
    func capture() throws {
        let tethered = try Tethered(access: "full")
        let camera = tethered.camera
        let captured = try tethered.gphoto2("--capture-image")
        #expect(captured.output.contains(Tethered.folder + "/PINH0001.JPG"))
        let waiting = try tethered.background("--wait-event=FILEADDED")
        try tethered.wait(for: .connected)
        try camera.wait { try camera.status()?.state == .ready }
        // Until it has received one: it may not listen yet when the first is taken.
        while waiting.isRunning {
            _ = try camera.command("press")
            try camera.wait { try camera.status()?.state == .ready }
        }
        #expect(try waiting.outcome().output.contains("FILEADDED PINH"))
        #expect(camera.stop() == 0)
    }

    @Test("a library of 10,000 photos is listed whole, and its last photo is got")
    func manyPhotos() throws {
        let photo = try DrawnPhotograph(width: 64, height: 48, hue: 1).jpeg()
        let files = (1...10_000).map { number in
            (
                name: number < 10_000 ? "100PINHL/PINH\(String(format: "%04d", number)).JPG" : "101PINHL/PINH0001.JPG",
                bytes: photo
            )
        }
        let tethered = try Tethered(access: "full", files: files)
        let camera = tethered.camera
        try camera.wait { try camera.status()?.library.assets == 10_000 }
        #expect(try tethered.list().count == 10_000)
        let copy = camera.folder.path + "/last.jpg"
        let last = try tethered.gphoto2(
            "--folder", "/store_00010001/DCIM/101PINHL", "--get-file", "PINH0001.JPG", "--filename", copy)
        #expect(last.status == 0)
        #expect(
            FileManager.default.contentsEqual(
                atPath: copy, andPath: camera.state + "/library/DCIM/101PINHL/PINH0001.JPG"))
        #expect(camera.stop() == 0)
    }

    @Test("an address that the configuration names and the machine does not have keeps the camera from nothing else")
    func absentAddress() throws {
        // Nobody has an address of this network (RFC 5737).
        let camera = try CameraProcess(
            configuration: """
                simulator : { width = 640; height = 480; frames_per_second = 30.0; };
                ptpip : { address = "192.0.2.1:15740"; };
                """)
        try camera.start()
        #expect(try camera.command("shoot").status == 0)
        #expect(try camera.status()?.doors["ptpip"] == .null)
        #expect(camera.stop() == 0)
    }
}
