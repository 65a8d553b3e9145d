/// What kind of file a photo's bytes are, told by the bytes themselves.
public enum PhotoFileKind: String, Hashable, Sendable {
    /// JPEG (ISO/IEC 10918-1).
    case jpeg
    /// DNG, a TIFF file with DNGVersion.
    case dng
    /// Another TIFF 6.0 file.
    case tiff
    /// Anything else; nothing is known of it.
    case unknown

    /// Its uniform type identifier; nil for an unknown file.
    public var uniformTypeIdentifier: String? {
        switch self {
        case .jpeg: "public.jpeg"
        case .dng: "com.adobe.raw-image"
        case .tiff: "public.tiff"
        case .unknown: nil
        }
    }
}
