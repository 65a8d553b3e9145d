import Imaging
import Photos
import Platform
import Synchronization

/// The photo library as one client sees it.
///
/// What the client sees is kept as a table, and kept up by an observer of the library; what it may do is asked of the
/// library each time.
/// - Isolation: any thread but the library's own. One thread at a time makes the calls that block.
/// - Ownership: the library does not keep it alive.
package final class LibraryObjectStore: ObjectStore, PhotoLibraryChangeObserver {
    /// Takes a photo on behalf of a client, then calls the closure with whether it is durable.
    package typealias Capture =
        @Sendable (Client, @escaping @Sendable (_ isSaved: Bool) -> Void) throws(OffloadError) -> Void

    struct State {
        /// Nil when it has to be loaded.
        var table: ObjectTable?
        /// What the client could do when the table was loaded.
        var rights = Rights.none
        /// False when the client was told to list everything again and has not done so.
        var isListed = true
        /// The handles of photos that the client has uploaded in this session.
        var uploads: [AssetIdentifier: UInt32] = [:]
        var nextUpload = ObjectHandle.firstUpload
        /// True while the owner is asked.
        var isAsking = false
        /// When free space was last told of.
        var spaceTold: MonotonicTime?
    }

    /// How often free space is told of at most.
    private static let spaceInterval = Duration.seconds(1)

    let library: LibraryStore
    let client: Client
    let state = Mutex(State())
    /// Held while the table is loaded or brought up to date.
    let keeping = Mutex(())
    private let time: any TimeSource
    private let takePhoto: Capture
    private let observer = Mutex<(@Sendable (StoreChange) -> Void)?>(nil)

    /// A store for a client, whose session has begun if it is numbered.
    ///
    /// - Parameter capture: throws why no photo is taken; else calls its closure exactly once, from any thread.
    package init(library: LibraryStore, client: Client, time: any TimeSource, capture: @escaping Capture) {
        (self.library, self.client, self.time, takePhoto) = (library, client, time, capture)
        // Before anything is read, so that no change is missed.
        view.register(self)
    }

    /// The library on the client's behalf.
    var view: PhotoLibrary { PhotoLibrary(store: library, client: client) }

    // MARK: What the client may do

    package var access: StoreAccess {
        let rights = library.rights(of: client)
        return StoreAccess(mayAdd: rights.mayAdd, mayRead: rights.mayRead)
    }

    package var space: StoreSpace {
        // Where nothing can be saved there is no room, whatever the file system says.
        let free = library.state.refusal == nil ? library.freeBytes : 0
        return StoreSpace(capacity: UInt64(clamping: library.capacity ?? 0), free: UInt64(clamping: free))
    }

    package func sessionOpened() {
        let isNew = state.withLock { state in
            state.isListed = true
            return state.uploads.isEmpty
        }
        if !isNew {
            // What was uploaded in the last session has an ordinary handle now.
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
        // Once at a time: else one who asks for as long as the owner thinks fills the memory.
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

    func tell(_ change: StoreChange) {
        observer.withLock { $0?(change) }
    }

    package func photoLibraryDidChange(_ changeInstance: PhotoLibraryChange) {
        for change in update(changeInstance.persistentChange) { tell(change) }
        if changeInstance.persistentChange != nil, access.mayRead { spaceDidChange() }
    }

    /// Takes note of what happened in the library as a whole; never blocks.
    package func libraryDid(_ event: LibraryEvent) {
        guard case .stateChanged(let state) = event else { return }
        if state == .full { tell(.full) } else { spaceDidChange() }
    }

    /// Tells of free space, unless it was told of a moment ago.
    private func spaceDidChange() {
        let now = time.now
        let isDue = state.withLock { state in
            if let told = state.spaceTold, now < told + Self.spaceInterval { return false }
            state.spaceTold = now
            return true
        }
        if isDue { tell(.spaceChanged) }
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
            // The file has the last word.
            if let found = EmbeddedThumbnail(at: place, read: read) ?? EmbeddedThumbnail(read: read) {
                return ObjectThumbnail(
                    bytes: found.bytes, width: UInt32(clamping: found.width), height: UInt32(clamping: found.height))
            }
        }
        throw .noThumbnail
    }

    /// Opens a file, as far as the client may see it now.
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
            // What the photo changes is told first.
            library.whenObserversKnow { [weak self] in self?.tell(.captureCompleted(request: request)) }
        }
    }

    // MARK: Waiting

    /// Does asynchronous work on the calling thread.
    func wait<Success: Sendable>(
        for work: @escaping @Sendable () async throws(PhotosError) -> Success
    ) throws(OffloadError) -> Success {
        do throws(PhotosError) {
            return try CallingThreadExecutor.wait(for: work)
        } catch {
            throw OffloadError(error)
        }
    }

    /// Waits until the table has everything that is durable now, so that a client finds what it was answered.
    func waitForTable() {
        let done = Semaphore()
        library.whenObserversKnow { done.signal() }
        done.wait()
    }
}
