import Imaging

/// Reads what a photo's file says about itself; a port, so that tests need no pictures.
package protocol PhotoFileReader: Sendable {
    /// What a whole file says. A file is of an unknown kind when its first 4096 bytes are.
    ///
    /// - Throws: the fault of a file that begins like a JPEG or TIFF file and is not whole.
    /// - Isolation: the library's thread.
    func read(_ file: UnsafeRawBufferPointer) throws(ImagingError) -> PhotoFileInfo
}
