/// Why a picture could not be encoded or read.
public enum ImagingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codec refused, with its own words.
    case codec(String)
    /// No memory for the compressed picture.
    case outOfMemory
    /// The metadata does not fit one Exif segment even with the smallest thumbnail.
    case metadataTooLarge
    /// The bytes are not what they should be: the sentence names the fault.
    case invalidFile(String)
    /// Larger than the limit given for reading.
    case tooLarge

    /// Half a sentence about the file that names the fault: `it ends before its picture`.
    public var description: String {
        switch self {
        case .codec(let words): "the codec failed: " + words
        case .outOfMemory: "there is no memory for its picture"
        case .metadataTooLarge: "its metadata does not fit"
        case .invalidFile(let fault): fault
        case .tooLarge: "it is larger than a photo can be"
        }
    }
}
