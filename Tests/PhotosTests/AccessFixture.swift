import Platform

@testable import Photos

/// A library with some clients in its configuration, and somebody to ask.
struct AccessFixture {
    let fixture: TestLibrary
    let prompter = FakePrompter()
    static let anna = Client.named("share:anna")

    init() throws {
        fixture = try TestLibrary()
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

    func open(_ files: any FileOperations = PosixFileOperations()) async throws -> LibraryStore {
        let store = try await fixture.open(files, policies: try Self.policies())
        store.setPrompter(prompter)
        return store
    }

    func statuses(_ store: LibraryStore, _ client: Client) -> [AuthorizationStatus] {
        [.addOnly, .readWrite].map { store.authorizationStatus(for: $0, client: client) }
    }

    /// Asks, and answers the question that comes.
    func ask(
        _ store: LibraryStore, _ client: Client, _ level: AccessLevel, answer: AccessAnswer
    ) async -> AuthorizationStatus {
        async let status = store.requestAuthorization(for: level, client: client)
        let question = await prompter.next()
        prompter.answer(question, answer)
        return await status
    }
}
