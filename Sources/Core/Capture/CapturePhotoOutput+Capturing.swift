import Imaging
import Platform

// Taking photos: validation and admission.
extension CapturePhotoOutput {
    /// Takes a photo, or the photos of a bracket.
    ///
    /// A refusal is the one callback of a capture that never began: `didFinishCapture` with the error, and nothing
    /// before it. `takePhoto(with:delegate:)` throws instead.
    /// - Parameters:
    ///   - settings: used once; copied.
    ///   - delegate: follows the capture; kept until its last callback.
    public func capturePhoto(with settings: CapturePhotoSettings, delegate: any CapturePhotoCaptureDelegate) {
        do throws(CaptureError) {
            try takePhoto(with: settings, delegate: delegate)
        } catch {
            let box = PhotoCapture.DelegateBox(delegate)
            let resolvedSettings = CaptureResolvedPhotoSettings(uniqueID: settings.uniqueID, expectedPhotoCount: 0)
            callbacks.submit { [self] in
                box.delegate.photoOutput(self, didFinishCaptureFor: resolvedSettings, error: error)
            }
        }
    }

    /// Takes a photo, or the photos of a bracket, or throws before any callback.
    ///
    /// - Parameters:
    ///   - settings: used once; copied.
    ///   - delegate: follows the capture; kept until its last callback.
    /// - Throws: `.invalidUsage` for settings used before, `.unsupportedSettings` for a wish that cannot be met,
    ///   `.sessionNotRunning`, `.outOfMemory` when admission by memory refuses.
    public func takePhoto(
        with settings: CapturePhotoSettings, delegate: any CapturePhotoCaptureDelegate
    ) throws(CaptureError) {
        guard !settings.isUsed else {
            throw .invalidUsage("settings are for one capture; make new ones with init(from:)")
        }
        let wish = settings.wish
        let now = environment.time.now
        let accepted = state.withLock { state -> Result<[FrameRing.Action], CaptureError> in
            do throws(CaptureError) {
                let stream = try validate(wish, state)
                let shares = try reserve(wish, stream)
                var actions: [FrameRing.Action] = []
                var claim: ClaimID?
                if wish.bracket != nil {
                    guard state.ring.hasRoom else { throw .outOfMemory }
                } else {
                    (claim, actions) = try self.claim(settings, now, &state)
                }
                let capture = PhotoCapture(
                    settings: settings, stream: stream, quality: wish.quality ?? state.quality,
                    metadata: state.metadata, delegate: delegate, shares: shares)
                state.order.append(capture)
                callbacks.submit { [self] in capture.begin(self) }
                if let claim { state.exposures[claim] = Exposure(capture: capture, index: 0) }
                if let bracket = wish.bracket {
                    let progress = BracketProgress(
                        exposures: bracket, after: wish.bracketStart(now: now),
                        frameLimit: Self.bracketPatience * (stream.bufferCount + Self.controlDelay))
                    state.brackets.append((capture, progress))
                    askForExposure(&state)
                }
                return .success(actions)
            } catch {
                return .failure(error)
            }
        }
        let actions = try accepted.get()
        settings.isUsed = true
        act(on: actions)
    }

    /// Frames until a sensor shows what it was asked for, besides those in its buffers (libcamera: three to four).
    private static var controlDelay: Int { 4 }
    /// How many times longer than usual a bracket waits for an exposure.
    private static var bracketPatience: Int { 3 }

    /// The claim on the frame of a capture that is no bracket, and what the ring decided at once.
    private func claim(
        _ settings: CapturePhotoSettings, _ now: MonotonicTime, _ state: inout State
    ) throws(CaptureError) -> (ClaimID, [FrameRing.Action]) {
        if let reservation = settings.reservation,
            let frame = state.reservations.removeValue(forKey: reservation.claim)
        {
            return (reservation.claim, frame.map { [.resolved(reservation.claim, $0)] } ?? [])
        }
        let rule: FrameRule =
            settings.followingSequence.map { .following(sequence: $0) } ?? settings.wish.frameRule(now: now)
        guard let (claim, actions) = state.ring.claim(rule) else { throw .outOfMemory }
        return (claim, actions)
    }

