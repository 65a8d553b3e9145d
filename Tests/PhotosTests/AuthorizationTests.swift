import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Asking for access")
struct AuthorizationTests {
    let bed: TestLibrary
    let prompter = FakePrompter()
    static let anna = Client.named("share:anna")

    init() throws {
        bed = try TestLibrary()
    }

    static func policies() throws -> [ClientPolicy] {
        [
            try ClientPolicy(client: "share", purpose: "To show photos on another computer."),
            try ClientPolicy(
                client: "usb", purpose: "To copy photos.", holdGivesFull: true, isRemembered: false),
            try ClientPolicy(client: "web", purpose: "To choose photos.", isRemembered: false),
            try ClientPolicy(client: "none", purpose: "Nothing.", level: .nothing),
            try ClientPolicy(client: "adder", purpose: "To add.", level: .addOnly),
            try ClientPolicy(client: "some", purpose: "To see some.", level: .limited),
            try ClientPolicy(client: "all", purpose: "To see all.", level: .full),
        ]
    }

    private func open(_ files: any FileOperations = PosixFileOperations()) async throws -> LibraryStore {
        let store = try await bed.open(files, policies: try Self.policies())
        store.setPrompter(prompter)
        return store
    }

    private func statuses(_ store: LibraryStore, _ client: Client) -> [AuthorizationStatus] {
        [.addOnly, .readWrite].map { store.authorizationStatus(for: $0, client: client) }
    }

    /// Asks, and answers the question that comes.
    private func ask(
        _ store: LibraryStore, _ client: Client, _ level: AccessLevel, answer: AccessAnswer
    ) async -> AuthorizationStatus {
        async let status = store.requestAuthorization(for: level, client: client)
        let question = await prompter.next()
        prompter.answer(question, answer)
        return await status
    }

    // MARK: The matrix, row by row

    @Test("add-only allowed by a hold: authorized to add, reading still undecided")
    func addOnlyAllowed() async throws {
        let store = try await open()
        #expect(await ask(store, Self.anna, .addOnly, answer: .allowed) == .authorized)
        #expect(statuses(store, Self.anna) == [.authorized, .notDetermined])
        let question = try #require(prompter.asked.first)
        #expect(question.client == "share:anna")
        #expect(question.subject == .access(.addOnly))
        #expect(question.purpose == "To show photos on another computer.")
        await store.close()
    }

    @Test("add-only refused by the owner: adding denied, reading still undecided")
    func addOnlyRefused() async throws {
        let store = try await open()
        #expect(await ask(store, Self.anna, .addOnly, answer: .refused) == .denied)
        #expect(statuses(store, Self.anna) == [.denied, .notDetermined])
        await store.close()
    }

    @Test("read-write allowed by a hold: limited, with an empty selection")
    func readWriteAllowed() async throws {
        let store = try await open()
        try await store.add()
        #expect(await ask(store, Self.anna, .readWrite, answer: .allowed) == .limited)
        #expect(statuses(store, Self.anna) == [.limited, .limited])
        #expect(try await store.fetch(FetchOptions(), for: Self.anna).assets.isEmpty)
        await store.close()
    }

    @Test("read-write granted in full by the owner: authorized for both")
    func readWriteGranted() async throws {
        let store = try await open()
        try await store.add()
        #expect(await ask(store, Self.anna, .readWrite, answer: .granted(.full)) == .authorized)
        #expect(statuses(store, Self.anna) == [.authorized, .authorized])
        #expect(try await store.fetch(FetchOptions(), for: Self.anna).assets.count == 1)
        await store.close()
    }

    @Test(
        "read-write refused by the owner: reading denied, what was answered to adding stays", arguments: [true, false])
    func readWriteRefused(mayAdd: Bool) async throws {
        let store = try await open()
        if mayAdd { _ = await ask(store, Self.anna, .addOnly, answer: .allowed) }
        #expect(await ask(store, Self.anna, .readWrite, answer: .refused) == .denied)
        #expect(statuses(store, Self.anna) == [mayAdd ? .authorized : .notDetermined, .denied])
        await store.close()
    }

