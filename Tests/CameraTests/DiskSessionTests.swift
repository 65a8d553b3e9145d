import Configuration
import Console
import Foundation
import MassStorage
import Offload
import Panel
import Photos
import Platform
import Testing

@testable import Camera

@Suite("A computer that sees a disk", .timeLimit(.minutes(10)))
struct DiskSessionTests {
    /// A camera, and a computer at its USB port that it shows a disk.
    private final class Plugged: Sendable {
        let camera: CameraInProcess
        let sessions: ClientSessions
        let client: Client
        let host = DiskHost()
        private let serving = WorkerThread(name: "usb-host")
        private let building = WorkerThread(name: "usb-disk")
        private let computer = WorkerThread(name: "computer")

        /// - Parameter photos: how many are taken before.
        init(photos: Int) async throws {
            var configuration = CameraConfiguration(schema: .doors())
            configuration.button.consentHold = .milliseconds(600)
            camera = try await CameraInProcess(configuration)
            for _ in 0..<photos { _ = try await camera.shoot().get() }
            sessions = camera.appliance.clientSessions()
            client = sessions.begin("usb", isNumbered: true)
            let session = DiskSession(
                pipes: host, client: client, sessions: sessions, identity: camera.appliance.identity,
                loop: camera.appliance.parts.loop, worker: building,
                ejected: { [panel = camera.appliance.panel] in panel.report(.safeToUnplug) })
            serving.submit { session.serve() }
        }

        var store: LibraryStore { camera.appliance.parts.store }

