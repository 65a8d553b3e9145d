/// The objects of a store at one moment, in order of their handles, parents before children.
package struct ObjectTable: Sendable {
    /// All of them.
    package private(set) var objects: [StoredObject] = []

    /// A table without objects.
    package init() {}
}
