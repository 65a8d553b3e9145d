/// A picked photo, and the right to load it.
public struct PickerResult: Hashable, Sendable {
    /// Gives the photo. It is empty for a photo that was chosen from the start: its client has it.
    public let itemProvider: ItemProvider
    /// The photo's identifier in the library that the configuration was made with; nil without one.
    public let assetIdentifier: String?

    /// Two results are the same when they are the same choice.
    public static func == (a: PickerResult, b: PickerResult) -> Bool {
        a.itemProvider === b.itemProvider && a.assetIdentifier == b.assetIdentifier
    }

    /// Results are equal when they stand for the same choice.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(itemProvider))
    }
}
