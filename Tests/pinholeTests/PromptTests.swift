import Configuration
import Console
import Foundation
import Panel
import Photos
import Platform
import Testing

@testable import Camera
@testable import pinhole

@Suite("A client that asks", .timeLimit(.minutes(10)))
struct PromptTests {
    private let door = Client.named("share:anna")

    private func camera() async throws -> CameraInProcess {
        var configuration = CameraConfiguration(schema: .pinhole)
        var client = ConfiguredClient()
        (client.name, client.purpose) = ("share:anna", "Anna's laptop shows the photos.")
        configuration.clients = [client]
        configuration.button.consentHold = .milliseconds(600)
        return try await CameraInProcess(configuration)
    }

    private func hold(_ camera: CameraInProcess, _ milliseconds: Int64) {
        camera.appliance.panel.press(.shutter, hold: .milliseconds(milliseconds), bounce: .zero) { _ in }
    }

    @Test("a short press during a prompt takes a photo and does not answer; a hold allows and takes none")
    func pressAndHold() async throws {
        let camera = try await camera()
        let store = camera.appliance.parts.store
        async let answer = store.requestAuthorization(for: .readWrite, client: door)
        let prompt = await camera.next(.prompt)
        #expect(prompt.text("client") == "share:anna" && prompt.text("level") == "read-write")
        #expect(prompt.text("purpose") == "Anna's laptop shows the photos.")
        while camera.appliance.panel.patternName != "prompt" { await Task.yield() }
        hold(camera, 80)
        _ = await camera.next(.saved)
        #expect(store.authorizationStatus(for: .readWrite, client: door) == .notDetermined)
        let seen = camera.appliance.events.recent.count
        hold(camera, 800)
        let given = await answer
        #expect(given == .limited)
        #expect(await camera.next(.promptEnded, after: seen).text("answer") == "allowed")
        let access = await camera.next(.access, after: seen)
        #expect(access.text("level") == "limited" && access.text("status") == "limited")
        #expect(!camera.appliance.events.recent.dropFirst(seen).contains { $0.name == .saved })
        #expect(try await PhotoLibrary(store: store, client: door).fetchAssets().isEmpty)
        try await camera.end()
    }

    @Test("a refused deletion changes nothing; a held one is soft and can be restored")
    func deletion() async throws {
        let camera = try await camera()
        let store = camera.appliance.parts.store
        try await store.setGrant(door, level: .full)
        let identifier = try await camera.shoot().get()
        let library = PhotoLibrary(store: store, client: door)
        let assets = try await library.fetchAssets().assets
        async let refused: Void = library.performChanges { AssetChangeRequest.deleteAssets(assets) }
        #expect(await camera.next(.prompt).fields["count"] == .integer(1))
        try await store.deny(door)
        do {
            try await refused
            Issue.record("a refused deletion was carried out")
        } catch {
            #expect((error as? PhotosError)?.appleNumber == 3072)
        }
        #expect(try await library.asset(identifier) != nil)
        let seen = camera.appliance.events.recent.count
        async let held: Void = library.performChanges { AssetChangeRequest.deleteAssets(assets) }
        _ = await camera.next(.prompt, after: seen)
        hold(camera, 800)
        try await held
        #expect(try await library.fetchAssets().isEmpty)
        #expect(try await store.restore([identifier], for: .console).map(\.localIdentifier) == [identifier])
        try await camera.end()
    }

    @Test("stopping while a client asks leaves it undecided and does not wait for an answer")
    func end() async throws {
        let camera = try await camera()
        async let answer = camera.appliance.parts.store.requestAuthorization(for: .addOnly, client: door)
        _ = await camera.next(.prompt)
        try await camera.end()
        let given = await answer
        #expect(given == .notDetermined)
    }

    @Test("clients, allow, select, deny and revoke on the console; a client that is not configured is refused")
    func console() async throws {
        let camera = try CameraProcess(
            configuration: """
                simulator : { width = 640; height = 480; frames_per_second = 30.0; };
                clients = ( { name = "share:anna"; purpose = "Anna looks at photos."; } );
                """)
        try camera.start()
        func record(_ words: String...) throws -> ClientRecord? {
            let outcome = try CameraProcess.run(words + ["--state", camera.state, "--json"])
            let clients = outcome.records.compactMap { if case .client(let client) = $0 { client } else { nil } }
            return clients.first { $0.name == "share:anna" }
        }
        #expect(try record("clients")?.status == "not_determined")
        #expect(try record("allow", "share:anna")?.level == "add-only")
        #expect(try record("allow", "share:anna", "limited")?.selected == 0)
        #expect(try camera.command("shoot").status == 0)
        #expect(try record("select", "share:anna", "add", "100-0001")?.selected == 1)
        #expect(try record("deny", "share:anna")?.status == "denied")
        #expect(try record("revoke", "share:anna")?.status == "not_determined")
        #expect(try camera.command("allow", "nobody").status == 77)
        let status = try #require(try camera.status())
        #expect(status.clients.map(\.name) == ["shutter", "console", "ptpip", "share:anna", "usb", "usb-console"])
        #expect(camera.stop() == 0)
    }

    @Test("photos are picked from a shell, in the order typed; an empty choice is a refusal")
    func pick() async throws {
        let camera = try CameraProcess()
        try camera.start()
        #expect(try camera.command("shoot", "--count", "3").status == 0)
        let words = ["pick", "--limit", "0", "--ordered", "--json", "--state", camera.state]
        let picked = try CameraProcess.run(words, input: "3 1\n\n")
        #expect(picked.status == 0)
        #expect(picked.photos.map(\.number) == ["100-0001", "100-0003"])
        #expect(try CameraProcess.run(words, input: "q\n").status == 77)
        #expect(try CameraProcess.run(words, input: "").status == 77)
        #expect(camera.stop() == 0)
    }
}
