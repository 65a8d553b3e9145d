import Platform

/// The settings of a capture as a value: copied when the capture is accepted, and by `init(from:)`.
struct PhotoRequest: Sendable {
    var codec: CapturePhotoSettings.CodecType?
    var pixelFormat: CapturePhotoOutput.PixelFormat?
    var rawPixelFormat: CapturePhotoOutput.RawPixelFormat?
    var quality: Int?
    var embedsThumbnail = true
    var photoQualityPrioritization = CapturePhotoSettings.QualityPrioritization.balanced
    var flashMode = CapturePhotoSettings.FlashMode.off
    var metadata: [String: String] = [:]
    var moment: CapturePhotoSettings.Moment?
    /// The exposures of a bracket; nil outside one.
    var bracket: [BracketExposure]?
    /// What cannot be understood in a format dictionary.
    var formatFault: String?

    init(codec: CapturePhotoSettings.CodecType?, pixelFormat: CapturePhotoOutput.PixelFormat?) {
        self.codec = codec
        self.pixelFormat = pixelFormat
    }

    /// Reads a format dictionary; without one it is a JPEG, or nothing besides a raw photo.
    init(format: [String: Any]?, rawPixelFormat: CapturePhotoOutput.RawPixelFormat?) {
        self.rawPixelFormat = rawPixelFormat
        guard let format else {
            codec = rawPixelFormat == nil ? .jpeg : nil
            return
        }
        for (key, value) in format {
            switch (key, value) {
            case (CapturePhotoSettings.codecKey, let value as CapturePhotoSettings.CodecType): codec = value
            case (CapturePhotoSettings.codecKey, let value as String): codec = .init(rawValue: value)
            case (CapturePhotoSettings.compressionPropertiesKey, let properties as [String: Any]):
                readCompression(properties)
            default: formatFault = "the format key \(key) is not supported; use a codec, and a quality from 0 to 1"
            }
        }
    }

    private mutating func readCompression(_ properties: [String: Any]) {
        for (key, value) in properties {
            let number =
                (value as? Double) ?? (value as? Float).map { Double($0) } ?? (value as? Int).map { Double($0) }
            guard key == CapturePhotoSettings.compressionQualityKey, let number, (0...1).contains(number) else {
                formatFault = "the compression property \(key) is not supported; use a quality from 0 to 1"
                return
            }
            quality = max(1, Int((number * 100).rounded()))
        }
    }

    /// The photos that each frame becomes: raw first.
    var photosOfFrame: [PhotoCapture.Kind] {
        (rawPixelFormat == nil ? [] : [.raw]) + (codec == nil ? [] : [.compressed])
            + (pixelFormat == nil ? [] : [.uncompressed])
    }

    /// Frames of the capture.
    var frameCount: Int { bracket?.count ?? 1 }

    /// The rule that chooses the frame of a capture that is no bracket.
    func frameRule(now: MonotonicTime) -> FrameRule {
        switch moment {
        case .nearest(let moment): .nearest(moment)
        case .after(let moment): .after(moment)
        case nil: .nearest(now)
        }
    }

    /// The moment after which every exposure of a bracket starts.
    func bracketStart(now: MonotonicTime) -> MonotonicTime {
        switch moment {
        case .nearest(let moment), .after(let moment): moment
        case nil: now
        }
    }
}
