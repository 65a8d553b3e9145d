import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Asking for access")
struct AuthorizationTests {
    let access: AccessFixture
    private var prompter: FakePrompter { access.prompter }
    private static let anna = AccessFixture.anna

    init() throws {
        access = try AccessFixture()
    }

    // MARK: The matrix, row by row

    @Test("add-only allowed by a hold: authorized to add, reading still undecided")
    func addOnlyAllowed() async throws {
        let store = try await access.open()
        #expect(await access.ask(store, Self.anna, .addOnly, answer: .allowed) == .authorized)
        #expect(access.statuses(store, Self.anna) == [.authorized, .notDetermined])
        let question = try #require(prompter.asked.first)
        #expect(question.client == "share:anna")
        #expect(question.subject == .access(.addOnly))
        #expect(question.purpose == "To show photos on another computer.")
        await store.close()
    }

    @Test("add-only refused by the owner: adding denied, reading still undecided")
    func addOnlyRefused() async throws {
        let store = try await access.open()
        #expect(await access.ask(store, Self.anna, .addOnly, answer: .refused) == .denied)
        #expect(access.statuses(store, Self.anna) == [.denied, .notDetermined])
        await store.close()
    }

    @Test("read-write allowed by a hold: limited, with an empty selection")
    func readWriteAllowed() async throws {
        let store = try await access.open()
        try await store.add()
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .allowed) == .limited)
        #expect(access.statuses(store, Self.anna) == [.limited, .limited])
        #expect(try await store.fetch(FetchOptions(), for: Self.anna).assets.isEmpty)
        await store.close()
    }

    @Test("read-write granted in full by the owner: authorized for both")
    func readWriteGranted() async throws {
        let store = try await access.open()
        try await store.add()
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .granted(.full)) == .authorized)
        #expect(access.statuses(store, Self.anna) == [.authorized, .authorized])
        #expect(try await store.fetch(FetchOptions(), for: Self.anna).assets.count == 1)
        await store.close()
    }

    @Test(
        "read-write refused by the owner: reading denied, the answer to adding stays", arguments: [true, false])
    func readWriteRefused(mayAdd: Bool) async throws {
        let store = try await access.open()
        if mayAdd { _ = await access.ask(store, Self.anna, .addOnly, answer: .allowed) }
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .refused) == .denied)
        #expect(access.statuses(store, Self.anna) == [mayAdd ? .authorized : .notDetermined, .denied])
        await store.close()
    }

    @Test("a level that the configuration fixes is answered at once, and the owner can change it only there")
    func provisioned() async throws {
        let store = try await access.open()
        let expected: [(Client, [AuthorizationStatus])] = [
            (.named("none"), [.restricted, .restricted]), (.named("adder"), [.authorized, .restricted]),
            (.named("some"), [.limited, .limited]), (.named("all"), [.authorized, .authorized]),
            (.shutter, [.authorized, .restricted]), (.console, [.authorized, .authorized]),
        ]
        for (client, statuses) in expected {
            for (level, status) in zip([AccessLevel.addOnly, .readWrite], statuses) {
                #expect(await store.requestAuthorization(for: level, client: client) == status, "\(client.name)")
            }
            for level in ClientLevel.allCases {
                await #expect {
                    try await store.setGrant(client, level: level)
                } throws: { error in
                    (error as? PhotosError)?.appleNumber == 3310
                }
            }
            await #expect(throws: PhotosError.self) { try await store.revoke(client) }
            #expect(access.statuses(store, client) == statuses)
        }
        #expect(prompter.asked.isEmpty)
        await store.close()
    }

    // MARK: Asking

    @Test("a decision holds without another question, also after a restart; revoking makes it undecided")
    func remembered() async throws {
        var store = try await access.open()
        _ = await access.ask(store, Self.anna, .readWrite, answer: .allowed)
        #expect(await store.requestAuthorization(for: .readWrite, client: Self.anna) == .limited)
        #expect(await store.requestAuthorization(for: .addOnly, client: Self.anna) == .limited)
        let added = try await store.add()
        try await store.select(Self.anna, add: [added])
        await store.close()
        store = try await access.open()
        #expect(await store.requestAuthorization(for: .readWrite, client: Self.anna) == .limited)
        #expect(try await store.fetch(FetchOptions(), for: Self.anna).assets.map(\.localIdentifier) == [added])
        #expect(prompter.asked.count == 1)
        try await store.revoke(Self.anna)
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await #expect(throws: PhotosError.denied("share:anna", "see photos")) {
            try await store.fetch(FetchOptions(), for: Self.anna)
        }
        // Granted again, it begins with nothing.
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .allowed) == .limited)
        #expect(try await store.fetch(FetchOptions(), for: Self.anna).assets.isEmpty)
        await store.close()
    }

    @Test("requests of one client for one level share one question, and each is answered once")
    func coalesced() async throws {
        let store = try await access.open()
        let answers = Recorder<AuthorizationStatus>()
        let library = PhotoLibrary(store: store, client: Self.anna)
        async let first = library.requestAuthorization(for: .addOnly)
        let question = await prompter.next()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { answers.add(await library.requestAuthorization(for: .addOnly)) }
            }
            group.addTask {
                await withCheckedContinuation { done in
                    library.requestAuthorization(for: .addOnly) { status in
                        answers.add(status)
                        done.resume()
                    }
                }
            }
            prompter.answer(question, .allowed)
        }
        #expect(await first == .authorized)
        #expect(answers.elements == [AuthorizationStatus](repeating: .authorized, count: 21))
        #expect(prompter.asked.count == 1)
        await store.close()
    }

    @Test("different levels and different clients are different questions, asked one after the other")
    func apart() async throws {
        let store = try await access.open()
        let bob = Client.named("share:bob")
        async let one = store.requestAuthorization(for: .addOnly, client: bob)
        let first = await prompter.next()
        // They wait until the first one has ended.
        async let two = store.requestAuthorization(for: .addOnly, client: Self.anna)
        async let three = store.requestAuthorization(for: .readWrite, client: Self.anna)
        prompter.answer(first, .refused)
        #expect(await one == .denied)
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        for _ in 0..<2 {
            let question = await prompter.next()
            prompter.answer(question, question.subject == .access(.addOnly) ? .allowed : .refused)
        }
        #expect(await two == .authorized)
        #expect(await three == .denied)
        #expect(Set(prompter.asked.map(\.number)).count == 3)
        await store.close()
    }

    @Test("an unanswered question stores nothing and ends its request; the client can ask again after a minute")
    func unanswered() async throws {
        let store = try await access.open()
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .unanswered) == .notDetermined)
        #expect(!FileManager.default.fileExists(atPath: access.fixture.layout.grants))
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        #expect(await store.requestAuthorization(for: .readWrite, client: Self.anna) == .notDetermined)
        #expect(prompter.asked.count == 1)
        access.fixture.time.advance(by: .seconds(60))
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .allowed) == .limited)
        #expect(prompter.asked.count == 2)
        await store.close()
    }

    @Test("the owner decides at the console while the question waits: it is answered and withdrawn")
    func decidedMeanwhile() async throws {
        let store = try await access.open()
        async let status = store.requestAuthorization(for: .readWrite, client: Self.anna)
        let question = await prompter.next()
        try await store.setGrant(Self.anna, level: .full)
        #expect(await status == .authorized)
        #expect(prompter.withdrawn == [question])
        // A hold that comes too late changes nothing.
        try await store.onLibrary { engine throws(PhotosError) in engine.decide(question.number, .refused) }
        #expect(access.statuses(store, Self.anna) == [.authorized, .authorized])
        prompter.answer(question, .unanswered)
        await store.close()
    }

    @Test("a new configuration that fixes a client answers its question")
    func fixedMeanwhile() async throws {
        let store = try await access.open()
        async let status = store.requestAuthorization(for: .readWrite, client: Self.anna)
        let question = await prompter.next()
        store.setPolicies([try ClientPolicy(client: "share", purpose: "To show photos.", level: .nothing)])
        #expect(await status == .restricted)
        #expect(prompter.withdrawn == [question])
        prompter.answer(question, .allowed)
        await store.close()
    }

    @Test("a client that the configuration does not mention causes no question and gets nothing")
    func unknownClient() async throws {
        let store = try await access.open()
        let unknown = Client.named("unknown")
        #expect(await store.requestAuthorization(for: .addOnly, client: unknown) == .notDetermined)
        #expect(prompter.asked.isEmpty)
        await #expect(throws: PhotosError.self) { try await store.setGrant(unknown, level: .full) }
        #expect(access.statuses(store, unknown) == [.notDetermined, .notDetermined])
        await store.close()
    }
}
