import Offload
import Photos
import Platform
import Synchronization

/// A store of photos in memory that does what a test says.
package final class MemoryObjectStore: ObjectStore {
    /// One file, whose bytes are kept or made up.
    package struct File: Sendable {
        /// The format that the store states for the file, whatever its bytes are.
        package var format: FileFormat
        /// Its bytes; nil for a file of made-up bytes.
        package var bytes: [UInt8]?
        /// Its size in bytes.
        package var byteCount: UInt64

        /// A file with bytes.
        package init(_ format: FileFormat, bytes: [UInt8]) {
            (self.format, self.bytes, byteCount) = (format, bytes, UInt64(bytes.count))
        }

        /// A file of made-up bytes, as large as wanted.
        package init(_ format: FileFormat, byteCount: UInt64) {
            (self.format, self.byteCount) = (format, byteCount)
        }
    }

    /// A file that a client brought.
    package struct Uploaded: Hashable, Sendable {
        /// The name it came with.
        package var name: String
        /// The format that was announced.
        package var format: FileFormat
        /// The bytes that the client sent.
        package var bytes: [UInt8]

        /// A file with these bytes; its size is their count.
        package init(name: String, format: FileFormat, bytes: [UInt8]) {
            (self.name, self.format, self.bytes) = (name, format, bytes)
        }
    }

    struct State {
        var access: StoreAccess
        var space = StoreSpace(capacity: 32_000_000_000, free: 20_000_000_000)
        var table = ObjectTable(files: [])
        var files: [UInt32: File] = [:]
        var thumbnail: ObjectThumbnail? = MemoryObjectStore.smallPicture
        var next = DCFNumber(directory: 100, file: 1)
        var nextUpload = ObjectHandle.firstUpload
        var sessions = 0
        var questions = 0
        var refusal: OffloadError?
        var deleted: [UInt32] = []
        var uploaded: [Uploaded] = []
        var captures: [UInt32] = []
        var trespasses = 0
    }

    private let state: Mutex<State>
    private let observer = Mutex<(@Sendable (StoreChange) -> Void)?>(nil)
    let open = Atomic<Int>(0)

    /// A store without photos.
    package init(access: StoreAccess = StoreAccess(mayAdd: true, mayRead: true)) {
        state = Mutex(State(access: access))
    }

    /// What every photo's small picture is, unless a test says otherwise: the shortest of JPEG files.
    package static let smallPicture = ObjectThumbnail(bytes: [0xff, 0xd8, 0xff, 0xd9], width: 160, height: 120)

    // MARK: What a test says and sees

    /// Gives or takes rights; the client is notified to list everything again.
    package func allow(_ access: StoreAccess) {
        state.withLock { $0.access = access }
        report(.replaced)
    }

    /// Adds photos, numbered on from the last.
    ///
    /// - Parameter files: the files of each.
    /// - Returns: the handles of the files.
    @discardableResult
    package func add(
        _ count: Int = 1, files: [File] = [File(.jpeg, byteCount: 100_000)], isTold: Bool = true
    ) -> [UInt32] {
        let (added, handles) = state.withLock { state -> ([UInt32], [UInt32]) in
            var objects: [StoredObject] = []
            for _ in 0..<count {
                guard let number = state.next else { break }
                state.next = number.successor(filesPerDirectory: 9999)
                let asset = AssetIdentifier()
                for (index, file) in files.enumerated() {
                    guard let handle = ObjectHandle.file(number, resource: index) else { break }
                    objects.append(Self.object(handle, number, .file(asset, resource: index), file))
                    state.files[handle] = file
                }
            }
            return (state.table.insert(objects), objects.map(\.handle))
        }
        if isTold, access.mayRead { report(.added(added)) }
        return handles
    }

    /// Takes a file and those of the same photo away, as the camera's owner may.
    package func remove(_ handle: UInt32) {
        let removed = state.withLock { $0.remove(handle) }
        if access.mayRead { report(.removed(removed)) }
    }

    /// Sends a change to the client.
    package func report(_ change: StoreChange) {
        observer.withLock { $0?(change) }
    }

    /// The bytes of a file; nil when there is none.
    package func bytes(of handle: UInt32) -> [UInt8]? {
        guard let file = state.withLock({ $0.files[handle] }) else { return nil }
        return file.bytes ?? (0..<file.byteCount).map { MemoryContent.byte(handle, at: $0) }
    }

    /// What small picture every photo has; nil for none.
    package func setThumbnail(_ thumbnail: ObjectThumbnail?) { state.withLock { $0.thumbnail = thumbnail } }
    /// Room on the card.
    package func setSpace(_ space: StoreSpace) { state.withLock { $0.space = space } }
    /// What deletions, uploads and captures are refused with from now on; nil for nothing.
    package func refuse(_ code: OffloadError?) { state.withLock { $0.refusal = code } }
    /// How many sessions were opened.
    package var sessions: Int { state.withLock { $0.sessions } }
    /// How often it was looked into in vain.
    package var questions: Int { state.withLock { $0.questions } }
    /// Handles of files that the client has deleted.
    package var deleted: [UInt32] { state.withLock { $0.deleted } }
    /// Files that the client has brought.
    package var uploaded: [Uploaded] { state.withLock { $0.uploaded } }
    /// Transactions that have asked for a photo.
    package var captures: [UInt32] { state.withLock { $0.captures } }
    /// How often something was asked for that the client may not do; its responder should know.
    package var trespasses: Int { state.withLock { $0.trespasses } }
    /// Contents and uploads that are still referred to.
    package var openCount: Int { open.load(ordering: .relaxed) }

    // MARK: ObjectStore

    package var access: StoreAccess { state.withLock { $0.access } }
    package var space: StoreSpace { state.withLock { $0.space } }

    package func sessionOpened() { state.withLock { $0.sessions += 1 } }
    package func askForAccess() { state.withLock { $0.questions += 1 } }

    package func observe(_ body: (@Sendable (StoreChange) -> Void)?) {
        observer.withLock { $0 = body }
    }

    package func objects() throws(OffloadError) -> ObjectTable {
        guard (try? check(access.mayRead)) != nil else { return ObjectTable() }
        return state.withLock { $0.table }
    }

    package func content(of object: StoredObject) throws(OffloadError) -> any ObjectContent {
        try check(access.mayRead)
        guard let file = state.withLock({ $0.files[object.handle] }) else { throw .notFound }
        return MemoryContent(file, handle: object.handle, store: self)
    }

    package func thumbnail(of object: StoredObject) throws(OffloadError) -> ObjectThumbnail {
        try check(access.mayRead)
        guard let thumbnail = state.withLock({ $0.thumbnail }) else { throw .noThumbnail }
        return thumbnail
    }

    package func delete(_ object: StoredObject) throws(OffloadError) {
        try check(access.mayRead)
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        let removed = state.withLock { state in
            let removed = state.remove(object.handle)
            state.deleted += removed.filter { ObjectHandle.directoryNumber(of: $0) == nil }
            return removed
        }
        report(.removed(removed))
    }

    package func beginUpload(
        name: String, format: FileFormat, byteCount: UInt64
    ) throws(OffloadError) -> any ObjectUpload {
        try check(access.mayAdd)
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        guard byteCount <= space.free else { throw .storeFull }
        let handle = state.withLock { state in
            defer { state.nextUpload += 1 }
            return state.nextUpload
        }
        return MemoryUpload(name: name, format: format, handle: handle, store: self)
    }

    package func capture(request: UInt32) throws(OffloadError) {
        try check(access.mayAdd)
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        state.withLock { $0.captures.append(request) }
    }

    private func check(_ isAllowed: Bool) throws(OffloadError) {
        guard !isAllowed else { return }
        state.withLock { $0.trespasses += 1 }
        throw .accessDenied
    }

    /// An upload is whole.
    func keep(_ uploaded: Uploaded, handle: UInt32) throws(OffloadError) {
        let added = state.withLock { state -> [UInt32]? in
            guard let number = state.next else { return nil }
            state.next = number.successor(filesPerDirectory: 9999)
            let file = File(uploaded.format, bytes: uploaded.bytes)
            state.uploaded.append(uploaded)
            state.files[handle] = file
            return state.table.insert([
                Self.object(handle, number, .file(AssetIdentifier(), resource: 0), file)
            ])
        }
        guard let added else { throw .storeFull }
        let others = added.filter { $0 != handle }
        if access.mayRead, !others.isEmpty { report(.added(others)) }
    }

    private static func object(
        _ handle: UInt32, _ number: DCFNumber, _ kind: StoredObject.Kind, _ file: File
    ) -> StoredObject {
        let start: Int64 = 1_796_030_100_000_000_000
        return StoredObject(
            handle: handle, parent: ObjectHandle.directory(number.directory) ?? 0, kind: kind, format: file.format,
            name: number.stem + (file.format == .dng ? ".DNG" : ".JPG"), byteCount: file.byteCount,
            captured: WallTime(
                unixNanoseconds: start + number.position * 1_000_000_000, offsetSeconds: 3600, isTrusted: true),
            width: 4056, height: 3040)
    }
}

