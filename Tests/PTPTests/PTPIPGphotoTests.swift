import Foundation
import Offload
import PinholeTesting
import Platform
import Testing

@testable import PTP

/// The real gphoto2 on this machine, over TCP.
@Suite("PTP/IP with gphoto2", .serialized) struct PTPIPGphotoTests {
    /// A camera, and a folder for what is fetched from it.
    private final class Fixture {
        let fixture: PTPIPServerFixture
        let folder: URL

        init(_ memory: MemoryObjectStore = MemoryObjectStore(), store: (any ObjectStore)? = nil) throws {
            fixture = try PTPIPServerFixture(memory, store: store)
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("pinhole-gphoto-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// Runs gphoto2 in the folder, which is its home as well.
        func run(_ arguments: String...) throws -> (status: Int32, text: String) {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                [
                    "timeout", "120", "gphoto2", "--port",
                    "ptpip:127.0.0.1:\(fixture.server.port):\(fixture.server.port)",
                    "--camera", "PTP/IP Camera",
                ] + arguments
            process.currentDirectoryURL = folder
            process.environment = [
                "HOME": folder.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin", "LC_ALL": "C",
            ]
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }

        func file(_ name: String) throws -> [UInt8] {
            [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
        }
    }

    @Test("it shows the camera's identity")
    func summary() async throws {
        let gphoto = try Fixture()
        let (status, text) = try gphoto.run("--summary")
        #expect(status == 0, "\(text)")
        for part in [Initiator.identity.model, Initiator.identity.serialNumber, Initiator.identity.version] {
            #expect(text.contains(part), "\(text)")
        }
        await gphoto.fixture.stop()
    }

    @Test("it lists and fetches every file, byte for byte")
    func files() async throws {
        let gphoto = try Fixture()
        let photos = gphoto.fixture.memory.add(
            5, files: [.init(.jpeg, byteCount: 700_001), .init(.dng, byteCount: 300_000)])
        let (listed, list) = try gphoto.run("--list-files")
        #expect(listed == 0, "\(list)")
        for number in 1...5 {
            #expect(list.contains("PINH000\(number).JPG") && list.contains("PINH000\(number).DNG"), "\(list)")
        }
        let (status, text) = try gphoto.run("--get-all-files")
        #expect(status == 0, "\(text)")
        for (index, handle) in photos.enumerated() {
            let name = "PINH000\(index / 2 + 1)." + (index.isMultiple(of: 2) ? "JPG" : "DNG")
            #expect(try gphoto.file(name) == gphoto.fixture.memory.bytes(of: handle))
        }
        await gphoto.fixture.stop()
    }

    @Test("it lists ten thousand photos")
    func manyPhotos() async throws {
        let gphoto = try Fixture()
        gphoto.fixture.memory.add(10_000)
        let (status, text) = try gphoto.run("--list-files")
        #expect(status == 0, "\(text.suffix(500))")
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("#") && $0.contains("PINH") }
        #expect(lines.count == 10_000, "\(text.suffix(500))")
        await gphoto.fixture.stop()
    }

    @Test("it sees nothing before consent")
    func consent() async throws {
        let gphoto = try Fixture(MemoryObjectStore(access: .init(mayAdd: false, mayRead: false)))
        gphoto.fixture.memory.add(3, isTold: false)
        let (status, text) = try gphoto.run("--list-files")
        #expect(status == 0, "\(text)")
        #expect(!text.contains("PINH"), "\(text)")
        await gphoto.fixture.stop()
    }

    @Test("it fetches thumbnails")
    func thumbnails() async throws {
        let gphoto = try Fixture()
        gphoto.fixture.memory.add(2)
        let (status, text) = try gphoto.run("--get-all-thumbnails")
        #expect(status == 0, "\(text)")
        for number in 1...2 {
            #expect(try gphoto.file("thumb_PINH000\(number).jpg") == MemoryObjectStore.smallPicture.bytes)
        }
        await gphoto.fixture.stop()
    }

    @Test("it deletes a photo only when that is allowed")
    func deletion() async throws {
        let gphoto = try Fixture()
        let photos = gphoto.fixture.memory.add(2)
        let (status, text) = try gphoto.run("--folder", "/store_00010001/DCIM/100PINHL", "--delete-file", "1")
        #expect(status == 0, "\(text)")
        #expect(gphoto.fixture.memory.deleted == [photos[0]])
        gphoto.fixture.memory.refuse(.accessDenied)
        // It ignores the answer: only a listing shows the result.
        _ = try gphoto.run("--folder", "/store_00010001/DCIM/100PINHL", "--delete-file", "1")
        #expect(try gphoto.run("--list-files").text.contains("PINH0002.JPG"))
        #expect(gphoto.fixture.memory.deleted == [photos[0]])
        await gphoto.fixture.stop()
    }

    @Test("it uploads a file only when that is allowed", arguments: [true, false])
    func upload(isAllowed: Bool) async throws {
        let gphoto = try Fixture(MemoryObjectStore(access: .init(mayAdd: isAllowed, mayRead: true)))
        gphoto.fixture.memory.add()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 8) }
        try Data(bytes).write(to: gphoto.folder.appendingPathComponent("holiday.jpg"))
        let (status, text) = try gphoto.run(
            "--folder", "/store_00010001/DCIM/100PINHL", "--upload-file", "holiday.jpg")
        #expect((status == 0) == isAllowed, "\(text)")
        #expect(gphoto.fixture.memory.uploaded.map(\.bytes) == (isAllowed ? [bytes] : []))
        #expect(gphoto.fixture.memory.uploaded.map(\.name) == (isAllowed ? ["holiday.jpg"] : []))
        await gphoto.fixture.stop()
    }

    @Test("it takes a photo and receives its location")
    func capture() async throws {
        let memory = MemoryObjectStore()
        let gphoto = try Fixture(
            memory,
            store: WatchedStore(
                memory,
                onCapture: { transaction in
                    memory.add()
                    memory.report(.captureCompleted(request: transaction))
                }))
        let (status, text) = try gphoto.run("--capture-image-and-download")
        #expect(status == 0, "\(text)")
        #expect(memory.captures.count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: gphoto.folder.path)
        #expect(names.contains { $0.hasSuffix(".jpg") || $0.hasSuffix(".JPG") }, "\(names) \(text)")
        await gphoto.fixture.stop()
    }

    @Test("it receives a photo that is taken at the camera")
    func waiting() async throws {
        let memory = MemoryObjectStore()
        memory.add()
        let gphoto = try Fixture(memory, store: WatchedStore(memory, onSession: { memory.add() }))
        let (status, text) = try gphoto.run("--wait-event=FILEADDED")
        #expect(status == 0, "\(text)")
        #expect(text.contains("FILEADDED PINH0002.JPG"), "\(text)")
        await gphoto.fixture.stop()
    }
}
