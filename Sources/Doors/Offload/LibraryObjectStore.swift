import Imaging
import Photos
import Platform
import Synchronization

/// The photo library as one client sees it.
///
/// A table holds what the client sees, and an observer of the library keeps it up to date. The client's permissions are
/// read from the library at each call.
/// - Isolation: any thread but the library's own. One thread at a time makes the blocking calls.
/// - Ownership: the library does not keep it alive.
package final class LibraryObjectStore: ObjectStore, PhotoLibraryChangeObserver {
    /// Takes a photo for a client, then calls the closure with whether it was saved durably.
    package typealias Capture =
        @Sendable (Client, @escaping @Sendable (_ isSaved: Bool) -> Void) throws(OffloadError) -> Void

    fileprivate struct State {
        /// Nil until it is loaded.
        var table: ObjectTable?
        /// The client's permissions when the table was loaded.
        var rights = Rights.none
        /// False when the client must list everything again and has not done so yet.
        var isListed = true
        /// The handles of photos that the client has uploaded in this session.
        var uploads: [AssetIdentifier: UInt32] = [:]
        var nextUpload = ObjectHandle.firstUpload
        /// True while a question to the owner is unanswered.
        var isAsking = false
        /// When a change of the free space was last reported.
        var spaceReported: MonotonicTime?
    }

    /// The shortest time between two reports of the free space.
    private static let spaceInterval = Duration.seconds(1)

    let library: LibraryStore
    let client: Client
    private let state = Mutex(State())
    /// Held while the table is loaded or updated.
    let keeping = Mutex(())
    private let time: any TimeSource
    private let takePhoto: Capture
    private let observer = Mutex<(@Sendable (StoreChange) -> Void)?>(nil)

    /// A store for a client, whose session has begun if it is numbered.
    ///
    /// - Parameter capture: throws the reason when no photo is taken; otherwise calls its closure exactly once, on any
    ///   thread.
    package init(library: LibraryStore, client: Client, time: any TimeSource, capture: @escaping Capture) {
        (self.library, self.client, self.time, takePhoto) = (library, client, time, capture)
        // Registered before the first read, so that no change is missed.
        view.register(self)
    }

    /// The library with the client's permissions.
    var view: PhotoLibrary { PhotoLibrary(store: library, client: client) }

    // MARK: Permissions and space

    package var access: StoreAccess {
        let rights = library.rights(of: client)
        return StoreAccess(mayAdd: rights.mayAdd, mayRead: rights.mayRead)
    }

    package var space: StoreSpace {
        // A library that cannot save has no space, even if the file system has.
        let free = library.state.refusal == nil ? library.freeBytes : 0
        return StoreSpace(capacity: UInt64(clamping: library.capacity ?? 0), free: UInt64(clamping: free))
    }

    package func sessionOpened() {
        let isNew = state.withLock { state in
            state.isListed = true
            return state.uploads.isEmpty
        }
        if !isNew {
            // The uploads of the last session have ordinary handles now.
            keeping.withLock { _ in
                state.withLock { state in
                    state.uploads = [:]
                    state.table = nil
                }
            }
        }
        askForAccess()
    }

    package func askForAccess() {
        guard library.authorizationStatus(for: .readWrite, client: client) == .notDetermined else { return }
        // One question at a time, so that repeated requests do not fill the memory while the owner decides.
        let isAsking = state.withLock { state in
            defer { state.isAsking = true }
            return state.isAsking
        }
        guard !isAsking else { return }
        view.requestAuthorization(for: .readWrite) { [weak self] _ in
            self?.state.withLock { $0.isAsking = false }
        }
    }

    // MARK: Changes

    /// - Isolation: `body` must not call this method.
    package func observe(_ body: (@Sendable (StoreChange) -> Void)?) {
        observer.withLock { $0 = body }
    }

    func report(_ change: StoreChange) {
        observer.withLock { $0?(change) }
    }

    package func photoLibraryDidChange(_ changeInstance: PhotoLibraryChange) {
        for change in update(changeInstance.persistentChange) { report(change) }
        if changeInstance.persistentChange != nil, access.mayRead { spaceDidChange() }
    }

    /// Handles an event of the library; never blocks.
    package func libraryDid(_ event: LibraryEvent) {
        guard case .stateChanged(let state) = event else { return }
        if state == .full { report(.full) } else { spaceDidChange() }
    }

    /// Reports the free space, unless it was reported a moment ago.
    private func spaceDidChange() {
        let now = time.now
        let isDue = state.withLock { state in
            if let last = state.spaceReported, now < last + Self.spaceInterval { return false }
            state.spaceReported = now
            return true
        }
        if isDue { report(.spaceChanged) }
    }

    // MARK: Files

    package func content(of object: StoredObject) throws(OffloadError) -> any ObjectContent {
        guard case .file(let asset, let resource) = object.kind else { throw .notFound }
        let rights = library.rights(of: client)
        return RevocableContent(try open(asset, resource).content) { [library, client] in
            let now = library.rights(of: client)
            return now.seesEverything || (now.mayRead && now.visibility == rights.visibility)
        }
    }

    package func thumbnail(of object: StoredObject) throws(OffloadError) -> ObjectThumbnail {
        guard case .file(let asset, let resource) = object.kind, object.format.mayHaveThumbnail else {
            throw .noThumbnail
        }
        for position in StoredObject.positions(ofThumbnail: resource) {
            let (file, place) = try open(asset, position)
            let read = { (buffer: UnsafeMutableRawBufferPointer, offset: Int) in
                file.read(into: buffer, at: UInt64(clamping: offset))
            }
            // The catalog may be outdated, so the file decides.
            if let found = EmbeddedThumbnail(at: place, read: read) ?? EmbeddedThumbnail(read: read) {
                return ObjectThumbnail(
                    bytes: found.bytes, width: UInt32(clamping: found.width), height: UInt32(clamping: found.height))
            }
        }
        throw .noThumbnail
    }

    /// Opens a file that the client may see now.
    private func open(
        _ asset: AssetIdentifier, _ position: Int
    ) throws(OffloadError) -> (content: FileContent, thumbnail: ThumbnailPlace) {
        let resource = try wait { [view] () async throws(PhotosError) in
            try await view.resource(position, of: asset.description)
        }
        do throws(SystemError) {
            return (try FileContent(path: resource.path), resource.thumbnail)
        } catch {
            throw .notFound
        }
    }

    package func delete(_ object: StoredObject) throws(OffloadError) {
        guard let asset = object.asset else { throw .isFolder }
        try wait { [library, client] () async throws(PhotosError) in
            _ = try await library.delete([asset.description], for: client)
        }
        waitForTable()
    }

    package func beginUpload(
        name: String, format: FileFormat, byteCount: UInt64
    ) throws(OffloadError) -> any ObjectUpload {
        guard access.mayAdd else { throw .accessDenied }
        guard format != .folder else { throw .unsupportedFormat }
        guard byteCount <= UInt64(LibraryStore.photoByteLimit) else { throw .tooLarge }
        let (handle, folder) = state.withLock { state in
            defer { state.nextUpload &+= 1 }
            return (state.nextUpload, state.table?.objects.last { $0.kind == .folder }?.handle)
        }
        do throws(PhotosError) {
            return LibraryUpload(
                try library.beginFile(bytes: Int64(byteCount)), name: name, format: format, byteCount: byteCount,
                handle: handle, parent: folder ?? ObjectHandle.dcim, store: self)
        } catch {
            throw OffloadError(error)
        }
    }

    // MARK: Shots

    package func capture(request: UInt32) throws(OffloadError) {
        guard access.mayAdd else { throw .accessDenied }
        try takePhoto(client) { [weak self, library] _ in
            // The changes that the photo causes are reported first.
            library.whenObserversKnow { [weak self] in self?.report(.captureCompleted(request: request)) }
        }
    }

    // MARK: Waiting

    /// Runs asynchronous work on the calling thread, and waits for its result.
    func wait<Success: Sendable>(
        for work: @escaping @Sendable () async throws(PhotosError) -> Success
    ) throws(OffloadError) -> Success {
        do throws(PhotosError) {
            return try CallingThreadExecutor.wait(for: work)
        } catch {
            throw OffloadError(error)
        }
    }

    /// Waits until the table has everything that is durable now, so that a client finds the result of its last request.
    func waitForTable() {
        let done = Semaphore()
        library.whenObserversKnow { done.signal() }
        done.wait()
    }
}

