import Imaging
import Platform
import Synchronization

/// One accepted capture on its way from claim to last callback.
final class PhotoCapture: Sendable {
    /// What a frame is made into.
    enum Kind: Hashable, Sendable {
        case raw, compressed, uncompressed
    }

    /// One photo among those of the capture.
    struct Place: Hashable, Sendable {
        /// Counts the photos of the capture from 1.
        let photoCount: Int
        /// Position of the frame in the bracket from 1; 0 outside one.
        let sequenceCount: Int
        let kind: Kind
    }

    typealias Outcome = Result<CapturePhoto, CaptureError>

    /// Keeps a delegate that need not be `Sendable`.
    ///
    /// Made where the capture is asked for, used by the output's callback thread alone, one call at a time; nothing else
    /// reads it.
    final class DelegateBox: @unchecked Sendable {
        let delegate: any CapturePhotoCaptureDelegate
        init(_ delegate: any CapturePhotoCaptureDelegate) { self.delegate = delegate }
    }

    private struct State {
        var outcomes: [Outcome?]
        /// Photos handed to the callback thread.
        var handedOver = 0
        /// True once `didCapturePhoto` was given to the callback thread.
        var isCaptured = false
        var failure: CaptureError?
    }

    let resolvedSettings: CaptureResolvedPhotoSettings
    let quality: Int
    let embedsThumbnail: Bool
    let metadata: PhotoMetadata
    /// The photos of each frame.
    let places: [[Place]]
    let shares: [EncodedBudget.Share]
    private let frameChosen: (@Sendable (UInt64) -> Void)?
    private let box: DelegateBox
    private let state: Mutex<State>

    init(
        settings: CapturePhotoSettings, stream: StreamConfiguration, quality: Int, metadata: PhotoMetadata,
        delegate: any CapturePhotoCaptureDelegate, shares: [EncodedBudget.Share]
    ) {
        let request = settings.request
        let kinds = request.photosOfFrame
        places = (0..<request.frameCount).map { frame in
            kinds.enumerated().map { index, kind in
                Place(
                    photoCount: frame * kinds.count + index + 1, sequenceCount: request.bracket == nil ? 0 : frame + 1,
                    kind: kind)
            }
        }
        embedsThumbnail = request.embedsThumbnail && kinds.contains(.compressed)
        resolvedSettings = CaptureResolvedPhotoSettings(
            uniqueID: settings.uniqueID,
            photo: kinds == [.raw] ? nil : .init(width: stream.layout.width, height: stream.layout.height),
            raw: kinds.contains(.raw) ? stream.rawLayout.map { .init(width: $0.width, height: $0.height) } : nil,
            hasThumbnail: embedsThumbnail, expectedPhotoCount: request.frameCount * kinds.count)
        var metadata = metadata
        metadata.imageUniqueID = settings.identifier
        for (key, value) in request.metadata {
            switch CapturePhotoSettings.MetadataKey(rawValue: key) {
            case .imageDescription: metadata.imageDescription = value
            case .artist: metadata.artist = value
            case .copyright: metadata.copyright = value
            case nil: break  // refused when the settings were validated
            }
        }
        self.metadata = metadata
        self.quality = quality
        self.shares = shares
        frameChosen = settings.frameChosen
        box = DelegateBox(delegate)
        state = Mutex(State(outcomes: Array(repeating: nil, count: resolvedSettings.expectedPhotoCount)))
    }

    /// Keeps what became of one photo.
    func store(_ outcome: Outcome, at place: Place) {
        state.withLock { $0.outcomes[place.photoCount - 1] = outcome }
    }

    /// `didCapturePhoto` was given to the callback thread; photos may follow it.
    ///
    /// - Returns: false when that was so already.
    func markCaptured() -> Bool {
        state.withLock { state in
            defer { state.isCaptured = true }
            return !state.isCaptured
        }
    }

    /// The photos that are ready and come next; the caller hands them to the callback thread.
    func handOver() -> ArraySlice<Place> {
        let all = Array(places.joined())
        let ready = state.withLock { state -> Range<Int> in
            guard state.isCaptured else { return 0..<0 }
            let first = state.handedOver
            state.handedOver += state.outcomes[first...].prefix { $0 != nil }.count
            return first..<state.handedOver
        }
        return all[ready]
    }

    /// True once every photo was handed to the callback thread.
    var isComplete: Bool { state.withLock { $0.handedOver == $0.outcomes.count } }

    // The callbacks, on the callback thread.

    func begin(_ output: CapturePhotoOutput) {
        box.delegate.photoOutput(output, willBeginCaptureFor: resolvedSettings)
        box.delegate.photoOutput(output, willCapturePhotoFor: resolvedSettings)
    }

    func reportFrame(_ sequence: UInt64) {
        frameChosen?(sequence)
    }

    func didCapture(_ output: CapturePhotoOutput) {
        box.delegate.photoOutput(output, didCapturePhotoFor: resolvedSettings)
    }

    func deliver(_ output: CapturePhotoOutput, _ place: Place) {
        let outcome = state.withLock { state in
            // Taken out, so that the photo lives no longer than its receiver keeps it.
            let outcome = state.outcomes[place.photoCount - 1]
            state.outcomes[place.photoCount - 1] = nil
            if case .failure(let error)? = outcome, state.failure == nil { state.failure = error }
            return outcome
        }
        switch outcome {
        case .success(let photo)?: box.delegate.photoOutput(output, didFinishProcessingPhoto: photo, error: nil)
        case .failure(let error)?:
            let photo = CapturePhoto(resolvedSettings: resolvedSettings, place: place)
            box.delegate.photoOutput(output, didFinishProcessingPhoto: photo, error: error)
        case nil: break
        }
    }

    func end(_ output: CapturePhotoOutput) {
        let failure = state.withLock { $0.failure }
        box.delegate.photoOutput(output, didFinishCaptureFor: resolvedSettings, error: failure)
    }
}
