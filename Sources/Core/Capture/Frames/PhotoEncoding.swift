import FoundationEssentials
import Imaging

/// Compresses a photo: TurboJPEG in the camera, something scripted in tests.
///
/// - Isolation: called on the encoder threads, several at a time.
package protocol PhotoEncoding: Sendable {
    /// Makes the complete file.
    func encode(
        _ picture: Picture, metadata: PhotoMetadata, quality: Int, embedsThumbnail: Bool
    ) throws(ImagingError) -> EncodedPhoto
}

/// The camera's JPEG encoder.
package struct JPEGPhotoEncoding: PhotoEncoding {
    /// An encoder without state.
    package init() {}

    package func encode(
        _ picture: Picture, metadata: PhotoMetadata, quality: Int, embedsThumbnail: Bool
    ) throws(ImagingError) -> EncodedPhoto {
        try PhotoEncoder().encode(picture, metadata: metadata, quality: quality, thumbnail: embedsThumbnail)
    }
}

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
