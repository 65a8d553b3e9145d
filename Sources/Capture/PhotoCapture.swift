import Imaging
import Platform
import Synchronization

/// One accepted capture on its way from claim to last callback.
final class PhotoCapture: Sendable {
    /// Keeps a delegate that need not be `Sendable`.
    ///
    /// Made in `capturePhoto`, used by the output's callback thread alone, one call at a time; nothing else reads it.
    private final class DelegateBox: @unchecked Sendable {
        let delegate: any CapturePhotoCaptureDelegate
        init(_ delegate: any CapturePhotoCaptureDelegate) { self.delegate = delegate }
    }

    let resolvedSettings: CaptureResolvedPhotoSettings
    let claim: ClaimID
    let quality: Int
    let embedsThumbnail: Bool
    let isCompressed: Bool
    let metadata: PhotoMetadata
    let share: EncodedBudget.Share
    private let frameChosen: (@Sendable (UInt64) -> Void)?
    private let box: DelegateBox
    private let result = Mutex<Result<CapturePhoto, CaptureError>?>(nil)

    init(
        settings: CapturePhotoSettings, layout: PictureLayout, quality: Int, metadata: PhotoMetadata, claim: ClaimID,
        delegate: any CapturePhotoCaptureDelegate, share: EncodedBudget.Share
    ) {
        isCompressed = settings.codec != nil
        embedsThumbnail = settings.embedsThumbnail && isCompressed
        resolvedSettings = CaptureResolvedPhotoSettings(
            uniqueID: settings.uniqueID, width: layout.width, height: layout.height, hasThumbnail: embedsThumbnail)
        var metadata = metadata
        metadata.imageUniqueID = settings.identifier
        for (key, value) in settings.metadata {
            switch CapturePhotoSettings.MetadataKey(rawValue: key) {
            case .imageDescription: metadata.imageDescription = value
            case .artist: metadata.artist = value
            case .copyright: metadata.copyright = value
            case nil: break  // refused when the settings were validated
            }
        }
        self.metadata = metadata
        self.quality = quality
        self.claim = claim
        self.share = share
        frameChosen = settings.frameChosen
        box = DelegateBox(delegate)
    }

    func store(_ result: Result<CapturePhoto, CaptureError>) {
        self.result.withLock { $0 = result }
    }

    var hasResult: Bool { result.withLock { $0 != nil } }

    // The callbacks, on the callback thread.

    func begin(_ output: CapturePhotoOutput) {
        box.delegate.photoOutput(output, willBeginCaptureFor: resolvedSettings)
        box.delegate.photoOutput(output, willCapturePhotoFor: resolvedSettings)
    }

    func didCapture(_ output: CapturePhotoOutput, frame: UInt64?) {
        box.delegate.photoOutput(output, didCapturePhotoFor: resolvedSettings)
        if let frame { frameChosen?(frame) }
    }

    func deliver(_ output: CapturePhotoOutput) {
        let outcome = result.withLock { result in
            defer { result = nil }
            return result
        }
        let photo: CapturePhoto
        var failure: CaptureError?
        switch outcome {
        case .success(let taken)?: photo = taken
        case .failure(let error)?:
            failure = error
            photo = CapturePhoto(resolvedSettings: resolvedSettings, frame: nil, metadata: nil, content: .none)
        case nil: return
        }
        box.delegate.photoOutput(output, didFinishProcessingPhoto: photo, error: failure)
        box.delegate.photoOutput(output, didFinishCaptureFor: resolvedSettings, error: failure)
    }
}