/// The table of the objects that the client sees.
extension LibraryObjectStore {
    private static let pageLimit = 1000

    package func objects() throws(OffloadError) -> ObjectTable {
        let rights = library.rights(of: client)
        let known = state.withLock { state in
            state.isListed = true
            return state.table(for: rights)
        }
        if let known { return known }
        return try keeping.withLock { _ throws(OffloadError) in try loaded().table }
    }

    /// The table for the client's permissions now, loaded if necessary. The caller holds `keeping`.
    private func loaded() throws(OffloadError) -> (table: ObjectTable, isNew: Bool) {
        // A client whose rights keep changing has to request it again.
        for _ in 0..<3 {
            let rights = library.rights(of: client)
            if let known = state.withLock({ $0.table(for: rights) }) { return (known, false) }
            guard let files = try files(nil, rights) else { continue }
            let table = ObjectTable(files: files)
            state.withLock { state in (state.table, state.rights) = (table, rights) }
            return (table, true)
        }
        throw .busy
    }

    /// The files that the client sees with certain rights; nil when its rights have changed.
    ///
    /// - Parameter filter: the assets to include; all when nil.
    private func files(_ filter: FetchOptions.Filter?, _ rights: Rights) throws(OffloadError) -> [StoredObject]? {
        try wait { [self] () async throws(PhotosError) -> [StoredObject]? in
            var options = FetchOptions()
            options.filter = filter
            options.order = .oldestFirst
            options.fetchLimit = Self.pageLimit
            var files: [StoredObject] = []
            repeat {
                guard let page = try await view.fetchAssets(with: options, having: rights) else { return nil }
                // Read after the page, because the handle of an upload is set before its asset appears.
                let uploads = state.withLock { $0.uploads }
                for asset in page {
                    files += StoredObject.files(
                        of: asset,
                        alias: uploads.isEmpty ? nil : AssetIdentifier(asset.localIdentifier).flatMap { uploads[$0] })
                }
                options.cursor = page.next
            } while options.cursor != nil
            return files
        }
    }