        /// What the library has, as a disk shows it.
        func library() async throws -> [DiskHost.File] {
            try await camera.appliance.library.fetchAssets().assets.map { asset in
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.layout.photos + "/" + asset.name)))
                return DiskHost.File(path: "/DCIM/" + asset.name, byteCount: bytes.count, bytes: bytes)
            }.sorted { $0.path < $1.path }
        }

        /// Does what the computer does, which waits for answers.
        func ask<Answer: Sendable>(_ body: @escaping @Sendable (DiskHost) -> Answer) async -> Answer {
            await computer.run { [host] in body(host) }
        }

        func end() async throws {
            host.unplug()
            for thread in [serving, building, computer] { await thread.stop() }
            sessions.end(client)
            try await camera.end()
        }
    }

    @Test(
        "there is no medium before the owner holds the button; then every photo, byte for byte, and none that comes later"
    )
    func consent() async throws {
        let plugged = try await Plugged(photos: 3)
        #expect(await plugged.ask { $0.read(0) } == nil)
        #expect(await plugged.ask { $0.lastSense() } == .noMedium)
        let prompt = try await plugged.camera.next(.prompt)
        #expect(prompt.text("client") == "usb" && prompt.text("level") == "read-write")
        #expect(await plugged.ask { $0.sense() } == .noMedium)
        await plugged.camera.until { $0.panel.patternName == "prompt" }
        plugged.camera.appliance.panel.press(.shutter, hold: .milliseconds(800), bounce: .zero) { _ in }
        let news = await plugged.ask { host in
            var sense = host.sense()
            while sense == .noMedium { sense = host.sense() }
            return sense
        }
        #expect(news == .newMedium)
        #expect(await plugged.ask { $0.sense() } == nil)
        let photos = try await plugged.library()
        #expect(photos.count == 3)
        #expect(await plugged.ask { $0.files() } == photos)
        _ = try await plugged.camera.shoot().get()
        #expect(await plugged.ask { $0.files() } == photos)
        try await plugged.end()
    }

    @Test("when access is taken back the medium is gone, and another one comes with access")
    func revoked() async throws {
        let plugged = try await Plugged(photos: 2)
        try await plugged.store.setGrant(plugged.client, level: .full)
        await plugged.ask { $0.wait(forMedium: true) }
        try await plugged.store.revoke(plugged.client)
        await plugged.ask { $0.wait(forMedium: false) }
        #expect(await plugged.ask { $0.read(0) } == nil)
        #expect(await plugged.ask { $0.files() }.isEmpty)
        try await plugged.store.setGrant(plugged.client, level: .addOnly)
        #expect(await plugged.ask { $0.sense() } == .noMedium)
        try await plugged.store.setGrant(plugged.client, level: .full)
        await plugged.ask { $0.wait(forMedium: true) }
        let photos = try await plugged.library()
        #expect(await plugged.ask { $0.files() } == photos)
        try await plugged.end()
    }

    @Test("a limited client sees what was selected for it, and each selection makes another medium")
    func limited() async throws {
        let plugged = try await Plugged(photos: 3)
        let photos = try await plugged.library()
        let identifiers = try await plugged.camera.appliance.library.fetchAssets().assets
            .sorted { $0.name < $1.name }.map(\.localIdentifier)
        try await plugged.store.setGrant(plugged.client, level: .limited)
        #expect(await plugged.ask { $0.sense() } == .noMedium)
        try await plugged.store.select(plugged.client, add: [identifiers[1]], remove: [])
        await plugged.ask { $0.wait(forMedium: true) }
        #expect(await plugged.ask { $0.files().map(\.bytes) } == [photos[1].bytes])
        try await plugged.store.select(plugged.client, add: [identifiers[2]], remove: [identifiers[1]])
        await plugged.ask { $0.wait(forMedium: true) }
        #expect(await plugged.ask { $0.files().map(\.bytes) } == [photos[2].bytes])
        try await plugged.store.select(plugged.client, add: [], remove: [identifiers[2]])
        await plugged.ask { $0.wait(forMedium: false) }
        try await plugged.end()
    }

    @Test("a photo that is deleted cannot be read any more, also when it was open, until it is restored")
    func deleted() async throws {
        let plugged = try await Plugged(photos: 1)
        try await plugged.store.setGrant(plugged.client, level: .full)
        await plugged.ask { $0.wait(forMedium: true) }
        let photos = try await plugged.library()
        #expect(await plugged.ask { $0.files() } == photos)
        let asset = try #require(try await plugged.camera.appliance.library.fetchAssets().assets.first)
        try await plugged.store.delete([asset.localIdentifier], for: .console)
        let seen = await plugged.ask { $0.files() }
        #expect(seen == [DiskHost.File(path: photos[0].path, byteCount: photos[0].byteCount, bytes: nil)])
        #expect(await plugged.ask { $0.sense() } == nil)
        _ = try await plugged.store.restore([asset.localIdentifier], for: .console)
        #expect(await plugged.ask { $0.files() } == photos)
        try await plugged.end()
    }

    @Test("nothing is written, and the computer gets an error")
    func write() async throws {
        let plugged = try await Plugged(photos: 1)
        try await plugged.store.setGrant(plugged.client, level: .full)
        await plugged.ask { $0.wait(forMedium: true) }
        // A write of no blocks, and all mode pages.
        #expect(
            await plugged.ask { $0.command([DiskHost.Operation.write10, 0, 0, 0, 0, 0, 0, 0, 0, 0]).isPassed } == false)
        #expect(await plugged.ask { $0.lastSense() } == .writeProtected)
        let mode = await plugged.ask {
            $0.command([DiskHost.Operation.modeSense6, 0, 0x3f, 0, 192, 0], byteCount: 192).bytes
        }
        #expect(mode.count > 3 && mode[2] & 0x80 != 0)
        try await plugged.end()
    }

    @Test("a computer that ejects the disk can be unplugged, and sees nothing more")
    func ejected() async throws {
        let plugged = try await Plugged(photos: 1)
        try await plugged.store.setGrant(plugged.client, level: .full)
        await plugged.ask { $0.wait(forMedium: true) }
        let light = try #require(plugged.camera.appliance.parts.light as? SimulatedLight)
        await plugged.camera.until { $0.panel.patternName == "ready" }
        let seen = light.changes.count
        // The host ejects the medium.
        #expect(await plugged.ask { $0.command([DiskHost.Operation.startStopUnit, 0, 0, 0, 2, 0]).isPassed })
        await plugged.camera.until { _ in light.changes.dropFirst(seen).contains { $0.brightness == 1 } }
        #expect(await plugged.ask { $0.sense() } == .noMedium)
        try await plugged.store.setGrant(plugged.client, level: .nothing)
        try await plugged.store.setGrant(plugged.client, level: .full)
        await withCheckedContinuation { continuation in plugged.store.whenObserversKnow { continuation.resume() } }
        #expect(await plugged.ask { $0.sense() } == .noMedium)
        try await plugged.end()
    }
}
