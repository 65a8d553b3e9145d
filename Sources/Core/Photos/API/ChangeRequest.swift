/// A request to change something in the library; exists only inside a change block.
///
/// - Isolation: the thread that runs the block.
public class ChangeRequest {
    private var isOpen = false
    /// True when it was made inside a block.
    private(set) var hasJoined = false
    private(set) var usageError: PhotosError?

    init() {}

    /// What is asked for, when the block has ended.
    var changes: [Change] { [] }

    /// The block has ended; later changes do nothing.
    func close() {
        isOpen = false
    }

    /// Makes a change if the block still runs. Afterwards nothing is changed, because nothing can report the failure.
    func change(_ body: () -> Void) {
        if isOpen { body() }
    }

    /// Makes the whole block fail with this error; nothing of it is saved.
    func fail(_ error: PhotosError) {
        if usageError == nil { usageError = error }
    }

    /// Joins the block that runs on this thread. Outside of one, the request does nothing.
    final func join() {
        guard let collector = ChangeCollector.current else { return }
        isOpen = true
        hasJoined = true
        collector.add(self)
    }
}
