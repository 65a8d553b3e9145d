/// What can be chosen about a library.
package struct LibrarySettings: Sendable {
    /// The most files in one directory, 1…9999.
    package var filesPerDirectory = 9999
    /// Bytes kept free for catalog, log and console.
    package var reservedBytes: Int64 = 32 << 20
    /// Bytes of the largest photo to expect; less room than this is `full`.
    package var largestPhotoBytes: Int64 = 24 << 20
    /// Less room than this many of the largest photos is `nearlyFull`.
    package var nearlyFullPhotos: Int64 = 20
    /// Days in Recently Deleted after which an asset is removed for good, counted while the clock is trusted; 1 or more.
    package var trashDays = 30
    /// Compare directories and catalog by itself after opening.
    package var comparesInBackground = true
    /// Do maintenance (checkpoint, backup copy, recovery from a fault) automatically when the library is idle.
    package var tendsWhenIdle = true

    /// The default settings of a camera.
    package init() {}
}
