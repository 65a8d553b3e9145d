import FoundationEssentials
import Platform

extension PhotoImage {
    /// How near the size of a picture comes to the one asked for.
    package enum Exactness: Sendable {
        /// What the inverse transform gives: at least the size asked for, at little cost.
        case atLeast
        /// The size asked for, each pixel the average of those it stands for.
        case exact
    }

    /// Reads a JPEG file, made smaller for a target and turned upright. The bytes may be anything.
    ///
    /// A picture is neither enlarged nor cut: it keeps its shape.
    /// - Parameter targetSize: in pixels as shown, so after turning.
    /// - Throws: `.invalidFile` naming the fault, `.tooLarge`, `.outOfMemory`.
    /// - Blocking: for the whole decompression.
    public static func read(
        _ data: Data, targetSize: PixelSize = .maximum, contentMode: ImageContentMode = .aspectFit
    ) throws(ImagingError) -> PhotoImage {
        try data.withBytes { (bytes) throws(ImagingError) in
            try read(bytes, targetSize: targetSize, contentMode: contentMode, exactness: .exact)
        }
    }

    /// Reads a JPEG file as `read(_:targetSize:contentMode:)` does.
    package static func read(
        _ file: UnsafeRawBufferPointer, targetSize: PixelSize, contentMode: ImageContentMode, exactness: Exactness,
        pixelLimit: Int = PhotoFileReader.pixelLimit
    ) throws(ImagingError) -> PhotoImage {
        let orientation = Orientation(try exif(of: file, JPEGStructure(file))?.short(.primary, Tag.orientation))
        let target = orientation.isTurned ? targetSize.turned : targetSize
        var wanted = PixelSize(width: 0, height: 0)
        let (decoded, extent) = try JPEGDecoder.decodeRGB(file, pixelLimit: pixelLimit) { stored in
            wanted = stored.scaled(for: target, contentMode)
            // Averaging at least two pixels each way hides the inverse transform's own way of making them.
            return exactness == .exact ? PixelSize(width: 2 * wanted.width, height: 2 * wanted.height) : wanted
        }
        let sized = exactness == .exact ? try decoded.averaged(to: wanted, extent: extent) : decoded
        return try sized.upright(orientation)
    }

    /// The small picture in a file's Exif, upright, without the bars that fill it up to 4:3.
    ///
    /// - Parameter head: the file's beginning, up to the first scan at least.
    /// - Returns: nil when there is none that can be read.
    /// - Blocking: for a small decompression.
    package static func thumbnail(in head: UnsafeRawBufferPointer) -> (image: PhotoImage, full: PixelSize)? {
        do throws(ImagingError) {
            let structure = try JPEGStructure(head)
            guard let exif = try exif(of: head, structure), let thumbnail = exif.thumbnail else { return nil }
            let orientation = Orientation(exif.short(.primary, Tag.orientation))
            let small = try thumbnail.withBytes { (bytes) throws(ImagingError) in
                try JPEGDecoder.decodeRGB(bytes, pixelLimit: 1 << 20) { $0 }.image
            }
            let bare = try small.withoutBars(shape: PixelSize(width: structure.width, height: structure.height))
            let full = PixelSize(width: structure.width, height: structure.height)
            return (try bare.upright(orientation), orientation.isTurned ? full.turned : full)
        } catch {
            return nil
        }
    }

    private static func exif(
        of file: UnsafeRawBufferPointer, _ structure: JPEGStructure
    ) throws(ImagingError) -> ExifTree? {
        guard let content = structure.exifContent(in: file) else { return nil }
        return try ExifTree(segment: UnsafeRawBufferPointer(rebasing: file[content]))
    }

    /// The part of a DCF thumbnail that shows the picture (DCF 2.0, 3.3.2); others are taken whole.
    private func withoutBars(shape: PixelSize) throws(ImagingError) -> PhotoImage {
        guard width == Thumbnail.layout.width, height == Thumbnail.layout.height else { return self }
        let shown = Thumbnail.fit(width: shape.width, height: shape.height)
        return try part(left: (width - shown.width) / 4 * 2, top: (height - shown.height) / 4 * 2, shown)
    }

    private func part(left: Int, top: Int, _ size: (width: Int, height: Int)) throws(ImagingError) -> PhotoImage {
        guard size.width < width || size.height < height else { return self }
        return try withUnsafeBytes { (source) throws(ImagingError) in
            try PhotoImage(width: size.width, height: size.height) { (room) throws(ImagingError) in
                for row in 0..<size.height {
                    let start = (top + row) * bytesPerRow + 3 * left
                    UnsafeMutableRawBufferPointer(rebasing: room[(3 * row * size.width)...])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<(start + 3 * size.width)]))
                }
            }
        }
    }
}
