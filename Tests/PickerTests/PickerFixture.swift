import Foundation
import Imaging
import Photos
import PinholeTesting
import Platform
import Synchronization

@testable import Picker

/// A library in a folder of its own, and a picker of its photos on a scripted clock.
final class PickerFixture: Sendable {
    private let folder: String
    let time = ScriptedTime()
    let store: LibraryStore
    let grants: PickerGrants
    let picker: PhotoPicker

    static func withFixture<T: Sendable>(
        lifetime: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
        _ body: (PickerFixture) async throws -> T
    ) async throws -> T {
        let fixture = try await PickerFixture(lifetime: lifetime)
        do {
            let result = try await body(fixture)
            await fixture.close()
            return result
        } catch {
            await fixture.close()
            throw error
        }
    }

    private init(lifetime: Duration) async throws {
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory + "/" : NSTemporaryDirectory()
        folder = parent + "pinhole-picker-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var settings = LibrarySettings()
        settings.comparesInBackground = false
        settings.tendsWhenIdle = false
        store = try await LibraryStore.open(
            library: folder + "/library", state: folder + "/state", files: PosixFileOperations(), time: time,
            settings: settings, photoReader: WordReader())
        grants = PickerGrants(time: time, lifetime: lifetime)
        picker = PhotoPicker(library: StoredPickerLibrary(store: store), grants: grants)
    }

    private func close() async {
        await store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The library as a program has it that may see nothing.
    var library: PhotoLibrary { PhotoLibrary(store: store, client: .named("unknown")) }

    /// Saves a photo whose JPEG is `JPEG <name>`.
    func add(
        _ name: String, raw: Bool = false, burst: Bool = false, favorite: Bool = false, type: String? = nil
    ) async throws -> String {
        let identifier = Mutex("")
        try await PhotoLibrary(store: store, client: .console).performChanges {
            let request = AssetCreationRequest.forAsset()
            let options = AssetResourceCreationOptions()
            options.originalFilename = name + ".JPG"
            options.uniformTypeIdentifier = type
            request.addResource(with: .photo, data: Data("JPEG \(name)".utf8), options: options)
            if raw { request.addResource(with: .alternatePhoto, data: Data("RAW \(name)".utf8), options: nil) }
            if burst { request.burstIdentifier = AssetIdentifier().description }
            request.isFavorite = favorite
            let placeholder = request.placeholderForCreatedAsset
            identifier.withLock { $0 = placeholder?.localIdentifier ?? "" }
        }
        return identifier.withLock { $0 }
    }

    /// What a person gets who toggles these photos and then ends as said.
    func pick(
        _ toggles: [String], _ configuration: PickerConfiguration = PickerConfiguration(),
        outcome: PickerOutcome = .done
    ) async throws(PickerError) -> [PickerResult] {
        let front = ScriptedFront { choices in
            for identifier in toggles { _ = try? await choices.toggle(identifier) }
            return outcome
        }
        return try await picker.pick(configuration, on: front)
    }

    /// The photos that a picker offers.
    func offer(_ filter: PickerFilter?) async throws -> [String] {
        var configuration = PickerConfiguration()
        configuration.filter = filter
        let offered = Mutex<[String]>([])
        _ = try await picker.pick(
            configuration,
            on: ScriptedFront { choices in
                let page = try? await choices.page(limit: 100)
                offered.withLock { $0 = page?.assets.map(\.localIdentifier) ?? [] }
                return .cancelled
            })
        return offered.withLock { $0.reversed() }
    }
}

/// A front that does what a test says.
struct ScriptedFront: PickerFront {
    let script: @Sendable (PickerChoices) async -> PickerOutcome

    func choose(from choices: PickerChoices) async -> PickerOutcome { await script(choices) }
}

/// Knows a file's kind by the word it begins with.
private struct WordReader: Photos.PhotoFileReader {
    func read(_ file: UnsafeRawBufferPointer) throws(ImagingError) -> PhotoFileInfo {
        PhotoFileInfo(kind: file.starts(with: Array("RAW".utf8)) ? .dng : .jpeg, width: 0, height: 0)
    }
}

/// A picture that only knows its name.
struct NamedPicture: ItemProviderReading, Equatable {
    let name: String

    static let readableTypeIdentifiersForItemProvider = ["public.image"]

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> NamedPicture {
        let text = String(decoding: data, as: UTF8.self)
        guard text.hasPrefix("JPEG ") else { throw CocoaError(.fileReadCorruptFile) }
        return NamedPicture(name: String(text.dropFirst(5)))
    }
}

/// A film, which no photo is.
struct Film: ItemProviderReading {
    static let readableTypeIdentifiersForItemProvider = ["public.movie"]

    static func object(withItemProviderData data: Data, typeIdentifier: String) -> Film { Film() }
}

extension ItemProvider {
    /// The bytes of a type, or why not.
    func data(_ type: String) async -> Result<Data, PickerError> {
        await withCheckedContinuation { continuation in
            loadDataRepresentation(forTypeIdentifier: type) { data, error in
                continuation.resume(returning: Self.result(data, error))
            }
        }
    }

    /// An object of a class, or why not.
    func object(_ type: any ItemProviderReading.Type) async -> Result<any ItemProviderReading, PickerError> {
        await withCheckedContinuation { continuation in
            loadObject(ofClass: type) { object, error in
                continuation.resume(returning: Self.result(object, error))
            }
        }
    }

    private static func result<T>(_ value: T?, _ error: (any Error)?) -> Result<T, PickerError> {
        if let value { return .success(value) }
        return .failure(error as? PickerError ?? PickerError(.storageFailed, "neither a value nor an error"))
    }
}

/// The reason of a failure; nil for a success.
func code<T>(_ result: Result<T, PickerError>) -> PickerError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
}
