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
    /// - Throws: `.invalidUsage` for settings used before, `.unsupportedSettings` for settings that cannot be met,
    ///   `.sessionNotRunning`, `.outOfMemory` when admission by memory refuses.
    public func takePhoto(
        with settings: CapturePhotoSettings, delegate: any CapturePhotoCaptureDelegate
    ) throws(CaptureError) {
        guard !settings.isUsed else {
            throw .invalidUsage("settings are valid for one capture; create new ones with init(from:)")
        }
        let request = settings.request
        let now = environment.time.now
        let accepted = state.withLock { state -> Result<[FrameRing.Action], CaptureError> in
            do throws(CaptureError) {
                let stream = try validate(request, state)
                let shares = try reserve(request, stream)
                func capture() -> PhotoCapture {
                    PhotoCapture(
                        settings: settings, stream: stream, quality: request.quality ?? state.defaults.quality,
                        metadata: state.defaults.metadata, delegate: delegate, shares: shares)
                }
                var actions: [FrameRing.Action] = []
                if let bracket = request.bracket {
                    guard state.queue.hasRoom else { throw .outOfMemory }
                    let progress = BracketProgress(
                        exposures: bracket, after: request.bracketStart(now: now),
                        frameLimit: Self.bracketPatience * (stream.bufferCount + Self.controlDelay))
                    state.queue.accept(capture(), progress)
                } else {
                    let rule: FrameRule =
                        settings.followingSequence.map { .following(sequence: $0) } ?? request.frameRule(now: now)
                    let claim = state.queue.claim(reserved: settings.reservation?.claim, orBy: rule)
                    guard let claim else { throw .outOfMemory }
                    state.queue.accept(capture(), claim.id)
                    actions = claim.actions
                }
                submitNotices(&state)
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

    /// A share of the memory for each photo of a capture.
    private func reserve(
        _ request: PhotoRequest, _ stream: StreamConfiguration
    ) throws(CaptureError) -> [EncodedBudget.Share] {
        let ofFrame = request.photosOfFrame.map { Self.estimate($0, stream) }
        let estimates = Array((0..<request.frameCount).map { _ in ofFrame }.joined())
        guard request.frameCount == 1 || estimates.reduce(0, +) <= budget.limit else {
            throw .unsupportedSettings("there is not enough memory for this bracket; request fewer frames")
        }
        guard let shares = budget.reserve(estimates, isSingleFrame: request.frameCount == 1) else { throw .outOfMemory }
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

    /// Checks a request against what the output and the running stream can do.
    ///
    /// - Returns: the stream.
    func validate(_ request: PhotoRequest, _ state: State) throws(CaptureError) -> StreamConfiguration {
        if let fault = request.formatFault { throw .unsupportedSettings(fault) }
        guard (1...100).contains(request.quality ?? 1) else {
            throw .unsupportedSettings("JPEG quality must be from 1 to 100")
        }
        guard request.photoQualityPrioritization <= state.defaults.maxPhotoQualityPrioritization else {
            throw .unsupportedSettings("the requested quality is above maxPhotoQualityPrioritization")
        }
        guard supportedFlashModes.contains(request.flashMode) else {
            throw .unsupportedSettings("this camera has no flash")
        }
        for key in request.metadata.keys where CapturePhotoSettings.MetadataKey(rawValue: key) == nil {
            throw .unsupportedSettings("\(key) is not a metadata key; see CapturePhotoSettings.MetadataKey")
        }
        if let codec = request.codec, !availablePhotoCodecTypes.contains(codec) {
            throw .unsupportedSettings("the codec is not among availablePhotoCodecTypes")
        }
        guard request.codec == nil || request.pixelFormat == nil, !request.photosOfFrame.isEmpty else {
            throw .unsupportedSettings("settings need either a codec or a pixel format")
        }
        guard let stream = state.queue.stream else { throw .sessionNotRunning }
        if let format = request.pixelFormat, format != stream.configuration.layout.format {
            throw .unsupportedSettings("the pixel format is not among availablePhotoPixelFormats")
        }
        if let format = request.rawPixelFormat {
            guard environment.rawEncoding != nil, format == stream.configuration.rawLayout?.format else {
                throw .unsupportedSettings("the raw format is not among availableRawPhotoPixelFormatTypes")
            }
        }
        if let bracket = request.bracket { try validate(bracket, stream.model) }
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
                    throw .unsupportedSettings("exposure compensation must be from -8 to 8 EV")
                }
                biases += 1
            case .manual(let duration, let iso):
                guard model.exposureTimes.contains(duration), model.isoSpeeds.contains(iso) else {
                    throw .unsupportedSettings(model.exposureSentence)
                }
            }
        }
        guard biases == 0 || biases == bracket.count else {
            throw .unsupportedSettings("the exposures of a bracket must be all automatic or all manual")
        }
    }
}
