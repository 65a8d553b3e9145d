import Imaging
import Platform

// The way of a frame through the output: ring, encoder, callbacks.
extension CapturePhotoOutput {
    /// The stream begins.
    func streamDidStart(_ stream: StreamConfiguration) {
        let dropped = state.withLock { state in
            state.stream = stream
            state.newestArrival = nil
            return state.ring.close(reopeningWith: stream.bufferCount - 2)
        }
        act(on: dropped)
    }

    /// The stream has ended: captures without a frame fail with the reason, the others go on.
    func streamDidEnd(_ reason: CaptureError) {
        let actions = state.withLock { state in
            state.stream = nil
            state.newestArrival = nil
            return state.ring.close()
        }
        act(on: actions, failure: reason)
    }

    /// A frame has come.
    ///
    /// - Isolation: the sensor's thread.
    func frameDidArrive(_ frame: Frame) {
        let now = environment.time.now
        let actions = state.withLock { state -> [FrameRing.Action] in
            guard state.stream != nil else { return [] }
            state.newestArrival = now
            return state.ring.insert(frame)
        }
        act(on: actions)
    }

    /// Carries out what the ring decided; frames are let go of here, outside the lock.
    func act(on actions: [FrameRing.Action], failure: CaptureError = .sessionNotRunning) {
        for action in actions {
            switch action {
            case .drop: break
            case .resolved(let claim, let frame):
                let capture: PhotoCapture? = state.withLock { state in
                    if state.reservations[claim] != nil { state.reservations[claim] = .some(frame) }
                    guard let capture = state.captures[claim] else { return nil }
                    callbacks.submit { [self] in capture.didCapture(self, frame: frame.sequence) }
                    return capture
                }
                if let capture {
                    encoders.submit { [self] in finish(capture, frame, encode(capture, frame)) }
                }
            case .failed(let claim):
                let capture: PhotoCapture? = state.withLock { state in
                    state.reservations[claim] = nil
                    guard let capture = state.captures[claim] else { return nil }
                    callbacks.submit { [self] in capture.didCapture(self, frame: nil) }
                    return capture
                }
                if let capture { finish(capture, nil, .failure(failure)) }
            }
        }
    }

    /// - Isolation: an encoder thread.
    private func encode(_ capture: PhotoCapture, _ frame: Frame) -> Result<CapturePhoto, CaptureError> {
        var metadata = capture.metadata
        metadata.captureTime = environment.time.wallTime(at: frame.midpoint)
        metadata.exposureTime = frame.metadata.exposureTime.inSeconds
        metadata.isoSpeed = frame.metadata.isoSpeed
        metadata.exposureBias = frame.metadata.exposureBias
        metadata.isManualExposure = frame.metadata.isManualExposure
        do throws(ImagingError) {
            let content: CapturePhoto.Content
            if capture.isCompressed {
                let photo = try frame.withPicture { picture throws(ImagingError) in
                    try environment.encoding.encode(
                        picture, metadata: metadata, quality: capture.quality,
                        embedsThumbnail: capture.embedsThumbnail)
                }
                capture.share.settle(photo.byteCount)
                content = .encoded(photo, capture.share)
            } else {
                content = .pixels(
                    frame.withPicture { CapturePhoto.PixelBuffer(layout: $0.layout, bytes: Array($0.bytes)) })
            }
            return .success(
                CapturePhoto(
                    resolvedSettings: capture.resolvedSettings, frame: frame, metadata: metadata, content: content))
        } catch {
            return .failure(.encodingFailed(error))
        }
    }

    /// Keeps the result, ends the claim, and delivers every result whose predecessors are delivered.
    private func finish(_ capture: PhotoCapture, _ frame: Frame?, _ result: Result<CapturePhoto, CaptureError>) {
        let dropped = state.withLock { state in
            state.captures[capture.claim] = nil
            capture.store(result)
            while let first = state.order.first, first.hasResult {
                state.order.removeFirst()
                callbacks.submit { [self] in first.deliver(self) }
            }
            return state.ring.end(capture.claim)
        }
        withExtendedLifetime((dropped, frame)) {}  // frames are let go of outside the lock
    }
}
