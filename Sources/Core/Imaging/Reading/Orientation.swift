/// How a stored picture is turned and mirrored to stand upright, by Exif's numbers (TIFF 6.0 Orientation).
struct Orientation: Hashable, Sendable {
    /// The number that Exif stores, 1…8; 1 is upright.
    let value: Int

    /// The orientation a file gives, or upright when it gives none that exists.
    init(_ value: Int?) {
        self.value = PhotoFileReader.validOrientation(value)
    }

    /// True when width and height change places.
    var isTurned: Bool { value >= 5 }

    /// True when rows are counted from the picture's bottom, before the turn.
    var isUpsideDown: Bool { [3, 4, 6, 7].contains(value) }

    /// True when columns are counted from the picture's right, before the turn.
    var isMirrored: Bool { [2, 3, 7, 8].contains(value) }
}

extension PhotoImage {
    /// The picture turned and mirrored so that it stands upright.
    func upright(_ orientation: Orientation) throws(ImagingError) -> PhotoImage {
        guard orientation.value != 1 else { return self }
        let size = PixelSize(width: width, height: height)
        let shown = orientation.isTurned ? size.turned : size
        // Where in the source the first pixel lies, and how far it is to the next one right of it and below it.
        let first =
            (orientation.isMirrored ? 3 * (width - 1) : 0) + (orientation.isUpsideDown ? (height - 1) * bytesPerRow : 0)
        let column = orientation.isMirrored ? -3 : 3
        let row = orientation.isUpsideDown ? -bytesPerRow : bytesPerRow
        let (right, below) = orientation.isTurned ? (row, column) : (column, row)
        return try withUnsafeBytes { (source) throws(ImagingError) in
            try PhotoImage(width: shown.width, height: shown.height) { (room) throws(ImagingError) in
                var place = 0
                for y in 0..<shown.height {
                    var from = first + y * below
                    for _ in 0..<shown.width {
                        room[place] = source[from]
                        room[place + 1] = source[from + 1]
                        room[place + 2] = source[from + 2]
                        place += 3
                        from += right
                    }
                }
            }
        }
    }
}
