/// Why a picture could not be encoded or read.
public enum ImagingError: Error, Hashable, Sendable {
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
}
