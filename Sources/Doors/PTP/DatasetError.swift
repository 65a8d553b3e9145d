/// Why bytes from outside are no dataset.
package enum DatasetError: Error, Hashable, Sendable {
    /// They end before the dataset does.
    case truncated
    /// A text has no terminator, one in its middle, or half a surrogate pair.
    case malformedText
}
