import Platform
import Synchronization

/// What every thread may ask of the library without waiting for its thread.
final class SharedLibraryState: Sendable {
    private struct Fields {
        var state = LibraryState.offline
        var freeBytes: Int64 = 0
        var promisedBytes: Int64 = 0
        var durations: [DCFNumber: Int64] = [:]
        var generation = 0
        var changeToken: PersistentChangeToken?
        var whenChanged: (@Sendable () -> Void)?
    }

    private let fields = Mutex(Fields())

    /// What the storage can do now.
    var state: LibraryState { fields.withLock { $0.state } }

    /// Bytes for photos, the reserve and what was promised already taken off.
    var freeBytes: Int64 { fields.withLock { max(0, $0.freeBytes - $0.promisedBytes) } }

    /// Changes with every new opening of the catalog; 0 while it is not open.
    var generation: Int { fields.withLock { $0.generation } }

    /// How far the history went when it was last seen; nil before the catalog was first opened.
    var changeToken: PersistentChangeToken? { fields.withLock { $0.changeToken } }

    /// Times to durable that are not yet in the catalog.
    var durations: [DCFNumber: Int64] { fields.withLock { $0.durations } }

    /// Promises room for a photo, or says why it cannot.
    func promise(_ bytes: Int64) -> PhotosError? {
        fields.withLock { fields in
            if let refusal = fields.state.refusal { return refusal }
            guard fields.freeBytes - fields.promisedBytes >= bytes else { return .full }
            fields.promisedBytes += bytes
            return nil
        }
    }

    /// Takes a promise back.
    func release(_ bytes: Int64) {
        fields.withLock { $0.promisedBytes -= bytes }
    }

    /// Notes the state; true when it is another one.
    func setState(_ state: LibraryState) -> Bool {
        fields.withLock { fields in
            defer { fields.state = state }
            return fields.state != state
        }
    }

    func setFreeBytes(_ bytes: Int64) {
        fields.withLock { $0.freeBytes = bytes }
    }

    func setGeneration(_ generation: Int) {
        fields.withLock { $0.generation = generation }
    }

    /// Notes how far the history goes, and says so when that is further than before.
    func setChangeToken(_ token: PersistentChangeToken) {
        let whenChanged = fields.withLock { fields in
            defer { fields.changeToken = token }
            return fields.changeToken == token ? nil : fields.whenChanged
        }
        whenChanged?()
    }

    /// Says that clients may see something else than before, without a change of the library.
    func rightsChanged() {
        fields.withLock { $0.whenChanged }?()
    }

    /// - Parameter body: called on the library's thread when the history has grown; nil to stop it.
    func setWhenChanged(_ body: (@Sendable () -> Void)?) {
        fields.withLock { $0.whenChanged = body }
    }

    func setDuration(_ number: DCFNumber, milliseconds: Int64) {
        fields.withLock { $0.durations[number] = milliseconds }
    }

    func removeDurations(_ numbers: some Sequence<DCFNumber>) {
        fields.withLock { fields in
            for number in numbers { fields.durations[number] = nil }
        }
    }
}

/// Room promised to one photo, from before the shot until it is durable or has failed; letting go gives it back.
package final class SpaceReservation: Sendable {
    private let shared: SharedLibraryState
    private let bytes: Mutex<Int64>

    init(_ shared: SharedLibraryState, bytes: Int64) {
        self.shared = shared
        self.bytes = Mutex(bytes)
    }

    deinit { end() }

    /// Takes the promise back. Calling it again does nothing.
    package func end() {
        let bytes = bytes.withLock { bytes in
            defer { bytes = 0 }
            return bytes
        }
        if bytes > 0 { shared.release(bytes) }
    }
}
