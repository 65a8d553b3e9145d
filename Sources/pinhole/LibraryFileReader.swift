import Imaging
import Photos
import Platform

/// Reads the photo files that the library takes in, through the JPEG reader.
struct LibraryFileReader: Photos.PhotoFileReader {
    func read(_ file: UnsafeRawBufferPointer) throws(PhotoFileFault) -> Photos.PhotoFileInfo {
        guard file.starts(with: [0xff, 0xd8]) else { return .unknown }
        let info: Imaging.PhotoFileInfo
        do throws(ImagingError) {
            info = try Imaging.PhotoFileInfo(file: file, zone: SystemTime.zoneOffset(atLocal:))
        } catch {
            switch error {
            case .invalidFile(let fault): throw PhotoFileFault(fault)
            case .tooLarge: throw PhotoFileFault("it is larger than a photo may be")
            default: throw PhotoFileFault("it cannot be read")
            }
        }
        guard info.isComplete else { throw PhotoFileFault("its end is missing") }
        return Photos.PhotoFileInfo(
            kind: .jpeg, width: info.width, height: info.height, orientation: info.orientation,
            captured: info.captureTime, imageUniqueID: info.imageUniqueID)
    }
}
