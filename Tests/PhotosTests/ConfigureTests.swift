import Foundation
import PinholeTesting
import Testing

@testable import Photos

/// One process has one library, so these come one after the other.
@Suite("Configuring this process's library", .serialized)
struct ConfigureTests {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func fails(_ code: PhotosError.Code, _ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            (error as? PhotosError)?.code == code
        }
    }

    @Test("before a library is configured everything fails, with a sentence that says what to do")
    func before() async throws {
        let library = PhotoLibrary.shared()
        await fails(.libraryVolumeOffline) { _ = try await library.fetchAssets() }
        await fails(.libraryVolumeOffline) { try await library.performChanges { addPhoto() } }
        let error = await withCheckedContinuation { done in
            library.performChanges({ addPhoto() }) { isSuccess, error in
                done.resume(returning: isSuccess ? nil : error as? PhotosError)
            }
        }
        #expect(error?.message.contains("configure") == true)
        #expect(PhotoLibrary.authorizationStatus(for: .readWrite) == .notDetermined)
        #expect(await PhotoLibrary.requestAuthorization(for: .addOnly) == .notDetermined)
        await PhotoLibrary.unconfigure()
    }

    @Test("one line opens the library, and it can be closed and opened again")
    func configure() async throws {
        let library = PhotoLibrary.shared()
        for count in 1...2 {
            try await PhotoLibrary.configure(state: folder.path + "/state", client: "example", purpose: "To save.")
            #expect(PhotoLibrary.shared() === library)
            #expect(await PhotoLibrary.requestAuthorization(for: .readWrite) == .authorized)
            #expect(PhotoLibrary.authorizationStatus(for: .addOnly) == .authorized)
            try await library.performChanges { addPhoto() }
            #expect(try await library.fetchAssets().assets.count == count)
            await fails(.changeNotSupported) {
                try await PhotoLibrary.configure(state: folder.path + "/b", client: "example", purpose: "To save.")
            }
            await PhotoLibrary.unconfigure()
            await fails(.libraryVolumeOffline) { _ = try await library.fetchAssets() }
        }
    }

    @Test("a missing purpose, a name that is taken, or a folder that is not there is refused, and can be put right")
    func refused() async throws {
        let state = folder.path + "/state"
        await fails(.accessRestricted) {
            try await PhotoLibrary.configure(state: state, client: "example", purpose: " ")
        }
        await fails(.accessRestricted) {
            try await PhotoLibrary.configure(state: state, client: "console", purpose: "To save.")
        }
        await fails(.libraryVolumeOffline) {
            try await PhotoLibrary.configure(state: folder.path + "/a/b", client: "example", purpose: "To save.")
        }
        #expect(!FileManager.default.fileExists(atPath: state))
        let prompter = FakePrompter(always: .allowed)
        try await PhotoLibrary.configure(
            state: state, client: "example", purpose: "To save.", level: nil, prompter: prompter)
        #expect(PhotoLibrary.authorizationStatus(for: .addOnly) == .notDetermined)
        let status = await withCheckedContinuation { done in
            PhotoLibrary.requestAuthorization(for: .addOnly) { done.resume(returning: $0) }
        }
        #expect(status == .authorized)
        #expect(prompter.asked.map(\.purpose) == ["To save."])
        await PhotoLibrary.unconfigure()
    }

    private func addPhoto() {
        AssetCreationRequest.forAsset().addResource(with: .photo, data: photo(newIdentifier()), options: nil)
    }
}
