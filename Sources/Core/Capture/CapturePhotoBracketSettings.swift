/// What a bracket shall be like: several frames, each with an exposure of its own, as one capture.
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
        var wish = PhotoWish(format: processedFormat, rawPixelFormat: rawPixelFormatType)
        wish.bracket = bracketedSettings.map(\.exposure)
        super.init(wish: wish)
    }

    /// The same wishes under an id of their own.
    public init(from other: CapturePhotoBracketSettings) {
        bracketedSettings = other.bracketedSettings
        super.init(wish: other.wish)
    }
}
