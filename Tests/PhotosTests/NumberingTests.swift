import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Numbers")
struct NumberingTests {
    private func allocator(
        directories: [String] = [], newestFiles: [String] = [], marks: [String] = [], limit: Int = 9999
    ) -> NumberAllocator {
        var evidence = NumberAllocator.Evidence()
        evidence.directories = directories
        evidence.newestFiles = newestFiles
        evidence.marks = marks.compactMap { DCFNumber($0) }
        return NumberAllocator(filesPerDirectory: limit, evidence: evidence)
    }

    @Test("texts that are not numbers are refused")
    func parsing() {
        #expect(DCFNumber("100-0001")?.description == "100-0001")
        for text in ["", "99-0001", "099-0001", "100-0000", "100-1", "1000001", "100-00011", "１00-0001", "100-000a"] {
            #expect(DCFNumber(text) == nil, "\(text)")
        }
    }

    @Test("an empty card begins at 100-0001")
    func empty() {
        #expect(allocator().next?.description == "100-0001")
        #expect(allocator(directories: ["MISC", "100PINHL"]).next?.description == "100-0001")
    }

    @Test("the highest of card, card's mark and camera's mark counts")
    func highest() {
        let files = ["PINH0007.JPG", "PINH0007.DNG", "PINH0003.JPG", "notes.txt"]
        #expect(allocator(directories: ["100PINHL"], newestFiles: files).next?.description == "100-0008")
        #expect(
            allocator(directories: ["100PINHL"], newestFiles: files, marks: ["100-0500", "100-0064"]).next?.description
                == "100-0501")
        #expect(allocator(marks: ["104-0003"]).next?.description == "104-0004")
    }

    @Test("other cameras' directories keep their numbers")
    func others() {
        #expect(allocator(directories: ["100CANON", "104ABCDE"], marks: ["100-0004"]).next?.description == "105-0001")
        #expect(
            allocator(directories: ["104PINHL", "104ABCDE"], newestFiles: ["PINH0001.JPG"]).next?.description
                == "105-0001")
    }

    @Test("after 9999, or the configured number of files, comes the next directory; after 999-9999 nothing")
    func rollover() {
        #expect(allocator(marks: ["100-9999"]).next?.description == "101-0001")
        #expect(allocator(marks: ["100-1000"], limit: 1000).next?.description == "101-0001")
        #expect(allocator(marks: ["999-9998"]).next?.description == "999-9999")
        var last = allocator(marks: ["999-9998"])
        #expect(last.take(2) == nil)
        #expect(last.take(1)?.first?.description == "999-9999")
        #expect(last.next == nil)
        #expect(last.take(1) == nil)
        #expect(last.missingReservation(for: 1) == nil)
    }

    @Test("no number is given out above the mark that was reserved")
    func reservation() throws {
        var numbers = allocator(limit: 100)
        for _ in 0..<500 {
            if let mark = numbers.missingReservation(for: 1) { numbers.didReserve(mark) }
            let taken = try #require(numbers.take(1)?.first)
            let reserved = try #require(numbers.reserved)
            #expect(taken <= reserved)
        }
        #expect(numbers.highest?.description == "104-0100")
    }

    @Test("directories roll over on the card as they do on paper")
    func rolloverOnCard() async throws {
        let fixture = try TestLibrary()
        var settings = TestLibrary.settings
        settings.filesPerDirectory = 2
        let store = try await fixture.open(PosixFileOperations(), settings)
        for _ in 0..<3 { try await store.add() }
        #expect(
            try fixture.photoFiles().keys.sorted() == [
                "100PINHL/PINH0001.JPG", "100PINHL/PINH0002.JPG", "101PINHL/PINH0001.JPG",
            ])
        await store.close()
    }

    @Test("when numbers have run out, a photo is refused with its own code and nothing is overwritten")
    func exhausted() async throws {
        let fixture = try TestLibrary()
        try fixture.put(photo(newIdentifier()), at: fixture.layout.photos + "/999PINHL/PINH9998.JPG")
        let store = try await fixture.open()
        try await store.add()
        #expect(store.state == .numberingExhausted)
        let before = try fixture.photoFiles()
        await #expect(throws: PhotosError.exhausted) { try await store.add() }
        #expect(throws: PhotosError.exhausted) { try store.admit(bytes: 1) }
        #expect(try fixture.photoFiles() == before)
        #expect(before.keys.contains("999PINHL/PINH9999.JPG"))
        await store.close()
    }

    @Test(
        "no number comes back, whatever is lost",
        arguments: [
            ["card"], ["camera"], ["catalog"], ["card", "camera"], ["card", "catalog"], ["camera", "catalog"],
        ])
    func losses(lost: [String]) async throws {
        let fixture = try TestLibrary()
        var store = try await fixture.open()
        for _ in 0..<5 { try await store.add() }
        // The newest photos are gone for good: only the marks and the catalog remember their numbers.
        let newest = try await store.all().suffix(2).map(\.localIdentifier)
        try await store.delete(newest, for: .console)
        #expect(try await store.emptyTrash(for: .console) == 2)
        await store.close()
        for place in lost {
            switch place {
            case "card": try FileManager.default.removeItem(atPath: fixture.layout.cardMark)
            case "camera": try FileManager.default.removeItem(atPath: fixture.layout.cameraMark)
            default: try fixture.removeCatalog(withBackup: true)
            }
        }
        fixture.time.setDate(unixNanosecondsNow: 0, isTrusted: false)
        store = try await fixture.open()
        let next = try await store.add()
        let asset = try #require(try await store.asset(next, for: .console))
        #expect(asset.number == "100-0006")
        await store.close()
    }

    @Test("a library that is closed before its first photo still begins at 100-0001")
    func nothingTaken() async throws {
        let fixture = try TestLibrary()
        var store = try await fixture.open()
        await store.close()
        store = try await fixture.open()
        let first = try await store.add()
        #expect(try await store.asset(first, for: .console)?.number == "100-0001")
        await store.close()
    }

    @Test("after a power cut numbers go on above the reserved block")
    func powerCut() async throws {
        let fixture = try TestLibrary()
        let files = FaultyFileOperations()
        var store = try await fixture.open(files)
        try await store.add()
        try await store.delete(["100-0001"], for: .console)
        files.stopDead(after: 0)
        await store.close()
        try fixture.removeCatalog(withBackup: false)
        store = try await fixture.open()
        let next = try await store.add()
        let number = try #require(try await store.asset(next, for: .console)).number
        #expect(number > "100-0001")
        #expect(number <= "100-0066")
        await store.close()
    }

    @Test("another card in the same camera goes on with the camera's numbers")
    func cardSwap() async throws {
        let fixture = try TestLibrary()
        var store = try await fixture.open()
        for _ in 0..<3 { try await store.add() }
        await store.close()
        try FileManager.default.moveItem(atPath: fixture.layout.library, toPath: fixture.folder + "/first-card")
        store = try await fixture.open()
        let next = try await store.add()
        #expect(try await store.asset(next, for: .console)?.number == "100-0004")
        await store.close()
    }

    @Test("a directory another camera makes meanwhile is left alone")
    func foreignDirectoryAppears() async throws {
        let fixture = try TestLibrary()
        var settings = TestLibrary.settings
        settings.filesPerDirectory = 1
        let store = try await fixture.open(PosixFileOperations(), settings)
        try await store.add()
        try fixture.put(Data("other".utf8), at: fixture.layout.photos + "/101ABCDE/IMG_0001.JPG")
        let next = try await store.add()
        #expect(try await store.asset(next, for: .console)?.number == "102-0001")
        await store.close()
    }

    @Test("a name that somebody took meanwhile is passed over, not overwritten")
    func nameIsTaken() async throws {
        let fixture = try TestLibrary()
        let store = try await fixture.open()
        try await store.add()
        let other = Data("mine".utf8)
        try fixture.put(other, at: fixture.layout.photos + "/100PINHL/PINH0002.JPG")
        let next = try await store.add()
        #expect(try await store.asset(next, for: .console)?.number == "100-0003")
        #expect(FileManager.default.contents(atPath: fixture.layout.photos + "/100PINHL/PINH0002.JPG") == other)
        await store.close()
    }
}
