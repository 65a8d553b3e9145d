/// Follows one capture. Calls come one at a time on the output's callback thread, in the order of the methods below:
/// each exactly once, `didFinishProcessingPhoto` as often as `expectedPhotoCount` says, `didFinishCapture` always last,
/// also after every kind of failure.
///
/// - Ownership: the output keeps the delegate until `didFinishCapture` has returned.
/// - Blocking: hand long work on; later captures' callbacks wait.
public protocol CapturePhotoCaptureDelegate: AnyObject {
    /// The capture was accepted.
    func photoOutput(
        _ output: CapturePhotoOutput, willBeginCaptureFor resolvedSettings: CaptureResolvedPhotoSettings)
    /// The exposure is about to be chosen.
    func photoOutput(
        _ output: CapturePhotoOutput, willCapturePhotoFor resolvedSettings: CaptureResolvedPhotoSettings)
    /// The frame is chosen, or it is certain that there will be none.
    func photoOutput(
        _ output: CapturePhotoOutput, didCapturePhotoFor resolvedSettings: CaptureResolvedPhotoSettings)
    /// A photo is ready. With an error the photo is there all the same, without data.
    func photoOutput(
        _ output: CapturePhotoOutput, didFinishProcessingPhoto photo: CapturePhoto, error: (any Error)?)
    /// The capture is over.
    func photoOutput(
        _ output: CapturePhotoOutput, didFinishCaptureFor resolvedSettings: CaptureResolvedPhotoSettings,
        error: (any Error)?)
}

extension CapturePhotoCaptureDelegate {
    /// Does nothing when the capture is accepted.
    public func photoOutput(
        _ output: CapturePhotoOutput, willBeginCaptureFor resolvedSettings: CaptureResolvedPhotoSettings
    ) {}
    /// Does nothing when the exposure is about to be chosen.
    public func photoOutput(
        _ output: CapturePhotoOutput, willCapturePhotoFor resolvedSettings: CaptureResolvedPhotoSettings
    ) {}
    /// Does nothing when the frame is chosen.
    public func photoOutput(
        _ output: CapturePhotoOutput, didCapturePhotoFor resolvedSettings: CaptureResolvedPhotoSettings
    ) {}
    /// Drops the photo; a delegate that wants photos implements this.
    public func photoOutput(
        _ output: CapturePhotoOutput, didFinishProcessingPhoto photo: CapturePhoto, error: (any Error)?
    ) {}
    /// Does nothing when the capture is over, even if it failed.
    public func photoOutput(
        _ output: CapturePhotoOutput, didFinishCaptureFor resolvedSettings: CaptureResolvedPhotoSettings,
        error: (any Error)?
    ) {}
}