extension MemoryObjectStore.State {
    /// Removes the photo that a file belongs to.
    mutating func remove(_ handle: UInt32) -> [UInt32] {
        guard case .file(let asset, _)? = table[handle]?.kind else { return [] }
        let handles = table.objects.compactMap { object -> UInt32? in
            guard case .file(asset, _) = object.kind else { return nil }
            return object.handle
        }
        for handle in handles { files[handle] = nil }
        return table.remove(handles)
    }
}

/// An open file of the store in memory.
private final class MemoryContent: ObjectContent {
    private let file: MemoryObjectStore.File
    private let handle: UInt32
    private let store: MemoryObjectStore

    init(_ file: MemoryObjectStore.File, handle: UInt32, store: MemoryObjectStore) {
        (self.file, self.handle, self.store) = (file, handle, store)
        store.open.add(1, ordering: .relaxed)
    }

    deinit { store.open.subtract(1, ordering: .relaxed) }

    var byteCount: UInt64 { file.byteCount }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        guard offset < file.byteCount else { return 0 }
        let count = Int(min(UInt64(buffer.count), file.byteCount - offset))
        if let bytes = file.bytes {
            buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
        } else {
            for index in 0..<count { buffer[index] = Self.byte(handle, at: offset + UInt64(index)) }
        }
        return count
    }

    /// A made-up byte: another at each place and in each file.
    static func byte(_ handle: UInt32, at offset: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: (offset ^ offset >> 8 ^ offset >> 16) &+ UInt64(handle) &* 31)
    }
}

/// A file on its way into the store in memory.
private final class MemoryUpload: ObjectUpload {
    let handle: UInt32
    let parent = ObjectHandle.dcim | 100
    private let name: String
    private let format: FileFormat
    private let store: MemoryObjectStore
    private let bytes = Mutex<[UInt8]?>([])

    init(name: String, format: FileFormat, handle: UInt32, store: MemoryObjectStore) {
        (self.name, self.format, self.handle, self.store) = (name, format, handle, store)
        store.open.add(1, ordering: .relaxed)
    }

    deinit { store.open.subtract(1, ordering: .relaxed) }

    func write(_ piece: UnsafeRawBufferPointer) -> Bool {
        bytes.withLock { bytes in
            guard bytes != nil else { return false }
            bytes?.append(contentsOf: piece)
            return true
        }
    }

    func finish() throws(OffloadError) {
        let whole = bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
        guard let whole else { throw .incomplete }
        try store.keep(.init(name: name, format: format, bytes: whole), handle: handle)
    }

    func cancel() {
        bytes.withLock { $0 = nil }
    }
}