    /// A share of the memory for each photo of a capture.
    private func reserve(
        _ wish: PhotoWish, _ stream: StreamConfiguration
    ) throws(CaptureError) -> [EncodedBudget.Share] {
        let ofFrame = wish.photosOfFrame.map { Self.estimate($0, stream) }
        let estimates = Array((0..<wish.frameCount).map { _ in ofFrame }.joined())
        guard wish.frameCount == 1 || estimates.reduce(0, +) <= budget.limit else {
            throw .unsupportedSettings("there is not enough memory for so long a bracket; ask for fewer frames")
        }
        guard let shares = budget.reserve(estimates, isSingleFrame: wish.frameCount == 1) else { throw .outOfMemory }
        return shares
    }

    /// A photo's likely size in bytes, on the safe side: half a byte a pixel for a JPEG, two for a raw photo.
    static func estimate(_ kind: PhotoCapture.Kind, _ stream: StreamConfiguration) -> Int {
        switch kind {
        case .compressed: stream.layout.width * stream.layout.height / 2
        case .uncompressed: stream.layout.byteCount
        case .raw: stream.rawLayout.map { $0.width * $0.height * 2 } ?? 0
        }
    }

    /// Checks a wish against what the output and the running stream can do.
    ///
    /// - Returns: the stream.
    func validate(_ wish: PhotoWish, _ state: State) throws(CaptureError) -> StreamConfiguration {
        if let fault = wish.formatFault { throw .unsupportedSettings(fault) }
        guard (1...100).contains(wish.quality ?? 1) else {
            throw .unsupportedSettings("JPEG quality goes from 1 to 100")
        }
        guard wish.photoQualityPrioritization <= state.maxPhotoQualityPrioritization else {
            throw .unsupportedSettings("the quality asked for is above maxPhotoQualityPrioritization")
        }
        guard supportedFlashModes.contains(wish.flashMode) else {
            throw .unsupportedSettings("this camera has no flash")
        }
        for key in wish.metadata.keys where CapturePhotoSettings.MetadataKey(rawValue: key) == nil {
            throw .unsupportedSettings("\(key) is not a metadata key; see CapturePhotoSettings.MetadataKey")
        }
        if let codec = wish.codec, !availablePhotoCodecTypes.contains(codec) {
            throw .unsupportedSettings("the codec is not among availablePhotoCodecTypes")
        }
        guard wish.codec == nil || wish.pixelFormat == nil, !wish.photosOfFrame.isEmpty else {
            throw .unsupportedSettings("settings need either a codec or a pixel format")
        }
        guard let stream = state.stream else { throw .sessionNotRunning }
        if let format = wish.pixelFormat, format != stream.configuration.layout.format {
            throw .unsupportedSettings("the pixel format is not among availablePhotoPixelFormats")
        }
        if let format = wish.rawPixelFormat {
            guard environment.rawEncoding != nil, format == stream.configuration.rawLayout?.format else {
                throw .unsupportedSettings("the raw format is not among availableRawPhotoPixelFormatTypes")
            }
        }
        if let bracket = wish.bracket { try validate(bracket, stream.model) }
        return stream.configuration
    }

    private func validate(_ bracket: [BracketExposure], _ model: SensorModel) throws(CaptureError) {
        guard (1...maxBracketedCapturePhotoCount).contains(bracket.count) else {
            throw .unsupportedSettings("a bracket has 1 to \(maxBracketedCapturePhotoCount) exposures")
        }
        var biases = 0
        for exposure in bracket {
            switch exposure {
            case .bias(let bias):
                guard (-8...8).contains(bias) else {
                    throw .unsupportedSettings("exposure compensation goes from -8 to 8 EV")
                }
                biases += 1
            case .manual(let duration, let iso):
                guard model.exposureTimes.contains(duration), model.isoSpeeds.contains(iso) else {
                    throw .unsupportedSettings(model.exposureSentence)
                }
            }
        }
        guard biases == 0 || biases == bracket.count else {
            throw .unsupportedSettings("the exposures of a bracket are all of one kind, automatic or manual")
        }
    }
}
