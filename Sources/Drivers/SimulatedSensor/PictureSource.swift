import Platform

/// Where the pictures of the frames come from.
package protocol PictureSource: Sendable {
    /// The picture to show when a stream has run for `elapsed`; the same number means the same picture.
    ///
    /// - Isolation: called on the sensor's thread; returns at once.
    func picture(at elapsed: Duration) throws(ReplayError) -> (number: Int, picture: PictureMemory)
}

/// Why photographs cannot be shown: one sentence for a person.
package struct ReplayError: Error, Hashable, Sendable {
    package let sentence: String
}
