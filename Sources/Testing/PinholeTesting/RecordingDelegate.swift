import Capture
import Platform

/// Records every callback of a capture, so that a test can wait for them.
package final class RecordingDelegate: CapturePhotoCaptureDelegate {
    private struct State: Sendable {
        var callbacks: [String] = []
        var photos: [CapturePhoto] = []
        var errors: [CaptureError] = []
        var finished = false
    }

    private let state = Watched(State())

    /// A delegate that has received no callbacks yet.
    package init() {}

    /// Names of the callbacks so far.
    package var callbacks: [String] { state.withLock { $0.callbacks } }
    /// Photos so far, also those without data, until `forgetPhotos()`.
    package var photos: [CapturePhoto] { state.withLock { $0.photos } }
    /// Errors so far, of both kinds of callback that carry one.
    package var errors: [CaptureError] { state.withLock { $0.errors } }

    /// Every callback of a capture of one photo, in the order of the contract.
    package static let completeCapture = [
        "willBegin", "willCapture", "didCapture", "didFinishProcessing", "didFinishCapture",
    ]

    /// Waits until `didFinishCapture` has come; returns at once when it came before.
    package func finished() async {
        await state.until { $0.finished }
    }

    /// Lets go of the photos so far.
    package func forgetPhotos() {
        let photos = state.withLock { state in
            defer { state.photos = [] }
            return state.photos
        }
        withExtendedLifetime(photos) {}
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
        state.withLock { $0.finished = true }
    }
}
