/// One step of a change of an album. Assets are named by their identifiers, places by indexes of the assets it shows.
package enum AlbumEdit: Sendable {
    /// Gives it a title.
    case title(String)
    /// Puts assets at its end. Those it has stay where they are.
    case add([String])
    /// Puts assets in, each at its index, from the lowest index up.
    case insert([String], at: [Int])
    /// Removes these assets from the album; they stay in the library.
    case remove([String])
    /// Takes out what is at the indexes.
    case removeAt([Int])
    /// Puts assets in the places of others.
    case replace(at: [Int], with: [String])
    /// Moves what is at the indexes to a place that counts without them.
    case move(at: [Int], to: Int)
}
