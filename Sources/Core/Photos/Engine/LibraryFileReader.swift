import Imaging
import Platform

/// Reads the photo files that the library takes in, through Imaging.
package struct LibraryFileReader: Photos.PhotoFileReader {
    /// A reader that extracts type, size and date from JPEG, TIFF and DNG files.
    package init() {}

    package func read(_ file: UnsafeRawBufferPointer) throws(ImagingError) -> PhotoFileInfo {
        let info = try PhotoFileInfo(file: file, zone: SystemTime.zoneOffset(atLocal:))
        guard info.isComplete else { throw .invalidFile("its end is missing") }
        return info
    }
}
