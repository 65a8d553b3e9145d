import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Client sessions, and failures that give nothing")
struct ClientSessionTests {
    let access: AccessFixture
    private var prompter: FakePrompter { access.prompter }
    private static let anna = AccessFixture.anna

    init() throws {
        access = try AccessFixture()
    }

    // MARK: Client sessions

    @Test("a grant of a client session ends with it, and the next one must ask again")
    func sessionEnds() async throws {
        let store = try await access.open()
        try await store.add()
        let first = Client.session("usb", 1)
        store.beginSession(first)
        // This client's policy lets a hold give everything until the session ends.
        #expect(await access.ask(store, first, .readWrite, answer: .allowed) == .authorized)
        #expect(try await store.fetch(FetchOptions(), for: first).assets.count == 1)
        #expect(!FileManager.default.fileExists(atPath: access.fixture.layout.grants))
        let second = Client.session("usb", 2)
        store.beginSession(second)
        #expect(access.statuses(store, second) == [.notDetermined, .notDetermined])
        store.endSession(first)
        #expect(access.statuses(store, first) == [.notDetermined, .notDetermined])
        await #expect(throws: PhotosError.denied("usb", "see photos")) {
            try await store.fetch(FetchOptions(), for: first)
        }
        // The console's answer reaches the present session.
        #expect(store.client(named: "usb") == second)
        try await store.setGrant(second, level: .limited)
        #expect(access.statuses(store, second) == [.limited, .limited])
        store.endSession(second)
        #expect(store.client(named: "usb") == .named("usb"))
        await #expect(throws: PhotosError.self) { try await store.setGrant(.named("usb"), level: .full) }
        await #expect(throws: PhotosError.self) { try await store.setGrant(second, level: .full) }
        #expect(access.statuses(store, second) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("access until the end of a session ends for a remembered client as well")
    func fullForTheSession() async throws {
        let store = try await access.open()
        store.setPolicies([try ClientPolicy(client: "share", purpose: "To show photos.", holdGivesFull: true)])
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .allowed) == .authorized)
        store.endSession(Self.anna)
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("a client session that ends while its question is shown gets nothing, even if the hold comes late")
    func leftWhileAsked() async throws {
        let store = try await access.open()
        let client = Client.session("usb", 7)
        store.beginSession(client)
        async let status = store.requestAuthorization(for: .readWrite, client: client)
        let question = await prompter.next()
        store.endSession(client)
        #expect(await status == .notDetermined)
        #expect(prompter.withdrawn == [question])
        try await store.onLibrary { engine throws(PhotosError) in engine.decide(question.number, .allowed) }
        #expect(access.statuses(store, client) == [.notDetermined, .notDetermined])
        #expect(await store.requestAuthorization(for: .readWrite, client: client) == .notDetermined)
        #expect(prompter.asked.count == 1)
        prompter.answer(question, .allowed)
        await store.close()
    }

    @Test("clients are listed with their levels and purposes")
    func listing() async throws {
        let store = try await access.open()
        try await store.setGrant(Self.anna, level: .limited)
        store.beginSession(.session("usb", 3))
        let clients = store.clients()
        #expect(
            clients.map(\.client.name) == [
                "shutter", "console", "adder", "all", "none", "share", "share:anna", "some", "usb", "web",
            ])
        let anna = try #require(clients.first { $0.client == Self.anna })
        #expect(anna.level == .limited)
        #expect(anna.readWrite == .limited)
        #expect(!anna.isFixed)
        #expect(anna.purpose == "To show photos on another computer.")
        #expect(clients.first { $0.client == .session("usb", 3) }?.readWrite == .notDetermined)
        await store.close()
    }

    // MARK: Failing closed

    @Test("without a prompter, nothing is decided")
    func noPrompter() async throws {
        let store = try await access.fixture.open(policies: try AccessFixture.policies())
        #expect(await store.requestAuthorization(for: .addOnly, client: Self.anna) == .notDetermined)
        await store.close()
    }

    @Test("when the prompter goes away while a question waits, nothing is decided")
    func prompterGone() async throws {
        let store = try await access.open()
        async let status = store.requestAuthorization(for: .addOnly, client: Self.anna)
        let question = await prompter.next()
        store.setPrompter(nil)
        #expect(await status == .notDetermined)
        #expect(prompter.withdrawn == [question])
        prompter.answer(question, .allowed)
        await store.close()
    }

    @Test("when the library closes while a question waits, nothing is decided")
    func closedWhileAsked() async throws {
        let store = try await access.open()
        async let status = store.requestAuthorization(for: .addOnly, client: Self.anna)
        let question = await prompter.next()
        await store.close()
        #expect(await status == .notDetermined)
        prompter.answer(question, .allowed)
        #expect(await store.requestAuthorization(for: .addOnly, client: Self.anna) == .notDetermined)
        #expect(prompter.asked.count == 1)
    }

    @Test("a damaged file of grants gives nothing, is set aside, and is reported", arguments: ["", "{", "\0\0\0\0"])
    func damagedFile(content: String) async throws {
        var store = try await access.open()
        try await store.setGrant(Self.anna, level: .full)
        await store.close()
        try Data(content.utf8).write(to: URL(fileURLWithPath: access.fixture.layout.grants))
        access.fixture.events.withLock { $0 = [] }
        store = try await access.open()
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        #expect(access.fixture.events.withLock { $0.contains { if case .grantsLost = $0 { true } else { false } } })
        #expect(FileManager.default.contents(atPath: access.fixture.layout.damagedGrants) == Data(content.utf8))
        #expect(!FileManager.default.fileExists(atPath: access.fixture.layout.grants))
        await store.close()
    }

    @Test(
        "a grant that cannot be stored is not given, and that is reported", arguments: ["writeNew", "renameReplacing"])
    func notStored(kind: String) async throws {
        let files = FaultyFileOperations()
        let store = try await access.open(files)
        files.failAll(kind, code: 28)
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .allowed) == .notDetermined)
        #expect(access.fixture.events.withLock { $0.contains { if case .grantNotStored = $0 { true } else { false } } })
        await #expect(throws: PhotosError.full) { try await store.setGrant(Self.anna, level: .full) }
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        files.succeed()
        try await store.setGrant(Self.anna, level: .full)
        // Taking back holds at once all the same.
        files.failAll(kind, code: 28)
        await #expect(throws: PhotosError.full) { try await store.revoke(Self.anna) }
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        files.succeed()
        await store.close()
    }

    @Test("a card from another camera brings no grants")
    func cardBringsNone() async throws {
        var store = try await access.open()
        try await store.setGrant(Self.anna, level: .full)
        await store.close()
        try FileManager.default.removeItem(atPath: access.fixture.layout.grants)
        store = try await access.open()
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("a grant that was not given because it might not last is not given by the next start either")
    func notGivenLater() async throws {
        let files = FaultyFileOperations()
        var store = try await access.open(files)
        await store.tend()
        // The file has its name already, and only the sync of its folder fails.
        files.restart()
        files.fail(at: 2, code: 5)
        await #expect(throws: PhotosError.self) { try await store.setGrant(Self.anna, level: .full) }
        #expect(files.log.prefix(2) == ["writeNew", "renameReplacing"])
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
        store = try await access.open()
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("an answer whose question became void at this moment gives nothing")
    func voidThisMoment() async throws {
        let authority = Authority(time: access.fixture.time)
        authority.setPolicies([try ClientPolicy(client: "share", purpose: "To show photos.", holdGivesFull: true)])
        authority.setPresenter(
            PrompterPresenter(prompter, time: access.fixture.time, answer: { _, _ in }, endOverdue: {}))
        var full = Grant()
        full.reading = .all
        for isGone in [true, false] {
            async let status = withCheckedContinuation { authority.request(.readWrite, Self.anna, $0) }
            let question = await prompter.next()
            if isGone { _ = authority.endSession(Self.anna) }
            #expect(authority.setForSession(full, Self.anna, answering: question.number) == !isGone)
            #expect(await status == (isGone ? .notDetermined : .authorized))
            #expect(authority.rights(of: Self.anna).seesEverything == !isGone)
        }
    }
}
