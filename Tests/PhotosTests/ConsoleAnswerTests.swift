import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Answers from a console", .timeLimit(.minutes(5)))
struct ConsoleAnswerTests {
    let access: AccessFixture
    private var prompter: FakePrompter { access.prompter }
    private static let anna = AccessFixture.anna

    init() throws {
        access = try AccessFixture()
    }

    /// What the file of grants contains.
    private func stored() throws -> Grant? {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: access.fixture.layout.grants))
        return RememberedGrants([UInt8](bytes))?.answers[Self.anna.name]
    }

    @Test("allow answers the shown question and returns once the grant is stored")
    func allowed() async throws {
        let store = try await access.open()
        async let status = store.requestAuthorization(for: .readWrite, client: Self.anna)
        let question = await prompter.next()
        try await store.allow(Self.anna, nil)
        #expect(try stored()?.level == .limited)
        #expect(access.statuses(store, Self.anna) == [.limited, .limited])
        #expect(await status == .limited)
        #expect(prompter.withdrawn == [question])
        await store.close()
    }

    @Test("allow with a level stores that level, whatever the question asks")
    func level() async throws {
        let store = try await access.open()
        async let status = store.requestAuthorization(for: .addOnly, client: Self.anna)
        _ = await prompter.next()
        try await store.allow(Self.anna, .full)
        #expect(try stored()?.level == .full)
        #expect(await status == .authorized)
        await store.close()
    }

    @Test("allow without a question stores the level, or permission to add")
    func unasked() async throws {
        let store = try await access.open()
        try await store.allow(Self.anna, nil)
        #expect(try stored()?.level == .addOnly)
        try await store.allow(Self.anna, .full)
        #expect(try stored()?.level == .full)
        try await store.deny(Self.anna)
        #expect(access.statuses(store, Self.anna) == [.denied, .denied])
        await store.close()
    }

    @Test("deny refuses what the client asks and returns once that is stored")
    func denied() async throws {
        let store = try await access.open()
        async let status = store.requestAuthorization(for: .readWrite, client: Self.anna)
        _ = await prompter.next()
        try await store.deny(Self.anna)
        #expect(try stored()?.reading == .refused)
        #expect(await status == .denied)
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .denied])
        await store.close()
    }

    @Test("allow fails with the error of the file of grants, and gives nothing")
    func failingFile() async throws {
        let files = FaultyFileOperations()
        let store = try await access.open(files)
        files.failAll("writeNew", code: 28)
        async let status = store.requestAuthorization(for: .readWrite, client: Self.anna)
        _ = await prompter.next()
        await #expect(throws: PhotosError.full) { try await store.allow(Self.anna, nil) }
        #expect(await status == .notDetermined)
        #expect(access.statuses(store, Self.anna) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test("deny fails with the error of the file of grants, and refuses all the same")
    func failingRefusal() async throws {
        let files = FaultyFileOperations()
        let store = try await access.open(files)
        files.failAll("writeNew", code: 28)
        async let status = store.requestAuthorization(for: .readWrite, client: Self.anna)
        _ = await prompter.next()
        await #expect(throws: PhotosError.full) { try await store.deny(Self.anna) }
        #expect(await status == .denied)
        await store.close()
    }

    @Test("allow ends when the client leaves while its answer waits to be stored")
    func leftWhileStoring() async throws {
        let store = try await access.open()
        let client = Client.session("usb", 1)
        store.beginSession(client)
        async let status = store.requestAuthorization(for: .readWrite, client: client)
        let question = await prompter.next()
        // The library's thread is busy, so that the answer has to wait for it.
        let opened = DispatchSemaphore(value: 0)
        store.worker.submit { opened.wait() }
        async let outcome: Void = store.allow(client, nil)
        await prompter.withdrawal(of: question)
        store.endSession(client)
        try await outcome
        #expect(await status == .notDetermined)
        opened.signal()
        await store.tend()
        #expect(access.statuses(store, client) == [.notDetermined, .notDetermined])
        await store.close()
    }

    @Test(
        "allow ends when its question is withdrawn at the same moment, and nothing is given to a client that has gone")
    func leavesMeanwhile() async throws {
        let store = try await access.open()
        for number in 1...200 {
            let client = Client.session("usb", number)
            store.beginSession(client)
            async let status = store.requestAuthorization(for: .readWrite, client: client)
            _ = await prompter.next()
            await withTaskGroup(of: Void.self) { group in
                // It succeeds, or fails because the client is not connected.
                group.addTask { try? await store.allow(client, nil) }
                group.addTask { store.endSession(client) }
            }
            #expect([.notDetermined, .authorized].contains(await status))
            #expect(access.statuses(store, client) == [.notDetermined, .notDetermined])
        }
        await store.close()
    }

    @Test("allow confirms the deletion that is shown")
    func deletion() async throws {
        let store = try await access.open()
        try await store.setGrant(Self.anna, level: .full)
        let one = try await store.add()
        async let result = store.delete([one], for: Self.anna)
        _ = await prompter.next()
        try await store.allow(Self.anna, nil)
        _ = try await result
        #expect(try await store.all().isEmpty)
        await store.close()
    }

    @Test("without a presenter, allow and deny decide all the same")
    func noPresenter() async throws {
        let store = try await access.open()
        store.setPrompter(nil)
        try await store.allow(Self.anna, .limited)
        #expect(access.statuses(store, Self.anna) == [.limited, .limited])
        try await store.deny(Self.anna)
        #expect(access.statuses(store, Self.anna) == [.denied, .denied])
        await store.close()
    }
}
