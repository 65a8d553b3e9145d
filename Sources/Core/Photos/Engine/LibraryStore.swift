import Platform

/// One photo library: its files, its catalog and its numbers.
///
/// Files and catalog are worked on by one thread (`library`), in the order of the calls; listings are read by a second
/// (`library-read`). No call blocks its caller's thread.
package final class LibraryStore: Sendable {
    /// The most bytes of a photo: it is read into memory as a whole to extract its metadata.
    package static let photoByteLimit = 256 << 20

    /// The paths of the library's files.
    package let layout: LibraryLayout
    /// The file system it lies on.
    let files: any FileOperations
    let time: any TimeSource

    let worker: WorkerThread
    let readingThread: WorkerThread
    let engine: Confined<LibraryEngine>
    private let reader: Confined<LibraryReader>
    let shared: SharedLibraryState
    let observers: ChangeObservers
    let authority: Authority
    /// What a request fails with when no library is open.
    private let refusal: PhotosError
    let comparison: Task<Void, Never>?

    /// Opens a library, creates it where there is none, and recovers it after a power cut.
    ///
    /// - Parameters:
    ///   - library: the library's folder.
    ///   - state: the camera's state folder; created when its parent is there.
    ///   - policies: what configuration says of clients.
    ///   - photoReader: reads files that the catalog does not know.
    ///   - report: receives events. Called on the library's thread; it must return soon.
    package static func open(
        library: String, state: String, files: any FileOperations, time: any TimeSource,
        settings: LibrarySettings = LibrarySettings(), policies: [ClientPolicy] = [],
        photoReader: any PhotoFileReader, report: @escaping @Sendable (LibraryEvent) -> Void = { _ in }
    ) async throws(LibraryError) -> LibraryStore {
        let layout = LibraryLayout(library: library, state: state)
        let shared = SharedLibraryState()
        let authority = Authority(time: time)
        authority.setPolicies(policies)
        let engine = Confined {
            LibraryEngine(
                layout: layout, files: files, time: time, settings: settings, reader: photoReader, shared: shared,
                authority: authority
            ) { event in
                report(event)
                if case .accessChanged = event { shared.rightsChanged() }
            }
        }
        let worker =
            settings.tendsWhenIdle
            ? WorkerThread(name: "library") { engine.value.tend() } : WorkerThread(name: "library")
        do throws(LibraryError) {
            try await worker.run { () throws(LibraryError) in
                do throws(LibraryError) {
                    try engine.value.open()
                } catch {
                    engine.value.letGo()
                    throw error
                }
            }
        } catch {
            await worker.stop()
            throw error
        }
        return LibraryStore(
            layout: layout, worker: worker, engine: engine, files: files, time: time, shared: shared,
            authority: authority, settings)
    }

    private init(
        layout: LibraryLayout, worker: WorkerThread, engine: Confined<LibraryEngine>, files: any FileOperations,
        time: any TimeSource, shared: SharedLibraryState, authority: Authority, _ settings: LibrarySettings
    ) {
        self.layout = layout
        self.files = files
        self.time = time
        self.worker = worker
        self.engine = engine
        self.shared = shared
        self.authority = authority
        refusal = .closed
        readingThread = WorkerThread(name: "library-read")
        reader = Confined { LibraryReader(layout: layout, files: files, shared: shared) }
        observers = ChangeObservers(authority: authority)
        shared.setWhenChanged { [readingThread, reader, observers] in
            readingThread.submit { observers.look(reader.value) }
        }
        authority.setStore { [weak engine, worker] number, answer in
            guard let engine else { return false }
            return worker.submit { engine.value.decide(number, answer) }
        }
        worker.submit { engine.value.prepareForFirstPhoto() }
        // What fails here shows in the state, and the next start or check compares again.
        comparison =
            settings.comparesInBackground
            ? Task { try? await Self.compare(worker, engine) { _ in } } : nil
    }

    /// A store without a library: everything fails with `refusal`.
    init(refusing refusal: PhotosError) {
        self.refusal = refusal
        let layout = LibraryLayout(library: "", state: "")
        let shared = SharedLibraryState()
        let time = SystemTime(continuing: nil)
        let authority = Authority(time: time)
        authority.close()
        let files = PosixFileOperations()
        // Neither is ever made: the threads that would do it have ended.
        engine = Confined {
            LibraryEngine(
                layout: layout, files: files, time: time, settings: LibrarySettings(),
                reader: LibraryFileReader(), shared: shared, authority: authority, report: { _ in })
        }
        reader = Confined { LibraryReader(layout: layout, files: files, shared: shared) }
        self.layout = layout
        self.files = files
        self.time = time
        self.shared = shared
        self.authority = authority
        observers = ChangeObservers(authority: authority)
        worker = WorkerThread.ended
        readingThread = WorkerThread.ended
        comparison = nil
    }

    /// Finishes what is queued, makes the backup copy, closes the catalog and lets the lock go.
    package func close() async {
        authority.close()
        comparison?.cancel()
        _ = await comparison?.value
        // Queued work is done first, so that observers receive it.
        await withCheckedContinuation { continuation in
            if !worker.submit({ continuation.resume() }) { continuation.resume() }
        }
        shared.setWhenChanged(nil)
        let reader = reader
        readingThread.submit { reader.value.close() }
        await readingThread.stop()
        let engine = engine
        worker.submit { engine.value.close() }
        await worker.stop()
        await observers.close()
    }

    // MARK: Changes

    /// Carries out a change block; `completion` is called on the library's thread when it is durable or has failed.
    ///
    /// A block that deletes is confirmed first, unless the console sends it; other blocks do not wait for that.
    package func apply(
        _ changes: ChangeSet, for client: Client, completion: @escaping @Sendable (Result<Void, PhotosError>) -> Void
    ) {
        carryOut(changes, for: client) { completion($0.map { _ in }) }
    }

    /// - Parameter completion: receives the assets that the block has deleted, as they are in Recently Deleted.
    private func carryOut(
        _ changes: ChangeSet, for client: Client,
        completion: @escaping @Sendable (Result<[Asset], PhotosError>) -> Void
    ) {
        let accepted = worker.submit { [self] in
            do throws(PhotosError) {
                let deletions = client == .console ? 0 : try engine.value.deletions(of: changes, for: client)
                if deletions > 0 {
                    Task { await confirm(deletions, of: changes, for: client, completion: completion) }
                } else {
                    completion(.success(try engine.value.apply(changes, for: client)))
                }
            } catch {
                completion(.failure(error))
            }
        }
        if !accepted { completion(.failure(refusal)) }
    }

    private func confirm(
        _ deletions: Int, of changes: ChangeSet, for client: Client,
        completion: @escaping @Sendable (Result<[Asset], PhotosError>) -> Void
    ) async {
        let isConfirmed = await confirmDeletion(of: deletions, for: client)
        let accepted = worker.submit { [engine] in
            do throws(PhotosError) {
                guard isConfirmed else { throw .cancelled }
                // Planned again: the client's rights and the library may have changed meanwhile.
                completion(.success(try engine.value.apply(changes, for: client)))
            } catch {
                completion(.failure(error))
            }
        }
        if !accepted { completion(.failure(refusal)) }
    }

    @discardableResult
    private func apply(_ changes: ChangeSet, for client: Client) async throws(PhotosError) -> [Asset] {
        let result = await withCheckedContinuation { continuation in
            carryOut(changes, for: client) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Moves assets, named by identifier or number, to Recently Deleted: all of them or none.
    ///
    /// - Returns: the assets as they are in Recently Deleted, in the order of the names.
    @discardableResult
    package func delete(_ names: [String], for client: Client) async throws(PhotosError) -> [Asset] {
        var changes = ChangeSet()
        changes.changes = names.map { .delete(identifier: $0) }
        return try await apply(changes, for: client)
    }

    /// Marks or unmarks a favorite, named by identifier or number.
    package func setFavorite(_ name: String, _ isFavorite: Bool, for client: Client) async throws(PhotosError) {
        var changes = ChangeSet()
        changes.changes = [.edit(identifier: name, AssetEdit(isFavorite: isFavorite))]
        try await apply(changes, for: client)
    }

    /// Brings assets back from Recently Deleted, with the identifiers and names they had.
    package func restore(_ names: [String], for client: Client) async throws(PhotosError) -> [Asset] {
        try await onLibrary { engine throws(PhotosError) in try engine.restore(names, for: client) }
    }

    /// Removes everything in Recently Deleted for good; returns how many assets that were.
    ///
    /// Has to be confirmed, except by the console.
    package func emptyTrash(for client: Client) async throws(PhotosError) -> Int {
        if client != .console {
            let count = try await trash(for: client).count
            guard count > 0 else { return 0 }
            guard await confirmDeletion(of: count, for: client) else { throw .cancelled }
        }
        return try await onLibrary { engine throws(PhotosError) in try engine.emptyTrash(for: client) }
    }

    // MARK: Reading

    /// The asset with an identifier or a number, in listings or in Recently Deleted; nil when there is none.
    package func asset(_ name: String, for client: Client) async throws(PhotosError) -> Asset? {
        try await read(for: client) { view throws(SQLiteError) in try view.asset(name) }
    }

    /// Recently Deleted, in order of numbers; only for who sees everything, as only they can restore.
    package func trash(for client: Client) async throws(PhotosError) -> [Asset] {
        try await read(for: client, needsEverything: true) { view throws(SQLiteError) in try view.trash() }
    }

    /// Size of the library and room on its storage.
    package func statistics(for client: Client) async throws(PhotosError) -> LibraryStatistics {
        try await read(for: client) { [shared] view throws(SQLiteError) in
            try view.statistics(freeBytes: shared.freeBytes)
        }
    }

    // MARK: Space

    /// What the storage can do now. Never blocks.
    package var state: LibraryState { shared.state }

    /// Bytes for photos, reserve and promises already taken off. Never blocks.
    package var freeBytes: Int64 { shared.freeBytes }

    /// Size of the file system that the library lies on in bytes; nil while it cannot be reached.
    ///
    /// - Blocking: a system call.
    package var capacity: Int64? { try? files.space(layout.library).total }

    /// Promises room for a photo of at most `bytes` bytes, before it is taken. Never blocks.
    ///
    /// - Returns: the promise, to be kept until the photo is durable or has failed.
    package func admit(bytes: Int64) throws(PhotosError) -> SpaceReservation {
        if let refusal = shared.promise(bytes) {
            tendSoon()
            throw refusal
        }
        return SpaceReservation(shared, bytes: bytes)
    }

    /// Does one piece of maintenance now instead of when idle.
    package func tend() async {
        await withCheckedContinuation { continuation in
            let engine = engine
            let accepted = worker.submit {
                _ = engine.value.tend()
                continuation.resume()
            }
            if !accepted { continuation.resume() }
        }
    }

    private func tendSoon() {
        let engine = engine
        worker.submit { _ = engine.value.tend() }
    }

    // MARK: Threads

    func onLibrary<T: Sendable>(
        _ body: @escaping @Sendable (LibraryEngine) throws(PhotosError) -> T
    ) async throws(PhotosError) -> T {
        try await Self.run(worker, engine, refusal: refusal, body)
    }

    static func run<T: Sendable>(
        _ worker: WorkerThread, _ engine: Confined<LibraryEngine>, refusal: PhotosError = .closed,
        _ body: @escaping @Sendable (LibraryEngine) throws(PhotosError) -> T
    ) async throws(PhotosError) -> T {
        let result: Result<T, PhotosError> = await withCheckedContinuation { continuation in
            let accepted = worker.submit {
                do throws(PhotosError) {
                    continuation.resume(returning: .success(try body(engine.value)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !accepted { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }

    /// Reads the catalog on the reading thread, as far as a client sees it.
    func read<T: Sendable>(
        for client: Client, needsEverything: Bool = false,
        _ body: @escaping @Sendable (CatalogView) throws(SQLiteError) -> T
    ) async throws(PhotosError) -> T {
        let authority = authority
        let reader = reader
        let engine = engine
        let worker = worker
        let result: Result<T, PhotosError> = await withCheckedContinuation { continuation in
            let accepted = readingThread.submit {
                // Once for the whole request, as late as can be.
                let rights = authority.rights(of: client)
                guard needsEverything ? rights.seesEverything : rights.mayRead else {
                    let what = needsEverything ? "see deleted photos" : "see photos"
                    return continuation.resume(returning: .failure(.denied(client.name, what)))
                }
                do throws(SQLiteError) {
                    if let view = try reader.value.view(rights) {
                        continuation.resume(returning: .success(try body(view)))
                    } else {
                        let offline = PhotosError(.libraryVolumeOffline, "The card was removed; insert it again.")
                        continuation.resume(returning: .failure(offline))
                    }
                } catch {
                    reader.value.close()
                    if error.condition == .corrupt { worker.submit { _ = engine.value.storage.failed(error) } }
                    let code: PhotosError.Code = error.condition == .other ? .internalError : .libraryVolumeOffline
                    let failure = PhotosError(code, "The catalog cannot be read (\(error)); try again.")
                    continuation.resume(returning: .failure(failure))
                }
            }
            if !accepted { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }
}
