import Foundation
import Glibc
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Importing files")
struct ImportTests {
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    private func put(_ bytes: Data, _ name: String) throws -> URL {
        let path = fixture.folder + "/card/" + name
        try fixture.put(bytes, at: path)
        return URL(fileURLWithPath: path)
    }

    private func options(_ name: String? = nil, moves: Bool = false) -> AssetResourceCreationOptions {
        let options = AssetResourceCreationOptions()
        options.originalFilename = name
        options.shouldMoveFile = moves
        return options
    }

    @discardableResult
    private func create(
        _ store: LibraryStore, _ body: (AssetCreationRequest) -> Void
    ) async throws(PhotosError) -> String {
        var identifier = ""
        try await PhotoLibrary(store: store, client: .console).performChanges {
            let request = AssetCreationRequest.forAsset()
            body(request)
            identifier = request.placeholderForCreatedAsset?.localIdentifier ?? ""
        }
        return identifier
    }

    private func expectFailure(
        _ number: Int, _ words: String, _ store: LibraryStore, _ body: (AssetCreationRequest) -> Void
    ) async {
        await #expect {
            try await create(store, body)
        } throws: { error in
            let error = error as? PhotosError
            return error?.appleNumber == number && error?.message.contains(words) == true
        }
    }

    @Test("a foreign photo keeps its bytes, and its date, size and orientation are read")
    func foreign() async throws {
        let store = try await fixture.open()
        let content = photo(String(repeating: "-", count: 32), bytes: 3_000_000)
        let source = try put(content, "Ferien 1.jpeg")
        let identifier = try await create(store) { $0.addResource(with: .photo, fileURL: source, options: nil) }
        let asset = try #require(try await store.asset(identifier, for: .console))
        #expect(asset.name == "100PINHL/PINH0001.JPG" && asset.mediaType == .image && !asset.isRaw)
        #expect(asset.pixelWidth == 40 && asset.pixelHeight == 30 && asset.orientation == 6)
        #expect(asset.captured == WallTime(unixNanoseconds: 5, offsetSeconds: 3600, isTrusted: true))
        #expect(asset.resources.map(\.originalFilename) == ["Ferien 1.jpeg"])
        #expect(FileManager.default.contents(atPath: asset.path) == content)
        #expect(FileManager.default.contents(atPath: source.path) == content)
        #expect(try await store.verify().isSound)
        await store.close()
    }

    @Test("what the request says goes before what the file says")
    func progress() async throws {
        let store = try await fixture.open()
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let identifier = try await create(store) { request in
            request.addResource(with: .photo, data: photo(newIdentifier()), options: nil)
            request.creationDate = date
            request.setPixelSize(width: 4000, height: 3000)
        }
        let asset = try #require(try await store.asset(identifier, for: .console))
        #expect(asset.creationDate == date && asset.pixelWidth == 4000 && asset.pixelHeight == 3000)
        await store.close()
    }

    @Test(
        "the extension is that of the original name, else the content's, else DAT",
        arguments: [
            (Data("RAW".utf8), nil, "DNG"), (Data("TIFF END".utf8), nil, "TIF"), (Data("PHOTO END".utf8), nil, "JPG"),
            (Data("else".utf8), nil, "DAT"), (Data("TIFF END".utf8), "scan.tiff", "TIF"),
            (Data("else".utf8), "scan.png", "PNG"), (Data("else".utf8), "scan.heic", "DAT"),
            (Data("else".utf8), "scan", "DAT"), (Data("RAW".utf8), "../IMG.NEF", "NEF"),
            (Data("PHOTO END".utf8), "no/such:name.", "JPG"),
        ] as [(Data, String?, String)])
    func extensions(content: Data, name: String?, expected: String) async throws {
        let store = try await fixture.open()
        try await create(store) { $0.addResource(with: .photo, data: content, options: options(name)) }
        let asset = try #require(try await store.all().first)
        #expect(asset.name == "100PINHL/PINH0001." + expected)
        #expect(asset.resources[0].originalFilename == name ?? "PINH0001." + expected)
        let isKnown = content != Data("else".utf8)
        #expect(asset.mediaType == (isKnown ? .image : .unknown))
        #expect(asset.pixelWidth == (isKnown ? 40 : 0))
        #expect(asset.isRaw == content.starts(with: Data("RAW".utf8)))
        #expect(FileManager.default.contents(atPath: asset.path) == content)
        await store.close()
    }

    @Test("a file that claims to be a photo and is broken fails the block with the fault, and costs no number")
    func broken() async throws {
        let store = try await fixture.open()
        let cut = photo(newIdentifier()).dropLast(5)
        let source = try put(cut, "cut.jpg")
        let whole = photo(newIdentifier())
        await expectFailure(3302, source.path + " cannot be imported: its end is missing.", store) { request in
            request.addResource(with: .photo, fileURL: source, options: options(moves: true))
        }
        await expectFailure(3302, "The photo cannot be imported: its end is missing.", store) { request in
            request.addResource(with: .photo, data: Data("TIFF ".utf8), options: nil)
        }
        await expectFailure(3302, "its end is missing", store) { request in
            request.addResource(with: .photo, data: whole, options: nil)
            request.addResource(with: .alternatePhoto, data: raw(newIdentifier()).dropLast(), options: nil)
        }
        for name in ["zeros.JPG", "zeros.jpeg", "zeros.dng", "zeros.tiff"] {
            await expectFailure(3302, "its name is that of a JPEG, TIFF or DNG file", store) { request in
                request.addResource(with: .photo, data: Data(count: 100), options: options(name))
            }
        }
        #expect(FileManager.default.contents(atPath: source.path) == cut)
        #expect(try fixture.photoFiles().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.layout.staging) == [])
        #expect(store.state == .ready)
        let next = try await store.add()
        #expect(try await store.asset(next, for: .console)?.number == "100-0001")
        await store.close()
    }

    @Test("several files make one asset; types unknown here are kept untouched, with name and type identifier")
    func several() async throws {
        let store = try await fixture.open()
        let unknown = Data((0..<200).map { UInt8($0) })
        let rawSource = try put(raw(newIdentifier()), "IMG_7.dng")
        try await create(store) { request in
            request.addResource(with: .photo, data: photo(newIdentifier()), options: nil)
            request.addResource(with: .alternatePhoto, fileURL: rawSource, options: nil)
            let edit = options("IMG_7.aae")
            edit.uniformTypeIdentifier = "com.example.edit"
            request.addResource(with: AssetResourceType(rawValue: 7), data: unknown, options: edit)
        }
        let asset = try #require(try await store.all().first)
        #expect(asset.isRaw)
        let resources = Dictionary(uniqueKeysWithValues: asset.resources.map { ($0.type.rawValue, $0) })
        #expect(resources[1]?.name == "100PINHL/PINH0001.JPG")
        #expect(resources[4]?.name == "100PINHL/PINH0001.DNG" && resources[4]?.originalFilename == "IMG_7.dng")
        let edit = try #require(resources[7])
        #expect(edit.originalFilename == "IMG_7.aae" && edit.uniformTypeIdentifier == "com.example.edit")
        #expect(FileManager.default.contents(atPath: fixture.layout.photos + "/" + edit.name) == unknown)
        await store.close()
    }

    @Test("a file that is to be moved is gone once it is saved, and only then")
    func moving() async throws {
        let files = FaultyFileOperations()
        let store = try await fixture.open(files)
        try await store.add()
        let content = photo(newIdentifier())
        let source = try put(content, "IMG_1.JPG")
        func isKept() -> Bool { FileManager.default.contents(atPath: source.path) == content }
        func move(_ request: AssetCreationRequest) {
            request.addResource(with: .photo, fileURL: source, options: options(moves: true))
        }
        await expectFailure(3302, "same name", store) { request in
            move(request)
            request.addResource(with: .photoProxy, data: content, options: options("other.jpg"))
        }
        #expect(isKept())
        files.pretend(FileSystemSpace(free: (32 << 20) + 10, total: 1 << 40, isReadOnly: false))
        await expectFailure(3305, "full", store, move)
        #expect(isKept())
        files.succeed()
        await store.tend()
        for kind in ["copyNew", "renameNew", "commit"] {
            files.failAll(kind, code: EIO)
            await expectFailure(3114, "Input/output error", store, move)
            #expect(isKept(), "\(kind)")
            files.succeed()
            await store.tend()
        }
        files.restart()
        let identifier = try await create(store, move)
        #expect(files.log == ["copyNew", "renameNew", "syncDirectory", "commit", "remove"])
        #expect(!FileManager.default.fileExists(atPath: source.path))
        let asset = try #require(try await store.asset(identifier, for: .console))
        #expect(FileManager.default.contents(atPath: asset.path) == content)
        #expect(try await store.verify().isSound)
        await store.close()
    }

    @Test("what has taken the place of a file that was moved is left alone")
    func replaced() async throws {
        let files = FaultyFileOperations()
        let store = try await fixture.open(files)
        let source = try put(photo(newIdentifier()), "IMG_1.JPG")
        let other = Data("another's".utf8)
        files.before(next: "commit") { try? other.write(to: source) }
        try await create(store) { request in
            request.addResource(with: .photo, fileURL: source, options: options(moves: true))
        }
        #expect(FileManager.default.contents(atPath: source.path) == other)
        #expect(try await store.verify().isSound)
        await store.close()
    }

    @Test(
        "a source that changes, grows, shrinks or vanishes while it is read fails the block; the storage is not blamed")
    func changing() async throws {
        let files = FaultyFileOperations()
        let store = try await fixture.open(files)
        let content = photo(newIdentifier())
        let source = try put(content, "IMG_1.JPG")
        let others: [(Data?, Int, String)] = [
            (photo(newIdentifier()), 3302, "changed while it was being read"), (content + content, 3302, "changed"),
            (content.prefix(100), 3302, "changed"), (nil, 3303, "There is no file \(source.path)"),
        ]
        for (other, number, words) in others {
            try content.write(to: source)
            files.before(next: "copyNew") {
                if let other { try? other.write(to: source) } else { try? FileManager.default.removeItem(at: source) }
            }
            await expectFailure(number, words, store) { request in
                request.addResource(with: .photo, fileURL: source, options: options(moves: true))
            }
            #expect(FileManager.default.contents(atPath: source.path) == other)
            #expect(store.state == .ready)
        }
        #expect(try fixture.photoFiles().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.layout.staging) == [])
        await store.close()
    }

    @Test("a folder, a link, a pipe, nothing, an address on the net and the library's own files are refused")
    func noFiles() async throws {
        let store = try await fixture.open()
        try await store.add()
        let own = URL(fileURLWithPath: try #require(try await store.all().first).path)
        let folder = fixture.folder + "/card"
        let file = try put(photo(newIdentifier()), "IMG_1.JPG")
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.jpg", withDestinationPath: file.path)
        #expect(mkfifo(folder + "/pipe.jpg", 0o600) == 0)
        func refuse(_ url: URL, _ number: Int, _ words: String, moves: Bool = false) async {
            await expectFailure(number, words, store) { request in
                request.addResource(with: .photo, fileURL: url, options: options(moves: moves))
            }
        }
        await refuse(URL(fileURLWithPath: folder), 3302, "\(folder) is a folder")
        await refuse(URL(fileURLWithPath: folder + "/link.jpg"), 3302, "is a link or a device")
        await refuse(URL(fileURLWithPath: folder + "/pipe.jpg"), 3302, "is a link or a device")
        await refuse(URL(fileURLWithPath: "/dev/zero"), 3302, "is a link or a device")
        await refuse(URL(fileURLWithPath: folder + "/none.jpg"), 3303, "There is no file \(folder)/none.jpg")
        await refuse(URL(fileURLWithPath: file.path + "/none.jpg"), 3303, "There is no file")
        await refuse(try #require(URL(string: "https://example.org/a.jpg")), 3302, "is not a file URL")
        await refuse(own, 3302, "belongs to the library", moves: true)
        let detour = URL(fileURLWithPath: folder + "/../state/library/DCIM/100PINHL/PINH0001.JPG")
        await refuse(detour, 3302, "belongs to the library", moves: true)
        #expect(try await store.all().count == 1)
        #expect(FileManager.default.fileExists(atPath: own.path))
        #expect(FileManager.default.fileExists(atPath: file.path))
        // A copy of a photo that is there already is a photo of its own.
        try await create(store) { $0.addResource(with: .photo, fileURL: own, options: nil) }
        #expect(try await store.all().count == 2)
        await store.close()
    }

    @Test("an imported identifier comes back from the copy of the catalog; without one the photo does all the same")
    func rebuilt() async throws {
        for hasCopy in [true, false] {
            let fixture = try TestLibrary()
            var store = try await fixture.open()
            let identifier = try await create(store) { request in
                request.addResource(with: .photo, data: Data("unknown".utf8), options: options("scan.png"))
                request.addResource(
                    with: AssetResourceType(rawValue: 7), data: Data("edit".utf8), options: options("scan.aae"))
            }
            await store.close()
            try fixture.removeCatalog(withBackup: !hasCopy)
            store = try await fixture.open()
            let report = try await store.verify()
            #expect(report.isSound && report.quarantined == 0)
            let asset = try #require(try await store.all().first)
            #expect((asset.localIdentifier == identifier) == hasCopy)
            #expect(asset.resources.map(\.name) == ["100PINHL/PINH0001.PNG", "100PINHL/PINH0001.AAE"])
            await store.close()
        }
    }
}
