import Offload
import PinholeTesting

/// A store in memory that runs what a test wants when it is asked for something.
final class WatchedStore: ObjectStore {
    let store: MemoryObjectStore
    private let onSession: @Sendable () -> Void
    private let onDelete: @Sendable () -> Void
    private let onCapture: @Sendable (UInt32) -> Void

    init(
        _ store: MemoryObjectStore, onSession: @escaping @Sendable () -> Void = {},
        onDelete: @escaping @Sendable () -> Void = {}, onCapture: @escaping @Sendable (UInt32) -> Void = { _ in }
    ) {
        self.store = store
        (self.onSession, self.onDelete, self.onCapture) = (onSession, onDelete, onCapture)
    }

    var access: StoreAccess { store.access }
    var space: StoreSpace { store.space }

    func sessionOpened() {
        store.sessionOpened()
        onSession()
    }

    func askForAccess() { store.askForAccess() }
    func observe(_ body: (@Sendable (StoreChange) -> Void)?) { store.observe(body) }
    func objects() throws(OffloadError) -> ObjectTable { try store.objects() }

    func content(of object: StoredObject) throws(OffloadError) -> any ObjectContent {
        try store.content(of: object)
    }

    func thumbnail(of object: StoredObject) throws(OffloadError) -> ObjectThumbnail {
        try store.thumbnail(of: object)
    }

    func delete(_ object: StoredObject) throws(OffloadError) {
        onDelete()
        try store.delete(object)
    }

    func beginUpload(
        name: String, format: FileFormat, byteCount: UInt64
    ) throws(OffloadError) -> any ObjectUpload {
        try store.beginUpload(name: name, format: format, byteCount: byteCount)
    }

    func capture(request: UInt32) throws(OffloadError) {
        try store.capture(request: request)
        onCapture(request)
    }
}
