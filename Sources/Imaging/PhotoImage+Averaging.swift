extension PhotoImage {
    /// The picture made smaller, each pixel the average of the area it stands for, in whole numbers: the same on every
    /// machine.
    ///
    /// - Parameter size: not larger than the picture in either direction; what is, stays.
    package func averaged(to size: PixelSize) throws(ImagingError) -> PhotoImage {
        let (newWidth, newHeight) = (min(max(size.width, 1), width), min(max(size.height, 1), height))
        guard newWidth < width || newHeight < height else { return self }
        return try withUnsafeBytes { (source) throws(ImagingError) in
            try PhotoImage(width: newWidth, height: newHeight) { (room) throws(ImagingError) in
                // One row's pixels summed over the rows it stands for. Rows are measured in units of 1 / newHeight, so
                // that the weights of one pixel are whole and add up to `height`: at most 65,500 × 255 in 32 bits.
                var sums = [UInt32](repeating: 0, count: bytesPerRow)
                for row in 0..<newHeight {
                    let (top, bottom) = (row * height, (row + 1) * height)
                    for index in sums.indices { sums[index] = 0 }
                    for line in (top / newHeight)..<((bottom + newHeight - 1) / newHeight) {
                        let share = min(bottom, (line + 1) * newHeight) - max(top, line * newHeight)
                        let weight = UInt32(truncatingIfNeeded: share)
                        let pixels = UnsafeRawBufferPointer(rebasing: source[(line * bytesPerRow)...])
                        for index in sums.indices { sums[index] &+= UInt32(pixels[index]) &* weight }
                    }
                    let place = UnsafeMutableRawBufferPointer(rebasing: room[(3 * row * newWidth)...])
                    Self.average(sums, width: width, to: newWidth, area: width * height, into: place)
                }
            }
        }
    }

    /// Averages one row of sums along itself, in units of 1 / `newWidth`.
    private static func average(
        _ sums: [UInt32], width: Int, to newWidth: Int, area: Int, into place: UnsafeMutableRawBufferPointer
    ) {
        for column in 0..<newWidth {
            let (left, right) = (column * width, (column + 1) * width)
            var (red, green, blue) = (area / 2, area / 2, area / 2)
            for pixel in (left / newWidth)..<((right + newWidth - 1) / newWidth) {
                let share = min(right, (pixel + 1) * newWidth) - max(left, pixel * newWidth)
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
