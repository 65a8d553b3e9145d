import Platform

/// The settings of a bracket: several frames, each with its own exposure, as one capture.
///
/// Each frame gives a raw photo, a processed one, or both, in this order; frames come in the order given here.
public final class CapturePhotoBracketSettings: CapturePhotoSettings {
    /// The exposures, all of the same kind.
    public let bracketedSettings: [CaptureBracketedStillImageSettings]

    /// A bracket.
    ///
    /// - Parameters:
    ///   - rawPixelFormatType: one of the output's `availableRawPhotoPixelFormatTypes`; nil for no raw photos.
    ///   - processedFormat: as for `CapturePhotoSettings.init(format:)`; nil for no processed photos, or for JPEGs when
    ///     there are no raw ones.
    ///   - bracketedSettings: at most the output's `maxBracketedCapturePhotoCount`.
    public init(
        rawPixelFormatType: CapturePhotoOutput.RawPixelFormat?, processedFormat: [String: Any]?,
        bracketedSettings: [CaptureBracketedStillImageSettings]
    ) {
        self.bracketedSettings = bracketedSettings
        var request = PhotoRequest(format: processedFormat, rawPixelFormat: rawPixelFormatType)
        request.bracket = bracketedSettings.map(\.exposure)
        super.init(request: request)
    }

    /// A copy with its own id.
    public init(from other: CapturePhotoBracketSettings) {
        bracketedSettings = other.bracketedSettings
        super.init(request: other.request)
    }
}

/// The exposure of one frame of a bracket. Made by one of the two kinds below.
public class CaptureBracketedStillImageSettings {
    let exposure: BracketExposure

    fileprivate init(exposure: BracketExposure) {
        self.exposure = exposure
    }
}

/// A frame with automatic exposure, made brighter or darker.
public final class CaptureAutoExposureBracketedStillImageSettings: CaptureBracketedStillImageSettings {
    /// Exposure compensation in EV.
    public let exposureTargetBias: Float

    private init(bias: Float) {
        exposureTargetBias = bias
        super.init(exposure: .bias(Double(bias)))
    }

    /// A frame exposed by so many EV brighter; negative for darker.
    public static func autoExposureSettings(
        exposureTargetBias: Float
    ) -> CaptureAutoExposureBracketedStillImageSettings {
        CaptureAutoExposureBracketedStillImageSettings(bias: exposureTargetBias)
    }
}

/// A frame with exposure time and ISO speed set by hand.
public final class CaptureManualExposureBracketedStillImageSettings: CaptureBracketedStillImageSettings {
    /// Exposure time of the frame; a bracket with one outside the sensor's range is refused.
    public let exposureDuration: Duration
    /// ISO speed of the frame, rounded to a whole number when the frame is taken; must be in the sensor's range.
    public let iso: Float

    private init(duration: Duration, iso: Float) {
        exposureDuration = duration
        self.iso = iso
        // What is no whole number of a sensible size becomes 0, which no camera has, and is refused with the settings.
        super.init(exposure: .manual(duration: duration, iso: Int(exactly: iso.rounded()) ?? 0))
    }

    /// A frame exposed for so long at this ISO speed.
    public static func manualExposureSettings(
        exposureDuration: Duration, iso: Float
    ) -> CaptureManualExposureBracketedStillImageSettings {
        CaptureManualExposureBracketedStillImageSettings(duration: exposureDuration, iso: iso)
    }
}
