import Capture
import FoundationEssentials
import Glibc
import Imaging

/// Makes files of one line that say what would be in a raw file.
package struct FakeRawEncoding: RawPhotoEncoding {
    private let error: ImagingError?

    /// An encoder that works, or that fails with an error.
    package init(error: ImagingError? = nil) {
        self.error = error
    }

    package func encode(_ picture: RawPicture, metadata: PhotoMetadata) throws(ImagingError) -> EncodedRawPhoto {
        if let error { throw error }
        let samples = "\(picture.layout.width)x\(picture.layout.height) \(picture.layout.format.pattern)"
        return Self.file("raw \(samples) make=\(metadata.make)")
    }

    package func replacing(
        in file: EncodedRawPhoto, metadata: EncodedPhoto.Replacement<PhotoMetadata>,
        thumbnail: EncodedPhoto.Replacement<Data>
    ) throws(ImagingError) -> EncodedRawPhoto {
        let text = file.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let samples = text.split(separator: " ").prefix(3).joined(separator: " ")
        return switch metadata {
        case .keep: Self.file(text)
        case .replace(let replacement): Self.file("\(samples) make=\(replacement.make)")
        case .strip: Self.file(samples)
        }
    }

    private static func file(_ text: String) -> EncodedRawPhoto {
        let memory = UnsafeMutableRawBufferPointer(start: malloc(text.utf8.count), count: text.utf8.count)
        memory.copyBytes(from: text.utf8)
        return EncodedRawPhoto(adopting: memory)
    }
}
