extension PhotoImage {
    /// The picture made smaller, each pixel the average of the area it stands for, in whole numbers: the same on every
    /// machine.
    ///
    /// - Parameters:
    ///   - size: not larger than the picture in either direction; what is, stays.
    ///   - extent: how far the picture reaches into its last column and row, in eighths of a pixel; all of it when nil.
    package func averaged(to size: PixelSize, extent: PixelSize? = nil) throws(ImagingError) -> PhotoImage {
        let (across, down) = (min(extent?.width ?? .max, 8 * width), min(extent?.height ?? .max, 8 * height))
        let (newWidth, newHeight) = (min(max(size.width, 1), width), min(max(size.height, 1), height))
        guard newWidth < width || newHeight < height else { return self }
        return try withUnsafeBytes { (source) throws(ImagingError) in
            try PhotoImage(width: newWidth, height: newHeight) { (room) throws(ImagingError) in
                // One row's pixels summed over the rows it stands for. Rows are measured in units of
                // 1 / (8 × newHeight), so that the weights of one pixel are whole and add up to `down`: at most
                // 8 × 65,500 × 255 in 32 bits.
                let unit = 8 * newHeight
                var sums = [UInt32](repeating: 0, count: bytesPerRow)
                for row in 0..<newHeight {
                    let (top, bottom) = (row * down, (row + 1) * down)
                    for index in sums.indices { sums[index] = 0 }
                    for line in (top / unit)..<((bottom + unit - 1) / unit) {
                        let share = min(bottom, (line + 1) * unit) - max(top, line * unit)
                        let weight = UInt32(truncatingIfNeeded: share)
                        let pixels = UnsafeRawBufferPointer(rebasing: source[(line * bytesPerRow)...])
                        for index in sums.indices { sums[index] &+= UInt32(pixels[index]) &* weight }
                    }
                    let place = UnsafeMutableRawBufferPointer(rebasing: room[(3 * row * newWidth)...])
                    Self.average(sums, across: across, to: newWidth, area: across * down, into: place)
                }
            }
        }
    }

    /// Averages one row of sums along itself, in units of 1 / (8 × `newWidth`).
    private static func average(
        _ sums: [UInt32], across: Int, to newWidth: Int, area: Int, into place: UnsafeMutableRawBufferPointer
    ) {
        let unit = 8 * newWidth
        for column in 0..<newWidth {
            let (left, right) = (column * across, (column + 1) * across)
            var (red, green, blue) = (area / 2, area / 2, area / 2)
            for pixel in (left / unit)..<((right + unit - 1) / unit) {
                let share = min(right, (pixel + 1) * unit) - max(left, pixel * unit)
                red += share * Int(sums[3 * pixel])
                green += share * Int(sums[3 * pixel + 1])
                blue += share * Int(sums[3 * pixel + 2])
            }
            place[3 * column] = UInt8(truncatingIfNeeded: red / area)
            place[3 * column + 1] = UInt8(truncatingIfNeeded: green / area)
            place[3 * column + 2] = UInt8(truncatingIfNeeded: blue / area)
        }
    }
}
