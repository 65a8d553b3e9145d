import FoundationEssentials
import Imaging

/// Makes raw files. Where no encoder is there, no raw photo is offered.
///
/// - Isolation: called on the encoder threads, several at a time.
package protocol RawPhotoEncoding: Sendable {
    /// Makes the complete file.
    func encode(_ picture: RawPicture, metadata: PhotoMetadata) throws(ImagingError) -> EncodedRawPhoto
    /// The same samples with other metadata or another small picture.
    func replacing(
        in file: EncodedRawPhoto, metadata: EncodedPhoto.Replacement<PhotoMetadata>,
        thumbnail: EncodedPhoto.Replacement<Data>
    ) throws(ImagingError) -> EncodedRawPhoto
}
