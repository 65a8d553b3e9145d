import Capture
import Imaging
import Platform

/// Fails, or waits until it is let go on.
final class ScriptedEncoding: PhotoEncoding {
    private let gate = Semaphore()
    private let error: ImagingError?
    private let isGated: Bool

    init(error: ImagingError? = nil, isGated: Bool = false) {
        self.error = error
        self.isGated = isGated
    }

    func open() { gate.signal() }

    func encode(
        _ picture: Picture, metadata: PhotoMetadata, quality: Int, embedsThumbnail: Bool
    ) throws(ImagingError) -> EncodedPhoto {
        if isGated { gate.wait() }
        if let error { throw error }
        return try JPEGPhotoEncoding().encode(
            picture, metadata: metadata, quality: quality, embedsThumbnail: embedsThumbnail)
    }
}
