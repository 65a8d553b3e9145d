import Imaging
import Platform

// The way of a frame through the output: ring, encoder, callbacks.
extension CapturePhotoOutput {
    /// The stream begins.
    func streamDidStart(_ stream: Stream) {
        let dropped = state.withLock { state in
            state.stream = stream
            state.newestArrival = nil
            return state.ring.close(reopeningWith: stream.configuration.bufferCount - 2)
        }
        act(on: dropped)
        endPreparation()
    }

    /// The stream has ended: captures without a frame fail with the reason, the others go on.
    func streamDidEnd(_ reason: CaptureError) {
        let actions = state.withLock { state in
            for (capture, progress) in state.brackets {
                fail(capture, frames: progress.missing, reason, &state)
            }
            state.brackets = []
            askForExposure(&state)
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
            return state.ring.insert(frame) + offerToBracket(frame, &state)
        }
        act(on: actions)
    }

    /// Carries out what the ring decided; frames are let go of here, outside the lock.
    func act(on actions: [FrameRing.Action], failure: CaptureError = .sessionNotRunning) {
        for action in actions {
            switch action {
            case .drop: break
            case .resolved(let claim, let frame):
                let exposure: Exposure? = state.withLock { state in
                    if state.reservations[claim] != nil { state.reservations[claim] = .some(frame) }
                    guard let exposure = state.exposures[claim] else { return nil }
                    let capture = exposure.capture
                    if exposure.index == capture.places.count - 1 { tellCaptured(capture) }
                    callbacks.submit { capture.tellFrame(frame.sequence) }
                    return exposure
                }
                if let exposure {
                    encoders.submit { [self] in
                        for place in exposure.capture.places[exposure.index] {
                            exposure.capture.store(encode(exposure.capture, place, frame), at: place)
                        }
                        finish(claim, frame)
                    }
                }
            case .failed(let claim):
                state.withLock { state in
                    state.reservations[claim] = nil
                    guard let exposure = state.exposures.removeValue(forKey: claim) else { return }
                    fail(exposure.capture, frames: exposure.index..<exposure.capture.places.count, failure, &state)
                }
            }
        }
    }

    // MARK: Brackets

    /// Asks the camera for the exposure that the first bracket wants now, or for its own.
    func askForExposure(_ state: inout State) {
        let wanted = state.brackets.first?.progress.wanted
        guard wanted != state.askedExposure else { return }
        state.askedExposure = wanted
        state.stream?.setExposure(wanted)
    }

    /// Lets the first bracket have the frame, if it shows the exposure wanted.
    private func offerToBracket(_ frame: Frame, _ state: inout State) -> [FrameRing.Action] {
        guard !state.brackets.isEmpty else { return [] }
        let capture = state.brackets[0].capture
        let decision = state.brackets[0].progress.handle(
            frame.metadata, exposureStart: frame.exposureStart, hasRoom: state.ring.hasRoom)
        var actions: [FrameRing.Action] = []
        switch decision {
        case .wait: return []
        case .take(let index):
            guard let (claim, resolution) = state.ring.claim(.held(sequence: frame.sequence)) else { return [] }
            state.exposures[claim] = Exposure(capture: capture, index: index)
            actions = resolution
            if state.brackets[0].progress.wanted == nil { state.brackets.removeFirst() }
        case .giveUp(let error):
            let missing = state.brackets.removeFirst().progress.missing
            fail(capture, frames: missing, error, &state)
        }
        askForExposure(&state)
        return actions
    }

    // MARK: Ends

    /// Ends frames of a capture that will not come.
    private func fail(_ capture: PhotoCapture, frames: Range<Int>, _ error: CaptureError, _ state: inout State) {
        for place in capture.places[frames].joined() { capture.store(.failure(error), at: place) }
        tellCaptured(capture)
        deliver(&state)
    }

    /// Says that a capture's last frame was chosen, or that there will be none; photos may follow.
    private func tellCaptured(_ capture: PhotoCapture) {
        guard capture.markCaptured() else { return }
        callbacks.submit { [self] in capture.didCapture(self) }
    }

    /// Ends the claim of a frame whose photos are stored.
    private func finish(_ claim: ClaimID, _ frame: Frame) {
        let dropped = state.withLock { state in
            state.exposures[claim] = nil
            deliver(&state)
            return state.ring.end(claim)
        }
        withExtendedLifetime((dropped, frame)) {}  // frames are let go of outside the lock
    }

    /// Delivers every photo whose predecessors are delivered.
    private func deliver(_ state: inout State) {
        while let first = state.order.first {
            for place in first.handOver() {
                callbacks.submit { [self] in first.deliver(self, place) }
            }
            guard first.isComplete else { return }
            state.order.removeFirst()
            callbacks.submit { [self] in first.end(self) }
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
            guard let photo else { throw .codec("the camera gave no raw frame") }
            share.settle(photo.byteCount)
            return .raw(photo, encoding, share)
        }
    }
}
