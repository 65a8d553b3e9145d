import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Confirming deletions")
struct DeletionConfirmationTests {
    let fixture: TestLibrary
    let prompter = FakePrompter()
    static let anna = Client.named("share:anna")

    init() throws {
        fixture = try TestLibrary()
    }

    private func open() async throws -> LibraryStore {
        let store = try await fixture.open(policies: [try ClientPolicy(client: "share", purpose: "To show photos.")])
        store.setPrompter(prompter)
        try await store.setGrant(Self.anna, level: .full)
        return store
    }

    private func cancelled(_ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            (error as? PhotosError)?.appleNumber == 3072
        }
    }

    @Test(
        "a refused or unanswered deletion gives 3072 and changes nothing",
        arguments: [AccessAnswer.refused, .unanswered])
    func refused(answer: AccessAnswer) async throws {
        let store = try await open()
        for _ in 0..<3 { try await store.add() }
        let assets = try await store.all()
        let files = try fixture.photoFiles()
        let library = PhotoLibrary(store: store, client: Self.anna)
        async let result: Void = library.performChanges {
            AssetChangeRequest(for: assets[2]).isFavorite = true
            AssetCreationRequest.forAsset().addResource(with: .photo, data: photo(newIdentifier()), options: nil)
            AssetChangeRequest.deleteAssets([assets[0], assets[1], assets[0]])
        }
        let question = await prompter.next()
        #expect(question.subject == .deletion(count: 2))
        #expect(question.client == "share:anna")
        #expect(question.purpose == "To show photos.")
        // Nothing is done before the answer.
        #expect(try await store.all() == assets)
        prompter.answer(question, answer)
        do {
            _ = try await result
            Issue.record("the block was carried out")
        } catch {
            #expect((error as? PhotosError)?.appleNumber == 3072)
        }
        #expect(try await store.all() == assets)
        #expect(try fixture.photoFiles() == files)
        #expect(prompter.asked.count == 1)
        await store.close()
    }

    @Test("a confirmed deletion is soft: in Recently Deleted, and restored with its identifier")
    func confirmed() async throws {
        let store = try await open()
        let one = try await store.add()
        async let result = store.delete([one], for: Self.anna)
        prompter.answer(await prompter.next(), .allowed)
        _ = try await result
        #expect(try await store.all().isEmpty)
        #expect(try await store.trash(for: .console).map(\.localIdentifier) == [one])
        #expect(try await store.restore([one], for: .console).map(\.localIdentifier) == [one])
        await store.close()
    }

    @Test("a command of the console needs no confirmation")
    func console() async throws {
        let store = try await open()
        let one = try await store.add()
        try await store.delete([one], for: .console)
        _ = try await store.emptyTrash(for: .console)
        #expect(prompter.asked.isEmpty)
        await store.close()
    }

    @Test("a deletion that waits does not delay other change blocks")
    func holdsNothingUp() async throws {
        let store = try await open()
        let one = try await store.add()
        async let result = store.delete([one], for: Self.anna)
        let question = await prompter.next()
        try await store.add()
        try await store.setFavorite(one, true, for: Self.anna)
        #expect(try await store.all().map(\.isFavorite) == [true, false])
        prompter.answer(question, .allowed)
        _ = try await result
        #expect(try await store.all().count == 1)
        await store.close()
    }

    @Test("a deletion that is not permitted, or of a missing photo, is refused without a question")
    func refusedAtOnce() async throws {
        let store = try await open()
        let one = try await store.add()
        await #expect(throws: PhotosError.noSuchPhoto("100-0077")) {
            try await store.delete(["100-0077"], for: Self.anna)
        }
        try await store.setGrant(Self.anna, level: .addOnly)
        await #expect(throws: PhotosError.denied("share:anna", "delete photos")) {
            try await store.delete([one], for: Self.anna)
        }
        #expect(prompter.asked.isEmpty)
        await store.close()
    }

    @Test("a client that loses its access while it waits deletes nothing, whatever is answered")
    func revokedMeanwhile() async throws {
        let store = try await open()
        let one = try await store.add()
        async let result = store.delete([one], for: Self.anna)
        let question = await prompter.next()
        try await store.revoke(Self.anna)
        prompter.answer(question, .allowed)
        do {
            _ = try await result
            Issue.record("it was deleted")
        } catch {
            #expect((error as? PhotosError)?.appleNumber == 3311)
        }
        #expect(try await store.all().count == 1)
        await store.close()
    }

    @Test("without a prompter, or when the client leaves or the library closes, nothing is deleted")
    func failsClosed() async throws {
        let store = try await open()
        let one = try await store.add()
        store.setPrompter(nil)
        await cancelled { try await store.delete([one], for: Self.anna) }
        store.setPrompter(prompter)
        async let left = store.delete([one], for: Self.anna)
        let first = await prompter.next()
        store.endSession(Self.anna)
        do {
            _ = try await left
            Issue.record("it was deleted")
        } catch {
            #expect((error as? PhotosError)?.appleNumber == 3072)
        }
        async let closing = store.delete([one], for: Self.anna)
        let second = await prompter.next()
        await store.close()
        do {
            _ = try await closing
            Issue.record("it was deleted")
        } catch {
            #expect([3072, 3301].contains((error as? PhotosError)?.appleNumber))
        }
        for question in [first, second] { prompter.answer(question, .allowed) }
        let again = try await fixture.open()
        #expect(try await again.all().map(\.localIdentifier) == [one])
        await again.close()
    }

    @Test("emptying Recently Deleted for good is confirmed as well")
    func emptying() async throws {
        let store = try await open()
        let one = try await store.add()
        try await store.delete([one], for: .console)
        async let refused = store.emptyTrash(for: Self.anna)
        prompter.answer(await prompter.next(), .unanswered)
        do {
            _ = try await refused
            Issue.record("it was emptied")
        } catch {
            #expect((error as? PhotosError)?.appleNumber == 3072)
        }
        fixture.time.advance(by: .seconds(60))
        async let allowed = store.emptyTrash(for: Self.anna)
        prompter.answer(await prompter.next(), .allowed)
        #expect(try await allowed == 1)
        await store.close()
    }
}
