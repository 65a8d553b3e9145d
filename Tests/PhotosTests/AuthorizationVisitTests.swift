import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Visits, and what fails closed")
struct AuthorizationVisitTests {
    let access: AccessBed
    private var prompter: FakePrompter { access.prompter }
    private static let anna = AccessBed.anna

    init() throws {
        access = try AccessBed()
    }

    // MARK: Visitors

    @Test("what a visitor is given ends with the visit, and the next one is asked about again")
    func visitors() async throws {
        let store = try await access.open()
        try await store.add()
        let first = Client.session("usb", 1)
        store.beginSession(first)
        // This client's policy lets a hold give everything, for the visit.
        #expect(await access.ask(store, first, .readWrite, answer: .allowed) == .authorized)
        #expect(try await store.fetch(FetchOptions(), for: first).assets.count == 1)
        #expect(!FileManager.default.fileExists(atPath: access.bed.layout.grants))
        let second = Client.session("usb", 2)
        store.beginSession(second)
        #expect(access.statuses(store, second) == [.notDetermined, .notDetermined])
        store.endSession(first)
        #expect(access.statuses(store, first) == [.notDetermined, .notDetermined])
        await #expect(throws: PhotosError.denied("usb", "see photos")) {
            try await store.fetch(FetchOptions(), for: first)
        }
        // The console's word reaches the visit there is.
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

    @Test("everything for the visit is forgotten by a client that is remembered, too")
    func fullForTheVisit() async throws {
        let store = try await access.open()
        store.setPolicies([try ClientPolicy(client: "share", purpose: "To show photos.", holdGivesFull: true)])
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .allowed) == .authorized)
        store.endSession(Self.anna)
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("a visitor that leaves while it is asked about gets nothing, even if the hold comes late")
    func leftWhileAsked() async throws {
        let store = try await access.open()
        let visitor = Client.session("usb", 7)
        store.beginSession(visitor)
        async let status = store.requestAuthorization(for: .readWrite, client: visitor)
        let question = await prompter.next()
        store.endSession(visitor)
        #expect(await status == .notDetermined)
        #expect(prompter.withdrawn == [question])
        try await store.onLibrary { engine throws(PhotosError) in engine.decide(question.number, .allowed) }
        #expect(access.statuses(store, visitor) == [.notDetermined, .notDetermined])
        #expect(await store.requestAuthorization(for: .readWrite, client: visitor) == .notDetermined)
        #expect(prompter.asked.count == 1)
        prompter.answer(question, .allowed)
        await store.close()
    }

    @Test("clients are listed with what they have and why they ask")
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

    @Test("without anybody to ask, nothing is decided")
    func noPrompter() async throws {
        let store = try await access.bed.open(policies: try AccessBed.policies())
        #expect(await store.requestAuthorization(for: .addOnly, client: Self.anna) == .notDetermined)
        await store.close()
    }

    @Test("who is asked goes away while a question waits: nothing is decided")
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

    @Test("the library closes while a question waits: nothing is decided")
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

    @Test("a damaged file of grants grants nothing, is set aside, and is said", arguments: ["", "{", "\0\0\0\0"])
    func damagedFile(content: String) async throws {
        var store = try await access.open()
        try await store.setGrant(Self.anna, level: .full)
        await store.close()
        try Data(content.utf8).write(to: URL(fileURLWithPath: access.bed.layout.grants))
        access.bed.events.withLock { $0 = [] }
        store = try await access.open()
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        #expect(access.bed.events.withLock { $0.contains { if case .grantsLost = $0 { true } else { false } } })
        #expect(FileManager.default.contents(atPath: access.bed.layout.damagedGrants) == Data(content.utf8))
        #expect(!FileManager.default.fileExists(atPath: access.bed.layout.grants))
        await store.close()
    }

    @Test("what cannot be written down is not given, and that is said", arguments: ["writeNew", "renameReplacing"])
    func notStored(kind: String) async throws {
        let files = FaultyFileOperations()
        let store = try await access.open(files)
        files.failAll(kind, code: 28)
        #expect(await access.ask(store, Self.anna, .readWrite, answer: .allowed) == .notDetermined)
        #expect(access.bed.events.withLock { $0.contains { if case .grantNotStored = $0 { true } else { false } } })
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

    @Test("the file of grants is nobody's but the owner's affair: another camera's card brings none")
    func cardBringsNone() async throws {
        var store = try await access.open()
        try await store.setGrant(Self.anna, level: .full)
        await store.close()
        try FileManager.default.removeItem(atPath: access.bed.layout.grants)
        store = try await access.open()
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("what was not given because it might not last is not given by the next start either")
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

    @Test("an answer whose question became void this moment gives nothing")
    func voidThisMoment() async throws {
        let authority = Authority()
        authority.setPolicies([try ClientPolicy(client: "share", purpose: "To show photos.", holdGivesFull: true)])
        authority.setPrompter(prompter)
        var full = Grant()
        full.reading = .all
        for isGone in [true, false] {
            async let status = withCheckedContinuation { waiting in
                _ = authority.ask(.readWrite, Self.anna, waiting)
            }
            while authority.questions(of: Self.anna).isEmpty { await Task.yield() }
            let number = try #require(authority.questions(of: Self.anna).first)
            if isGone { _ = authority.endVisit(Self.anna) }
            #expect(authority.setForVisit(full, Self.anna, answering: number) == !isGone)
            #expect(await status == (isGone ? .notDetermined : .authorized))
            #expect(authority.rights(of: Self.anna).seesEverything == !isGone)
        }
    }
}