    /// Updates the table with a change, and returns the changes to report.
    ///
    /// Assets are fetched in their present state, which may be newer than the change; later changes then do nothing.
    /// - Parameter change: nil when the library cannot name what changed.
    func update(_ change: PersistentChange?) -> [StoreChange] {
        keeping.withLock { _ in
            guard let change else { return forget() }
            let rights = library.rights(of: client)
            guard rights.mayRead else {
                state.withLock { $0.table = nil }
                return []
            }
            do throws(OffloadError) {
                let (table, isNew) = try loaded()
                return isNew ? news(of: change, in: table) : try update(table, change, rights) ?? forget()
            } catch {
                return forget()
            }
        }
    }

    /// The changes to report for a table that was just loaded: only new objects, because the client may know
    /// the others.
    private func news(of change: PersistentChange, in table: ObjectTable) -> [StoreChange] {
        let inserted = Set(change.assets.insertedLocalIdentifiers.compactMap { AssetIdentifier($0) })
        var added: [StoredObject] = []
        var known: Set<UInt32> = []
        for object in table.objects {
            guard let asset = object.asset else { continue }
            if inserted.contains(asset) { added.append(object) } else { known.insert(object.parent) }
        }
        // New folders are reported too.
        let folders = Set(added.map(\.parent)).subtracting(known).sorted()
        return changes(added: folders + added.map(\.handle))
    }

    private func update(
        _ old: ObjectTable, _ change: PersistentChange, _ rights: Rights
    ) throws(OffloadError) -> [StoreChange]? {
        let details = change.assets
        let names = details.insertedLocalIdentifiers.union(details.updatedLocalIdentifiers)
            .union(details.deletedLocalIdentifiers)
        guard let files = try files(.identifiers(Array(names)), rights) else { return nil }
        var table = old
        // Files with unchanged handles need no search. A client that sees everything knows an asset by one number
        // forever; a selection numbers it again each time that it joins.
        let mayMove = rights.seesEverything ? details.deletedLocalIdentifiers : names
        var moved = Set(mayMove.compactMap { AssetIdentifier($0) })
        for file in files where table[file.handle]?.kind == file.kind { file.asset.map { _ = moved.remove($0) } }
        var gone: Set<UInt32> = []
        if !moved.isEmpty {
            for object in old.objects where object.asset.map({ moved.contains($0) }) ?? false {
                gone.insert(object.handle)
            }
            gone.subtract(files.map(\.handle))
        }
        let changed = files.filter { file in old[file.handle].map { $0.kind == file.kind && $0 != file } ?? false }
        // Inserted first, so that a folder that is still needed stays.
        let added = table.insert(files)
        let removed = table.remove(Array(gone))
        state.withLock { $0.table = table }
        return changes(removed: removed, added: added, changed: changed.map(\.handle))
    }

    private func changes(removed: [UInt32] = [], added: [UInt32], changed: [UInt32] = []) -> [StoreChange] {
        // The client knows of the photos that it uploaded.
        let news = added.filter { $0 < ObjectHandle.firstUpload }
        return (removed.isEmpty ? [] : [.removed(removed)]) + (news.isEmpty ? [] : [.added(news)])
            + (changed.isEmpty ? [] : [.changed(changed)])
    }

    /// Discards the table, and reports that once until the client lists again.
    private func forget() -> [StoreChange] {
        state.withLock { state in
            defer { state.isListed = false }
            state.table = nil
            return state.isListed ? [.replaced] : []
        }
    }

    // MARK: Uploads

    /// Sets the handle of a new photo for the rest of the session; nil removes it.
    func setHandle(_ handle: UInt32?, ofUpload asset: AssetIdentifier) {
        state.withLock { $0.uploads[asset] = handle }
    }
}

extension LibraryObjectStore.State {
    /// The table, if it was loaded with these rights.
    func table(for rights: Rights) -> ObjectTable? {
        guard rights.mayRead else { return ObjectTable() }
        return self.rights == rights ? table : nil
    }
}
