/// One block of changes, as the client saw it.
public struct PersistentChange: Hashable, Sendable {
    /// Where the history stands after it.
    public let changeToken: PersistentChangeToken
    /// What happened to assets.
    public let assets: PersistentObjectChangeDetails
    /// What happened to albums that people made.
    public let collections: PersistentObjectChangeDetails
}

/// What happened to objects of one kind. An object is named once.
public struct PersistentObjectChangeDetails: Hashable, Sendable {
    /// Objects that appeared: created, found, restored, or now to be seen by the client.
    public private(set) var insertedLocalIdentifiers: Set<String> = []
    /// Objects that were changed.
    public private(set) var updatedLocalIdentifiers: Set<String> = []
    /// Objects that disappeared: deleted, missing, or no longer to be seen by the client.
    public private(set) var deletedLocalIdentifiers: Set<String> = []

    /// True when nothing happened.
    public var isEmpty: Bool {
        insertedLocalIdentifiers.isEmpty && updatedLocalIdentifiers.isEmpty && deletedLocalIdentifiers.isEmpty
    }

    /// Adds an object by whether it was there before and after.
    mutating func add(_ identifier: AssetIdentifier, before: Bool, after: Bool) {
        switch (before, after) {
        case (false, true): insertedLocalIdentifiers.insert(identifier.description)
        case (true, true): updatedLocalIdentifiers.insert(identifier.description)
        case (true, false): deletedLocalIdentifiers.insert(identifier.description)
        case (false, false): break
        }
    }
}
