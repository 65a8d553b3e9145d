/// A photo that can be picked: a row of `pick`.
package struct ChoiceRecord: Codable, Hashable, Sendable {
    /// The number to type for it, from 1.
    package var choice: Int
    /// Its place among the picked photos, from 1; null while it is not picked.
    @Nullable package var position: Int?
    /// The photo.
    package var photo: PhotoRecord

    /// A row from its parts.
    package init(choice: Int, position: Int?, photo: PhotoRecord) {
        self.choice = choice
        self.position = position
        self.photo = photo
    }
}
