import Imaging
import Platform

/// Reads photo files that the catalogue does not know, through Imaging.
package struct LibraryFileReader: Photos.PhotoFileReader {
    /// A reader.
    package init() {}

    /// What a photo file tells of itself; nil when it is none.
    package func read(_ file: UnsafeRawBufferPointer) -> Photos.PhotoFileInfo? {
        guard let info = try? Imaging.PhotoFileInfo(file: file, zone: SystemTime.zoneOffset(atLocal:)),
            info.kind != .unknown
        else { return nil }
        return Photos.PhotoFileInfo(
            width: info.width, height: info.height, captured: info.captureTime, imageUniqueID: info.imageUniqueID,
            isComplete: info.isComplete)
    }
}