    @Test("what configuration has fixed is answered at once, and the owner cannot change it but there")
    func provisioned() async throws {
        let store = try await open()
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
            #expect(self.statuses(store, client) == statuses)
        }
        #expect(prompter.asked.isEmpty)
        await store.close()
    }

    // MARK: Asking

    @Test("what is decided is never asked again, not after a restart either; revoked is undecided")
    func remembered() async throws {
        var store = try await open()
        _ = await ask(store, Self.anna, .readWrite, answer: .allowed)
        #expect(await store.requestAuthorization(for: .readWrite, client: Self.anna) == .limited)
        #expect(await store.requestAuthorization(for: .addOnly, client: Self.anna) == .limited)
        let added = try await store.add()
        try await store.select(Self.anna, add: [added])
        await store.close()
        store = try await open()
        #expect(await store.requestAuthorization(for: .readWrite, client: Self.anna) == .limited)
        #expect(try await store.fetch(FetchOptions(), for: Self.anna).assets.map(\.localIdentifier) == [added])
        #expect(prompter.asked.count == 1)
        try await store.revoke(Self.anna)
        #expect(statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await #expect(throws: PhotosError.denied("share:anna", "see photos")) {
            try await store.fetch(FetchOptions(), for: Self.anna)
        }
        // Granted again, it begins with nothing.
        #expect(await ask(store, Self.anna, .readWrite, answer: .allowed) == .limited)
        #expect(try await store.fetch(FetchOptions(), for: Self.anna).assets.isEmpty)
        await store.close()
    }

    @Test("requests of one client for one level share one question, and each is answered once")
    func coalesced() async throws {
        let store = try await open()
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

    @Test("different levels and different clients are asked for apart")
    func apart() async throws {
        let store = try await open()
        let bob = Client.named("share:bob")
        async let one = store.requestAuthorization(for: .addOnly, client: Self.anna)
        let first = await prompter.next()
        async let two = store.requestAuthorization(for: .readWrite, client: Self.anna)
        let second = await prompter.next()
        async let three = store.requestAuthorization(for: .addOnly, client: bob)
        let third = await prompter.next()
        #expect(Set([first.number, second.number, third.number]).count == 3)
        prompter.answer(third, .refused)
        #expect(await three == .denied)
        #expect(statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        prompter.answer(first, .allowed)
        #expect(await one == .authorized)
        prompter.answer(second, .unanswered)
        #expect(await two == .notDetermined)
        await store.close()
    }

    @Test("nobody answers: nothing is stored, the request ends once, and the next one asks anew")
    func unanswered() async throws {
        let store = try await open()
        #expect(await ask(store, Self.anna, .readWrite, answer: .unanswered) == .notDetermined)
        #expect(!FileManager.default.fileExists(atPath: bed.layout.grants))
        #expect(statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        #expect(await ask(store, Self.anna, .readWrite, answer: .allowed) == .limited)
        #expect(prompter.asked.count == 2)
        await store.close()
    }

    @Test("the owner decides at the console while the question waits: it is answered and withdrawn")
    func decidedMeanwhile() async throws {
        let store = try await open()
        async let status = store.requestAuthorization(for: .readWrite, client: Self.anna)
        let question = await prompter.next()
        try await store.setGrant(Self.anna, level: .full)
        #expect(await status == .authorized)
        #expect(prompter.withdrawn == [question])
        // A hold that comes too late changes nothing.
        try await store.onLibrary { engine throws(PhotosError) in engine.decide(question.number, .refused) }
        #expect(statuses(store, Self.anna) == [.authorized, .authorized])
        prompter.answer(question, .unanswered)
        await store.close()
    }

    @Test("a new configuration that fixes a client answers its question")
    func fixedMeanwhile() async throws {
        let store = try await open()
        async let status = store.requestAuthorization(for: .readWrite, client: Self.anna)
        let question = await prompter.next()
        store.setPolicies([try ClientPolicy(client: "share", purpose: "To show photos.", level: .nothing)])
        #expect(await status == .restricted)
        #expect(prompter.withdrawn == [question])
        prompter.answer(question, .allowed)
        await store.close()
    }

    @Test("a client that configuration does not know is not asked about, and is not granted anything")
    func unknownClient() async throws {
        let store = try await open()
        let stranger = Client.named("stranger")
        #expect(await store.requestAuthorization(for: .addOnly, client: stranger) == .notDetermined)
        #expect(prompter.asked.isEmpty)
        await #expect(throws: PhotosError.self) { try await store.setGrant(stranger, level: .full) }
        #expect(statuses(store, stranger) == [.notDetermined, .notDetermined])
        await store.close()
    }

    // MARK: Visitors

    @Test("what a visitor is given ends with the visit, and the next one is asked about again")
    func visitors() async throws {
        let store = try await open()
        try await store.add()
        let first = Client.session("usb", 1)
        store.beginSession(first)
        // This client's policy lets a hold give everything, for the visit.
        #expect(await ask(store, first, .readWrite, answer: .allowed) == .authorized)
        #expect(try await store.fetch(FetchOptions(), for: first).assets.count == 1)
        #expect(!FileManager.default.fileExists(atPath: bed.layout.grants))
        let second = Client.session("usb", 2)
        store.beginSession(second)
        #expect(statuses(store, second) == [.notDetermined, .notDetermined])
        store.endSession(first)
        #expect(statuses(store, first) == [.notDetermined, .notDetermined])
        await #expect(throws: PhotosError.denied("usb", "see photos")) {
            try await store.fetch(FetchOptions(), for: first)
        }
        // The console's word reaches the visit there is.
        #expect(store.client(named: "usb") == second)
        try await store.setGrant(second, level: .limited)
        #expect(statuses(store, second) == [.limited, .limited])
        store.endSession(second)
        #expect(store.client(named: "usb") == .named("usb"))
        await #expect(throws: PhotosError.self) { try await store.setGrant(.named("usb"), level: .full) }
        await #expect(throws: PhotosError.self) { try await store.setGrant(second, level: .full) }
        #expect(statuses(store, second) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("everything for the visit is forgotten by a client that is remembered, too")
    func fullForTheVisit() async throws {
        let store = try await open()
        store.setPolicies([try ClientPolicy(client: "share", purpose: "To show photos.", holdGivesFull: true)])
        #expect(await ask(store, Self.anna, .readWrite, answer: .allowed) == .authorized)
        store.endSession(Self.anna)
        #expect(statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("a visitor that leaves while it is asked about gets nothing, even if the hold comes late")
    func leftWhileAsked() async throws {
        let store = try await open()
        let visitor = Client.session("usb", 7)
        store.beginSession(visitor)
        async let status = store.requestAuthorization(for: .readWrite, client: visitor)
        let question = await prompter.next()
        store.endSession(visitor)
        #expect(await status == .notDetermined)
        #expect(prompter.withdrawn == [question])
        try await store.onLibrary { engine throws(PhotosError) in engine.decide(question.number, .allowed) }
        #expect(statuses(store, visitor) == [.notDetermined, .notDetermined])
        #expect(await store.requestAuthorization(for: .readWrite, client: visitor) == .notDetermined)
        #expect(prompter.asked.count == 1)
        prompter.answer(question, .allowed)
        await store.close()
    }

    @Test("clients are listed with what they have and why they ask")
    func listing() async throws {
        let store = try await open()
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
        let store = try await bed.open(policies: try Self.policies())
        #expect(await store.requestAuthorization(for: .addOnly, client: Self.anna) == .notDetermined)
        await store.close()
    }

    @Test("who is asked goes away while a question waits: nothing is decided")
    func prompterGone() async throws {
        let store = try await open()
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
        let store = try await open()
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
        var store = try await open()
        try await store.setGrant(Self.anna, level: .full)
        await store.close()
        try Data(content.utf8).write(to: URL(fileURLWithPath: bed.layout.grants))
        bed.events.withLock { $0 = [] }
        store = try await open()
        #expect(statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        #expect(bed.events.withLock { $0.contains { if case .grantsLost = $0 { true } else { false } } })
        #expect(FileManager.default.contents(atPath: bed.layout.damagedGrants) == Data(content.utf8))
        #expect(!FileManager.default.fileExists(atPath: bed.layout.grants))
        await store.close()
    }

    @Test("what cannot be written down is not given, and that is said", arguments: ["writeNew", "renameReplacing"])
    func notStored(kind: String) async throws {
        let files = FaultyFileOperations()
        let store = try await open(files)
        files.failAll(kind, code: 28)
        #expect(await ask(store, Self.anna, .readWrite, answer: .allowed) == .notDetermined)
        #expect(bed.events.withLock { $0.contains { if case .grantNotStored = $0 { true } else { false } } })
        await #expect(throws: PhotosError.full) { try await store.setGrant(Self.anna, level: .full) }
        #expect(statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        files.succeed()
        try await store.setGrant(Self.anna, level: .full)
        // Taking back holds at once all the same.
        files.failAll(kind, code: 28)
        await #expect(throws: PhotosError.full) { try await store.revoke(Self.anna) }
        #expect(statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        files.succeed()
        await store.close()
    }

    @Test("the file of grants is nobody's but the owner's affair: another camera's card brings none")
    func cardBringsNone() async throws {
        var store = try await open()
        try await store.setGrant(Self.anna, level: .full)
        await store.close()
        try FileManager.default.removeItem(atPath: bed.layout.grants)
        store = try await open()
        #expect(statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
    }
}
