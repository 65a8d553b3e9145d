import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Recovery and checking")
struct RecoveryTests {
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    private func fill(_ count: Int = 4) async throws -> [Asset] {
        let store = try await fixture.open()
        for index in 0..<count { try await store.add(raw: index == 0) }
        try await store.setFavorite("100-0002", true, for: .console)
        let assets = try await store.all()
        await store.close()
        return assets
    }

    @Test("a lost catalog comes back from its copy, with favorites and identifiers")
    func lostWithBackup() async throws {
        let before = try await fill()
        try fixture.removeCatalog(withBackup: false)
        let store = try await fixture.open()
        #expect(try await store.all() == before)
        #expect(fixture.events.withLock { $0.contains { if case .rebuilding = $0 { true } else { false } } })
        let report = try await store.verify()
        #expect(report.ok == 4 && report.isSound && report.adopted == 0)
        await store.close()
    }

    @Test("a lost catalog without a copy is rebuilt from the files, with their identifiers, while photos are added")
    func lostWithoutBackup() async throws {
        let before = try await fill()
        try fixture.removeCatalog(withBackup: true)
        let store = try await fixture.open()
        #expect(store.state == .ready)
        let new = try await store.add()
        let report = try await store.verify()
        #expect(report.adopted == 4 && report.isSound && report.ok == 5)
        let after = try await store.all()
        #expect(after.map(\.localIdentifier) == before.map(\.localIdentifier) + [new])
        #expect(after.map(\.number) == ["100-0001", "100-0002", "100-0003", "100-0004", "100-0005"])
        #expect(after[0].resources.map(\.type) == [.photo, .alternatePhoto])
        await store.close()
    }

    @Test("Recently Deleted survives the loss of the catalog", arguments: [true, false])
    func lostTrash(withBackup: Bool) async throws {
        let before = try await fill()
        var store = try await fixture.open()
        try await store.delete(["100-0001", "100-0003"], for: .console)
        await store.close()
        try fixture.removeCatalog(withBackup: withBackup)
        store = try await fixture.open()
        #expect(try await store.verify().isSound)
        #expect(try await store.trash(for: .console).map(\.number) == ["100-0001", "100-0003"])
        let restored = try await store.restore(["100-0001"], for: .console)
        #expect(restored.map(\.localIdentifier) == [before[0].localIdentifier])
        #expect(try await store.verify().isSound)
        await store.close()
    }

