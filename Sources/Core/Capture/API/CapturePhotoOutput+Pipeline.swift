import Imaging
import Platform

// The way of a frame through the output: claims, encoder, callbacks.
extension CapturePhotoOutput {
    /// Begins a stream with an empty ring and ends a preparation that waited for one.
    func streamDidStart(_ stream: CaptureQueue.Stream) {
        act(on: update { $0.open(stream) })
        endPreparation()
    }

    /// Ends the stream: captures without a frame fail with the reason, the others go on.
    func streamDidEnd(_ reason: CaptureError) {
        act(on: update { $0.close(reason) }, failure: reason)
    }

    /// Takes a frame of the stream.
    ///
    /// - Isolation: the sensor's thread.
    func frameDidArrive(_ frame: Frame) {
        let now = environment.time.now
        act(on: update { $0.insert(frame, at: now) })
    }

    /// Claims the frame nearest to a moment for a photo that may not be taken.
    ///
    /// - Returns: nil when the session does not run or memory does not allow another frame.
    package func reserveFrame(at moment: MonotonicTime) -> FrameReservation? {
        update { $0.reserve(at: moment) }.map { FrameReservation(claim: $0, output: self) }
    }

    func endReservation(_ claim: ClaimID) {
        let dropped = update { $0.endReservation(claim) }
        withExtendedLifetime(dropped) {}  // frames are let go of outside the lock
    }

    /// Carries out what the ring decided; frames are let go of here, outside the lock.
    func act(on actions: [FrameRing.Action], failure: CaptureError = .sessionNotRunning) {
        for action in actions {
            switch action {
            case .drop: break
            case .resolved(let claim, let frame):
                guard let exposure = update({ $0.resolve(claim, frame) }) else { continue }
                encoders.submit { [self] in
                    for place in exposure.capture.places[exposure.index] {
                        exposure.capture.store(encode(exposure.capture, place, frame), at: place)
                    }
                    let dropped = update { $0.finish(claim) }
                    withExtendedLifetime((dropped, frame)) {}  // frames are let go of outside the lock
                }
            case .failed(let claim): update { $0.fail(claim, failure) }
            }
        }
    }

    // MARK: Encoding

    /// - Isolation: an encoder thread.
    private func encode(_ capture: PhotoCapture, _ place: PhotoCapture.Place, _ frame: Frame) -> PhotoCapture.Outcome {
        var metadata = capture.metadata
        metadata.captureTime = environment.time.wallTime(at: frame.midpoint)
        metadata.exposureTime = frame.metadata.exposureTime.inSeconds
        metadata.isoSpeed = frame.metadata.isoSpeed
        metadata.exposureBias = frame.metadata.exposureBias
        metadata.isManualExposure = frame.metadata.isManualExposure
        do throws(ImagingError) {
            let content = try content(capture, place, frame, metadata)
            return .success(
                CapturePhoto(
                    resolvedSettings: capture.resolvedSettings, place: place, frame: frame, metadata: metadata,
                    content: content))
        } catch {
            return .failure(.encodingFailed(error))
        }
    }

    private func content(
        _ capture: PhotoCapture, _ place: PhotoCapture.Place, _ frame: Frame, _ metadata: PhotoMetadata
    ) throws(ImagingError) -> CapturePhoto.Content {
        let share = capture.shares[place.photoCount - 1]
        switch place.kind {
        case .compressed:
            let photo = try frame.withPicture { picture throws(ImagingError) in
                try environment.encoding.encode(
                    picture, metadata: metadata, quality: capture.quality, embedsThumbnail: capture.embedsThumbnail)
            }
            share.settle(photo.byteCount)
            return .encoded(photo, share)
        case .uncompressed:
            return .pixels(frame.withPicture { CapturePhoto.PixelBuffer(layout: $0.layout, bytes: Array($0.bytes)) })
        case .raw:
            guard let encoding = environment.rawEncoding else { throw .codec("there is no encoder for raw photos") }
            let photo = try frame.withRawPicture { picture throws(ImagingError) in
                try encoding.encode(picture, metadata: metadata)
            }
            guard let photo else { throw .codec("the camera delivered no raw frame") }
            share.settle(photo.byteCount)
            return .raw(photo, encoding, share)
        }
    }
}
