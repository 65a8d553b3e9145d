import Capture
import Platform
import Synchronization

/// Writes down every callback and wakes who waits for the last one.
package final class RecordingDelegate: CapturePhotoCaptureDelegate {
    private struct State {
        var callbacks: [String] = []
        var photos: [CapturePhoto] = []
        var errors: [CaptureError] = []
        var finished = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A delegate that has heard nothing yet.
    package init() {}

    /// Names of the callbacks so far.
    package var callbacks: [String] { state.withLock { $0.callbacks } }
    /// Photos so far.
    package var photos: [CapturePhoto] { state.withLock { $0.photos } }
    /// Errors so far, of both kinds of callback that carry one.
    package var errors: [CaptureError] { state.withLock { $0.errors } }

    /// Every callback of a capture of one photo, in the order of the contract.
    package static let completeCapture = [
        "willBegin", "willCapture", "didCapture", "didFinishProcessing", "didFinishCapture",
    ]

    /// Waits for `didFinishCapture`.
    package func finished() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.finished { state.waiting.append(continuation) }
                return state.finished
            }
            if isOver { continuation.resume() }
        }
    }

    private func note(_ name: String, _ error: (any Error)? = nil) {
        state.withLock {
            $0.callbacks.append(name)
            if let error = error as? CaptureError { $0.errors.append(error) }
        }
    }

    package func photoOutput(_ output: CapturePhotoOutput, willBeginCaptureFor: CaptureResolvedPhotoSettings) {
        note("willBegin")
    }

    package func photoOutput(_ output: CapturePhotoOutput, willCapturePhotoFor: CaptureResolvedPhotoSettings) {
        note("willCapture")
    }

    package func photoOutput(_ output: CapturePhotoOutput, didCapturePhotoFor: CaptureResolvedPhotoSettings) {
        note("didCapture")
    }

    package func photoOutput(
        _ output: CapturePhotoOutput, didFinishProcessingPhoto photo: CapturePhoto, error: (any Error)?
    ) {
        note("didFinishProcessing", error)
        state.withLock { $0.photos.append(photo) }
    }

    package func photoOutput(
        _ output: CapturePhotoOutput, didFinishCaptureFor: CaptureResolvedPhotoSettings, error: (any Error)?
    ) {
        note("didFinishCapture", error)
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.finished = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
