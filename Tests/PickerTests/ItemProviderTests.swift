import Foundation
import Photos
import Platform
import Synchronization
import Testing

@testable import Picker

@Suite struct ItemProviderTests {
    @Test("a photo with raw data is offered as both, as JPEG only where that is preferred")
    func representations() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a", raw: true)
            let current = try #require(try await fixture.pick([photo]).first?.itemProvider)
            #expect(current.registeredTypeIdentifiers == ["public.jpeg", "com.adobe.raw-image"])
            #expect(await current.data("com.adobe.raw-image") == .success(Data("RAW a".utf8)))
            #expect(await current.data("public.jpeg") == .success(Data("JPEG a".utf8)))

            var configuration = PickerConfiguration()
            configuration.preferredAssetRepresentationMode = .compatible
            let compatible = try #require(try await fixture.pick([photo], configuration).first?.itemProvider)
            #expect(compatible.registeredTypeIdentifiers == ["public.jpeg"])
            #expect(await code(compatible.data("com.adobe.raw-image")) == .unsupportedType)
            #expect(await compatible.data("public.image") == .success(Data("JPEG a".utf8)))
        }
    }

    @Test("what is no JPEG is given as it is, also where JPEG is preferred")
    func notJPEG() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a", type: "org.example.picture")
            var configuration = PickerConfiguration()
            configuration.preferredAssetRepresentationMode = .compatible
            let provider = try #require(try await fixture.pick([photo], configuration).first?.itemProvider)
            #expect(provider.registeredTypeIdentifiers == ["org.example.picture"])
            #expect(!provider.hasItemConformingToTypeIdentifier("public.image"))
            #expect(await provider.data("public.data") == .success(Data("JPEG a".utf8)))
        }
    }

    @Test("a kind stands for its types")
    func kinds() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a", raw: true)
            let provider = try #require(try await fixture.pick([photo]).first?.itemProvider)
            for type in ["public.jpeg", "public.image", "public.camera-raw-image", "public.data", "public.item"] {
                #expect(provider.hasItemConformingToTypeIdentifier(type), "\(type)")
            }
            for type in ["public.movie", "public.heic", "", "public"] {
                #expect(!provider.hasItemConformingToTypeIdentifier(type), "\(type)")
            }
        }
    }

    @Test("objects are made of the type they can read")
    func objects() async throws {
        try await PickerFixture.withFixture { fixture in
            let provider = try #require(try await fixture.pick([try await fixture.add("a")]).first?.itemProvider)
            #expect(provider.canLoadObject(ofClass: NamedPicture.self))
            #expect(try await provider.object(NamedPicture.self).get() as? NamedPicture == NamedPicture(name: "a"))
            #expect(try await provider.object(Data.self).get() as? Data == Data("JPEG a".utf8))
        }
    }

    @Test("an unsupported type is an import error of a provider and nil of an item")
    func unsupported() async throws {
        try await PickerFixture.withFixture { fixture in
            let result = try #require(try await fixture.pick([try await fixture.add("a")]).first)
            let provider = result.itemProvider
            #expect(!provider.canLoadObject(ofClass: Film.self))
            #expect(await code(provider.object(Film.self)) == .unsupportedType)
            #expect(await code(provider.data("public.movie")) == .unsupportedType)
            let item = PickerItem(result)
            #expect(try await item.loadTransferable(type: Film.self) == nil)
            let handed: Result<Film?, any Error> = await withCheckedContinuation { continuation in
                item.loadTransferable(type: Film.self) { continuation.resume(returning: $0) }
            }
            #expect(try handed.get() == nil)
        }
    }

    @Test("bytes that are not what they claim to be are an import error")
    func importFailed() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a", raw: true)
            let result = try #require(try await fixture.pick([photo]).first)
            #expect(await code(result.itemProvider.object(RawOnly.self)) == .importFailed)
            await #expect { try await PickerItem(result).loadTransferable(type: RawOnly.self) } throws: { error in
                (error as? PickerError)?.code == .importFailed
            }
        }
    }

    @Test("an item gives bytes and pictures, and knows its types")
    func item() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a")
            let results = try await fixture.pick([photo], PickerConfiguration(photoLibrary: fixture.library))
            let item = PickerItem(try #require(results.first))
            #expect(item.itemIdentifier == photo)
            #expect(item.supportedContentTypes == ["public.jpeg"])
            #expect(try await item.loadTransferable(type: Data.self) == Data("JPEG a".utf8))
            #expect(try await item.loadTransferable(type: NamedPicture.self) == NamedPicture(name: "a"))
            #expect(try await PickerItem(itemIdentifier: photo).loadTransferable(type: Data.self) == nil)
        }
    }

    @Test("a file has the photo's name and bytes while the handler runs, and is gone when it returns")
    func file() async throws {
        try await PickerFixture.withFixture { fixture in
            let provider = try #require(try await fixture.pick([try await fixture.add("a")]).first?.itemProvider)
            #expect(provider.suggestedName == "a.JPG")
            let (url, bytes): (URL?, Data?) = await withCheckedContinuation { continuation in
                provider.loadFileRepresentation(forTypeIdentifier: "public.image") { url, _ in
                    continuation.resume(returning: (url, url.flatMap { try? Data(contentsOf: $0) }))
                }
            }
            // Handlers run one at a time: when another one runs, that one has returned.
            await withCheckedContinuation { continuation in
                provider.loadDataRepresentation(forTypeIdentifier: "public.image") { _, _ in continuation.resume() }
            }
            let file = try #require(url)
            #expect(file.lastPathComponent == "a.JPG")
            #expect(bytes == Data("JPEG a".utf8))
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(!FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path))
        }
    }

    @Test("no name from outside leads out of the file's own folder")
    func hostileNames() {
        #expect(TemporaryFile.safe("../../etc/passwd") == "passwd")
        #expect(TemporaryFile.safe("a/..") == "photo")
        for name in ["", "/", ".", "..", "\0", String(repeating: "a", count: 256)] {
            #expect(TemporaryFile.safe(name) == "photo")
        }
        #expect(TemporaryFile.safe("a\0b") == "b")
    }

    @Test("a grant is used up by the first load, which opens the photo for this provider")
    func usedUp() async throws {
        try await PickerFixture.withFixture(lifetime: .seconds(60)) { fixture in
            let provider = try #require(try await fixture.pick([try await fixture.add("a")]).first?.itemProvider)
            #expect(fixture.grants.count == 1)
            #expect(await code(provider.data("public.jpeg")) == nil)
            #expect(fixture.grants.count == 0)
            fixture.time.advance(by: .seconds(61))
            #expect(await code(provider.data("public.jpeg")) == nil)
        }
    }

    @Test("a provider that was not used in time gives nothing any more")
    func late() async throws {
        try await PickerFixture.withFixture(lifetime: .seconds(60)) { fixture in
            let provider = try #require(try await fixture.pick([try await fixture.add("a")]).first?.itemProvider)
            fixture.time.advance(by: .seconds(60))
            #expect(await code(provider.data("public.jpeg")) == .grantExpired)
            #expect(await code(provider.data("public.jpeg")) == .grantExpired)
        }
    }

    @Test("a photo that was deleted after it was chosen cannot be loaded")
    func deleted() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a")
            let provider = try #require(try await fixture.pick([photo]).first?.itemProvider)
            try await fixture.store.delete([photo], for: .console)
            #expect(await code(provider.data("public.jpeg")) == .noSuchPhoto)
        }
    }

    @Test("a file that cannot be read is an error that can be tried again")
    func unreadable() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a")
            let provider = try #require(try await fixture.pick([photo]).first?.itemProvider)
            let path = try #require(try await fixture.store.asset(photo, for: .console)?.path)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            let result = await provider.data("public.jpeg")
            #expect(code(result) == .storageFailed)
            try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
            #expect(await provider.data("public.jpeg") == .success(Data("JPEG a".utf8)))
        }
    }
}

/// A picture that believes raw data to be something else.
private struct RawOnly: ItemProviderReading {
    static let readableTypeIdentifiersForItemProvider = ["public.camera-raw-image"]

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> RawOnly {
        throw CocoaError(.fileReadCorruptFile)
    }
}
