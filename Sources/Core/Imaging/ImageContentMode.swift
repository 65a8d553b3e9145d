/// How a picture's shape meets a target of another shape. The picture keeps its shape and all of its content.
public enum ImageContentMode: Int, Hashable, Sendable {
    /// As large as it can be inside the target.
    case aspectFit = 0
    /// As small as it can be while it covers the target; it reaches beyond it on one side.
    case aspectFill = 1
}
