import Imaging
import Platform

/// Reads the photo files that the library takes in, through Imaging.
package struct LibraryFileReader: Photos.PhotoFileReader {
    /// A reader.
    package init() {}

    package func read(_ file: UnsafeRawBufferPointer) throws(PhotoFileFault) -> Photos.PhotoFileInfo {
        let info: Imaging.PhotoFileInfo
        do throws(ImagingError) {
            info = try Imaging.PhotoFileInfo(file: file, zone: SystemTime.zoneOffset(atLocal:))
        } catch {
            throw PhotoFileFault(error.description)
        }
        guard info.isComplete else { throw PhotoFileFault("its end is missing") }
        let kind: Photos.PhotoFileInfo.Kind =
            switch info.kind {
            case .jpeg: .jpeg
            case .dng: .dng
            case .tiff: .tiff
            case .unknown: .unknown
            }
        return Photos.PhotoFileInfo(
            kind: kind, width: info.width, height: info.height, orientation: info.orientation,
            captured: info.captureTime, imageUniqueID: info.imageUniqueID)
    }
}
