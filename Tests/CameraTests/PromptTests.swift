import Configuration
import Console
import Foundation
import Panel
import Photos
import Platform
import Testing

@testable import Camera

@Suite("A client that asks", .timeLimit(.minutes(10)))
struct PromptTests {
    private let door = Client.named("share:anna")

    private func camera() async throws -> CameraInProcess {
        var configuration = CameraConfiguration(schema: .doors())
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
        let prompt = try await camera.next(.prompt)
        #expect(prompt.text("client") == "share:anna" && prompt.text("level") == "read-write")
        #expect(prompt.text("purpose") == "Anna's laptop shows the photos.")
        await camera.until { $0.panel.patternName == "prompt" }
        hold(camera, 80)
        _ = try await camera.next(.saved)
        #expect(store.authorizationStatus(for: .readWrite, client: door) == .notDetermined)
        let seen = camera.appliance.events.recent.count
        hold(camera, 800)
        let given = await answer
        #expect(given == .limited)
        #expect(try await camera.next(.promptEnded, after: seen).text("answer") == "allowed")
        let access = try await camera.next(.access, after: seen)
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
        #expect(try await camera.next(.prompt).fields["count"] == .integer(1))
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
        _ = try await camera.next(.prompt, after: seen)
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
        _ = try await camera.next(.prompt)
        try await camera.end()
        let given = await answer
        #expect(given == .notDetermined)
    }
}