    @Test("a catalog full of garbage is set aside and rebuilt", arguments: ["head", "middle"])
    func damaged(place: String) async throws {
        let before = try await fill()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.layout.catalog))
        let size = try handle.seekToEnd()
        let offset: UInt64 = place == "head" ? 0 : 4096
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size - offset)))
        try handle.close()
        let store = try await fixture.open()
        #expect(try await store.verify().isSound)
        #expect(try await store.all().map(\.localIdentifier) == before.map(\.localIdentifier))
        let aside = try FileManager.default.contentsOfDirectory(atPath: fixture.layout.quarantine)
        #expect(aside.contains { $0.hasSuffix(".sqlite") })
        await store.close()
    }

    @Test("a catalog that is damaged while the camera runs is rebuilt without a restart")
    func damagedWhileRunning() async throws {
        let before = try await fill()
        let store = try await fixture.open()
        _ = try await store.all()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.layout.catalog))
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
        try handle.close()
        for _ in 0..<3 {
            _ = try? await store.all()
            _ = try? await store.add()
            await store.tend()
        }
        #expect(store.state == .ready)
        #expect(try await store.verify().isSound)
        #expect(Set(try await store.all().map(\.localIdentifier)).isSuperset(of: before.map(\.localIdentifier)))
        await store.close()
    }

    @Test("a catalog of a later version, or of another program, is refused and left as it is")
    func foreign() async throws {
        for sql in [
            "PRAGMA application_id = 0x50494E48; PRAGMA user_version = 99; CREATE TABLE later (x)",
            "CREATE TABLE recipes (name TEXT)",
        ] {
            let fixture = try TestLibrary()
            try FileManager.default.createDirectory(atPath: fixture.layout.own, withIntermediateDirectories: true)
            try SQLiteConnection(path: fixture.layout.catalog, mode: .readWrite).execute(sql)
            let before = FileManager.default.contents(atPath: fixture.layout.catalog)
            await #expect {
                try await fixture.open()
            } throws: { error in
                switch error as? LibraryError {
                case .newerCatalog(_, version: 99): sql.contains("99")
                case .foreignCatalog: sql.contains("recipes")
                default: false
                }
            }
            #expect(FileManager.default.contents(atPath: fixture.layout.catalog) == before)
            #expect(!FileManager.default.fileExists(atPath: fixture.layout.catalog + "-wal"))
        }
    }

    @Test("a photo put on the card is adopted; one that exists already gets an identity of its own")
    func adoption() async throws {
        let before = try await fill()
        let untracked = newIdentifier()
        try fixture.put(photo(untracked), at: fixture.layout.photos + "/100PINHL/PINH0100.JPG")
        try fixture.put(photo(before[1].localIdentifier), at: fixture.layout.photos + "/100PINHL/PINH0101.JPG")
        try fixture.put(Data("other".utf8), at: fixture.layout.photos + "/100PINHL/README.TXT")
        let store = try await fixture.open()
        let report = try await store.verify()
        #expect(report.adopted == 2 && report.isSound && report.quarantined == 0)
        let adopted = try #require(try await store.asset(untracked, for: .console))
        #expect(adopted.number == "100-0100" && adopted.pixelWidth == 40)
        #expect(adopted.captured.offsetSeconds == 3600)
        let copy = try #require(try await store.asset("100-0101", for: .console))
        #expect(copy.localIdentifier != before[1].localIdentifier)
        #expect(Set(try await store.all().map(\.localIdentifier)).count == 6)
        await store.close()
    }

    @Test("a file that is not whole is set aside with the reason, and never thrown away")
    func quarantine() async throws {
        _ = try await fill(2)
        let cut = photo(newIdentifier()).prefix(1000)
        try fixture.put(cut, at: fixture.layout.photos + "/100PINHL/PINH0100.JPG")
        try fixture.put(Data(), at: fixture.layout.photos + "/100PINHL/PINH0101.JPG")
        try fixture.put(Data(count: 100), at: fixture.layout.photos + "/100PINHL/PINH0102.DNG")
        let store = try await fixture.open()
        let report = try await store.verify()
        #expect(report.quarantined == 3 && report.adopted == 0 && report.isSound)
        #expect(
            report.problems.map(\.reason).sorted()
                == ["it is empty", "it is not a photo", "its end is missing"])
        #expect(FileManager.default.contents(atPath: fixture.layout.quarantine + "/100-0100.JPG") == cut)
        #expect(try fixture.photoFiles().count == 3)
        #expect(try await store.verify().quarantined == 0)
        await store.close()
    }

    @Test("a raw file, a TIFF or another file alone is a photo too; of several the likeliest is, and none is left out")
    func adoptionOfOthers() async throws {
        _ = try await fill(2)
        let identifiers = (0..<2).map { _ in newIdentifier() }
        let folder = fixture.layout.photos + "/100PINHL/"
        try fixture.put(raw(identifiers[0]), at: folder + "PINH0100.DNG")
        try fixture.put(Data("TIFF \(identifiers[1]) END".utf8), at: folder + "PINH0101.TIF")
        try fixture.put(raw(newIdentifier()), at: folder + "PINH0101.DNG")
        try fixture.put(Data("something else".utf8), at: folder + "PINH0102.PNG")
        try fixture.put(Data("what is said of it".utf8.prefix(6)), at: folder + "PINH0102.XMP")
        let store = try await fixture.open()
        let report = try await store.verify()
        #expect(report.adopted == 3 && report.quarantined == 0 && report.isSound)
        let adopted = Array(try await store.all().dropFirst(2))
        #expect(adopted.prefix(2).map(\.localIdentifier) == identifiers)
        #expect(adopted.map(\.name) == ["100PINHL/PINH0100.DNG", "100PINHL/PINH0101.TIF", "100PINHL/PINH0102.PNG"])
        #expect(
            adopted.map { $0.resources.map(\.type.rawValue) } == [[1], [1, 4], [1, 0]])
        #expect(adopted.map(\.mediaType) == [.image, .image, .unknown])
        #expect(adopted.map(\.isRaw) == [true, true, false])
        #expect(adopted.map(\.orientation) == [6, 6, 1])
        await store.close()
    }

    @Test("a raw file left in DCIM of a photo in Recently Deleted joins it there when the catalog is lost")
    func halfDeleted() async throws {
        let before = try await fill(2)
        var store = try await fixture.open()
        try await store.delete(["100-0001"], for: .console)
        await store.close()
        let stem = fixture.layout.trash + "/100-0001.\(before[0].localIdentifier)."
        try FileManager.default.moveItem(
            atPath: stem + "DNG", toPath: fixture.layout.photos + "/100PINHL/PINH0001.DNG")
        try FileManager.default.copyItem(atPath: stem + "JPG", toPath: before[0].path)
        try fixture.removeCatalog(withBackup: true)
        store = try await fixture.open()
        let report = try await store.verify()
        #expect(report.isSound && report.quarantined == 0)
        #expect(try fixture.photoFiles().keys.sorted() == ["100PINHL/PINH0002.JPG"])
        let trash = try await store.trash(for: .console)
        #expect(trash.map { $0.resources.count } == [2])
        #expect(
            try await store.restore(["100-0001"], for: .console).map(\.localIdentifier) == [before[0].localIdentifier])
        await store.close()
    }

    @Test("another photo with the number of one in Recently Deleted is listed, and neither is lost")
    func sameNumber() async throws {
        let before = try await fill(2)
        var store = try await fixture.open()
        try await store.delete(["100-0001"], for: .console)
        await store.close()
        let other = newIdentifier()
        try fixture.put(photo(other), at: before[0].path)
        try fixture.removeCatalog(withBackup: true)
        store = try await fixture.open()
        _ = try await store.verify()
        #expect(try await store.all().map(\.localIdentifier) == [other, before[1].localIdentifier])
        let deleted = fixture.layout.trash + "/100-0001.\(before[0].localIdentifier).JPG"
        #expect(FileManager.default.contents(atPath: deleted) == photo(before[0].localIdentifier))
        await store.close()
    }

    @Test("a photo taken off the card by hand is not listed, counts as missing, and comes back with its file")
    func missing() async throws {
        let before = try await fill()
        let away = fixture.folder + "/away.jpg"
        try FileManager.default.moveItem(atPath: before[2].path, toPath: away)
        var store = try await fixture.open()
        #expect(try await store.all().count == 3)
        let report = try await store.verify()
        #expect(report.missing == 1 && report.assets == 4 && !report.isSound)
        await store.close()
        try FileManager.default.moveItem(atPath: away, toPath: before[2].path)
        store = try await fixture.open()
        #expect(try await store.all() == before)
        #expect(try await store.verify().isSound)
        await store.close()
    }

    @Test("a photo renamed by hand is found again under its identifier, still a favorite")
    func renamed() async throws {
        let before = try await fill()
        try FileManager.default.moveItem(
            atPath: before[1].path, toPath: fixture.layout.photos + "/100PINHL/PINH0200.JPG")
        let store = try await fixture.open()
        let report = try await store.verify()
        #expect(report.isSound && report.adopted == 1 && report.assets == 4)
        let asset = try #require(try await store.asset(before[1].localIdentifier, for: .console))
        #expect(asset.number == "100-0200" && asset.isFavorite)
        await store.close()
    }

    @Test("changed bytes, a changed length and a missing file are each found")
    func damage() async throws {
        let before = try await fill()
        var bytes = try #require(FileManager.default.contents(atPath: before[1].path))
        bytes[100] ^= 1
        try bytes.write(to: URL(fileURLWithPath: before[1].path))
        try bytes.dropLast(5).write(to: URL(fileURLWithPath: before[2].path))
        let store = try await fixture.open()
        let progress = Mutex<[[Int]]>([])
        let report = try await store.verify { done, total in progress.withLock { $0.append([done, total]) } }
        #expect(report.assets == 4 && report.ok == 2 && report.damaged == 2 && report.missing == 0)
        #expect(report.problems.map(\.name) == [before[1].name, before[2].name])
        #expect(progress.withLock { $0 } == [[1, 4], [2, 4], [3, 4], [4, 4]])
        await store.close()
    }

    @Test("beside a running camera a check only reads; alone it recovers; where there is no library it makes none")
    func standalone() async throws {
        let check = LibraryCheck(
            library: fixture.layout.library, state: fixture.state, files: PosixFileOperations(), time: fixture.time,
            photoReader: FakePhotoReader())
        await #expect(throws: LibraryError.missing(fixture.layout.library)) { try await check.run() }
        #expect(!FileManager.default.fileExists(atPath: fixture.state))
        let before = try await fill()
        try fixture.put(photo(newIdentifier()), at: fixture.layout.photos + "/100PINHL/PINH0100.JPG")
        let store = try await fixture.open()
        let beside = try await check.run()
        #expect(beside.isReadOnly && beside.ok == 4 && beside.adopted == 0)
        await store.close()
        let alone = try await check.run()
        #expect(!alone.isReadOnly && alone.ok == 5 && alone.adopted == 1)
        try FileManager.default.removeItem(atPath: before[0].path)
        #expect(try await check.run().missing == 1)
    }

    @Test("an asset whose commit failed but is in the log after all is forgotten, not counted as missing")
    func unconfirmedCommit() throws {
        let engine = LibraryEngine(
            layout: fixture.layout, files: PosixFileOperations(), time: fixture.time, settings: TestLibrary.settings,
            reader: FakePhotoReader(), shared: SharedLibraryState(), authority: Authority(time: fixture.time),
            report: { _ in })
        try engine.open()
        try engine.placement.makeDirectory(100)
        let number = try #require(DCFNumber("100-0001"))
        let unconfirmed = AssetRecord(
            number: number, identifier: AssetIdentifier(), captured: fixture.time.wallTime(at: fixture.time.now),
            width: 1,
            height: 1, resources: [.init(type: .photo, fileExtension: "JPG", bytes: 5, checksum: 0)])
        try engine.storage.commit { catalog throws(SQLiteError) in try catalog.assets.insert(unconfirmed) }
        engine.recovery.noteUnconfirmed([unconfirmed.identifier])
        try engine.recovery.reopen()
        #expect(try engine.find("100-0001") == nil)
        #expect(try engine.assetsToCheck() == 0)
        #expect(try #require(engine.numbering.next) > number)
        engine.close()
    }

    @Test("the comparison runs by itself after opening")
    func background() async throws {
        _ = try await fill()
        let untracked = newIdentifier()
        try fixture.put(photo(untracked), at: fixture.layout.photos + "/100PINHL/PINH0100.JPG")
        var settings = TestLibrary.settings
        settings.comparesInBackground = true
        let store = try await fixture.open(PosixFileOperations(), settings)
        await store.comparisonEnded()
        #expect(try await store.asset(untracked, for: .console) != nil)
        await store.close()
    }

    @Test("a copy of the catalog is made by and by, without closing")
    func backups() async throws {
        let store = try await fixture.open()
        for _ in 0..<70 { try await store.add(bytes: 100) }
        for _ in 0..<20 { await store.tend() }
        #expect(FileManager.default.fileExists(atPath: fixture.layout.backup))
        let copy = try SQLiteConnection(path: fixture.layout.backup, mode: .immutable)
        #expect(try copy.integer("SELECT count(*) FROM asset") == 70)
        await store.close()
    }

    @Test("a photo that is deleted before its files could be moved into place is in Recently Deleted all the same")
    func deletedWhileWaiting() async throws {
        let files = FaultyFileOperations()
        var store = try await fixture.open(files)
        let identifier = newIdentifier()
        files.failAll("renameNew", code: 5)
        try await PhotoLibrary(store: store, client: .console).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.identifier = identifier
            request.isFavorite = true
            request.addResource(with: .photo, data: photo(identifier), options: nil)
        }
        files.succeed()
        try await store.delete([identifier], for: .console)
        await store.close()
        store = try await fixture.open()
        #expect(try await store.restore([identifier], for: .console).count == 1)
        #expect(try await store.verify().ok == 1)
        await store.close()
    }

    @Test("a catalog that is lost while the camera runs comes back from its copy")
    func lostWhileRunning() async throws {
        let files = FaultyFileOperations()
        _ = try await fill()
        let store = try await fixture.open(files)
        let before = try await store.all()
        files.failAll("commit", code: 5)
        _ = try? await store.setFavorite("100-0001", true, for: .console)
        files.succeed()
        try fixture.removeCatalog(withBackup: false)
        for _ in 0..<8 { await store.tend() }
        #expect(try await store.all() == before)
        await store.close()
    }

    @Test("a deleted photo whose files are gone cannot be restored, and the library goes on")
    func restoredWithoutFiles() async throws {
        _ = try await fill()
        let store = try await fixture.open()
        try await store.delete(["100-0001", "100-0002"], for: .console)
        let gone = try #require(
            try FileManager.default.contentsOfDirectory(atPath: fixture.layout.trash).first { $0.hasPrefix("100-0002") }
        )
        try FileManager.default.removeItem(atPath: fixture.layout.trash + "/" + gone)
        await #expect {
            try await store.restore(["100-0001", "100-0002"], for: .console)
        } throws: { error in
            (error as? PhotosError)?.code == .missingResource
        }
        #expect(store.state == .ready)
        #expect(try await store.restore(["100-0001"], for: .console).count == 1)
        await store.close()
    }
}
