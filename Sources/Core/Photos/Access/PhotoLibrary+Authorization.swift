import Platform
import Synchronization

// The access of this client.
extension PhotoLibrary {
    /// What was decided on this client's access at a level. Never blocks.
    public func authorizationStatus(for accessLevel: AccessLevel) -> AuthorizationStatus {
        store.authorizationStatus(for: accessLevel, client: client)
    }

    /// Returns the status of a level, after a question to a person if it is undecided.
    public func requestAuthorization(for accessLevel: AccessLevel) async -> AuthorizationStatus {
        await store.requestAuthorization(for: accessLevel, client: client)
    }

    /// Returns the status of a level, after a question to a person if it is undecided.
    ///
    /// - Isolation: the handler is called exactly once, on any thread.
    public func requestAuthorization(
        for accessLevel: AccessLevel, handler: @escaping @Sendable (AuthorizationStatus) -> Void
    ) {
        let (store, client) = (store, client)
        Task { handler(await store.requestAuthorization(for: accessLevel, client: client)) }
    }

    /// What was decided on the access of this process at a level. Never blocks.
    public static func authorizationStatus(for accessLevel: AccessLevel) -> AuthorizationStatus {
        shared().authorizationStatus(for: accessLevel)
    }

    /// Returns the status of a level, after a question to a person if it is undecided.
    public static func requestAuthorization(for accessLevel: AccessLevel) async -> AuthorizationStatus {
        await shared().requestAuthorization(for: accessLevel)
    }

    /// Returns the status of a level, after a question to a person if it is undecided.
    ///
    /// - Isolation: the handler is called exactly once, on any thread.
    public static func requestAuthorization(
        for accessLevel: AccessLevel, handler: @escaping @Sendable (AuthorizationStatus) -> Void
    ) {
        shared().requestAuthorization(for: accessLevel, handler: handler)
    }
}

// This process's own library.
extension PhotoLibrary {
    private enum Configured: Sendable {
        case not, beingOpened
        case to(Binding)
    }

    private static let configured = Mutex(Configured.not)
    private static let sharedView = PhotoLibrary()
    private static let unconfigured = Binding(
        store: LibraryStore(
            refusing: PhotosError(
                .libraryVolumeOffline, "No photo library is configured; call PhotoLibrary.configure first.")),
        client: .named("unconfigured"))

    static var configuredBinding: Binding {
        if case .to(let binding) = configured.withLock({ $0 }) { binding } else { unconfigured }
    }

    /// The library that `configure` opened, with the access of this process. Before that, every request fails.
    public static func shared() -> PhotoLibrary { sharedView }

    /// Opens this process's library, or creates it, under a client name. A process calls it once.
    ///
    /// - Parameters:
    ///   - state: the state folder; its parent must exist. No other process may use it at the same time.
    ///   - client: the name by which this process is known in the library.
    ///   - purpose: why it uses photos, for the person who decides.
    ///   - level: the level it has without asking; nil when a person decides. All photos by default, because a process
    ///     that can open the folder can read them anyway.
    ///   - prompter: asks that person about access and deletions. Without one, the library refuses both.
    /// - Throws: `.accessRestricted` when the name or the purpose is missing, `.changeNotSupported` when a library is
    ///   configured already, `.libraryVolumeOffline` when it cannot be opened.
    public static func configure(
        state: String, client: String, purpose: String, level: ClientLevel? = .full,
        prompter: (any AccessPrompter)? = nil
    ) async throws(PhotosError) {
        let policy = try ClientPolicy(client: client, purpose: purpose, level: level)
        let isFree = configured.withLock { configured in
            guard case .not = configured else { return false }
            configured = .beingOpened
            return true
        }
        guard isFree else {
            throw PhotosError(
                .changeNotSupported, "The photo library is already configured; configure it once, at the start.")
        }
        do throws(LibraryError) {
            let store = try await LibraryStore.open(
                library: state + "/library", state: state, files: PosixFileOperations(),
                time: SystemTime(continuing: nil), policies: [policy], photoReader: LibraryFileReader())
            store.setPrompter(prompter)
            configured.withLock { $0 = .to(Binding(store: store, client: .named(client))) }
        } catch {
            configured.withLock { $0 = .not }
            throw PhotosError(.libraryVolumeOffline, error.description)
        }
    }

    /// Finishes pending requests and closes the library that `configure` opened. `configure` may then be called again.
    public static func unconfigure() async {
        let store = configured.withLock { configured -> LibraryStore? in
            guard case .to(let binding) = configured else { return nil }
            configured = .not
            return binding.store
        }
        await store?.close()
    }
}
