import Glibc

/// Gathers the requests made while a change block runs on the calling thread.
///
/// - Isolation: confined to the thread that runs the block.
final class ChangeCollector {
    private(set) var usageError: PhotosError?
    private var requests: [ChangeRequest] = []

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key, nil)
        precondition(result == 0, "the process has used up its thread-local keys")
        return key
    }()

    /// The collector of the block that runs on this thread.
    static var current: ChangeCollector? {
        pthread_getspecific(key).map { Unmanaged<ChangeCollector>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs a block at once and returns what it asked for.
    static func collect(_ block: () -> Void) -> ChangeSet {
        let outer = current
        let collector = ChangeCollector()
        pthread_setspecific(key, Unmanaged.passUnretained(collector).toOpaque())
        block()
        pthread_setspecific(key, outer.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
        if let outer {
            let nested = PhotosError(
                .changeNotSupported, "A change block cannot contain another; make one after the other.")
            outer.fail(nested)
            collector.fail(nested)
        }
        return collector.finish()
    }

    /// Adds a request; its state is read when the block ends.
    func add(_ request: ChangeRequest) {
        requests.append(request)
    }

    /// Fails the block; the first error is kept.
    func fail(_ error: PhotosError) {
        if usageError == nil { usageError = error }
    }

    private func finish() -> ChangeSet {
        var set = ChangeSet()
        for request in requests {
            set.changes += request.changes
            if let error = request.usageError { fail(error) }
            request.close()
        }
        set.usageError = usageError
        return set
    }
}
