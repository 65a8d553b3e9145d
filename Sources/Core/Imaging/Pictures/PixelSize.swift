/// A size in pixels.
public struct PixelSize: Hashable, Sendable {
    /// Width in pixels; in a target, one below 1 counts as 1.
    public var width: Int
    /// Height in pixels; in a target, one below 1 counts as 1.
    public var height: Int

    /// Larger than any picture: asks for all of its pixels.
    public static let maximum = PixelSize(width: .max, height: .max)

    /// A size in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// This picture's size after it has been made smaller for a target; a picture is never enlarged, nor cut.
    ///
    /// A side of the target below one counts as one.
    package func scaled(for target: PixelSize, _ contentMode: ImageContentMode) -> PixelSize {
        guard width > 0, height > 0 else { return self }
        let across = Double(max(target.width, 1)) / Double(width)
        let down = Double(max(target.height, 1)) / Double(height)
        let scale = contentMode == .aspectFit ? min(across, down) : max(across, down)
        guard scale < 1 else { return self }
        func length(_ length: Int) -> Int { max(Int((Double(length) * scale).rounded()), 1) }
        return PixelSize(width: length(width), height: length(height))
    }

    /// Width and height exchanged.
    var turned: PixelSize { PixelSize(width: height, height: width) }
}

/// How a picture's shape meets a target of another shape. The picture keeps its shape and all of its content.
public enum ImageContentMode: Int, Hashable, Sendable {
    /// As large as it can be inside the target.
    case aspectFit = 0
    /// As small as it can be while it covers the target; it reaches beyond it on one side.
    case aspectFill = 1
}
