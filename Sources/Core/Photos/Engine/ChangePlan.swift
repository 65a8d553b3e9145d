/// What one change block comes to, with everything it names found.
struct ChangePlan {
    /// Assets to be written.
    var creations: [NewAsset] = []
    /// Assets as they are to be said from now on.
    var edits: [AssetRecord] = []
    /// Assets that go to Recently Deleted.
    var deletions: [AssetRecord] = []
    /// What becomes of albums.
    var albums: [AlbumChange] = []
    /// The selection that the creations become part of.
    var selection: AssetIdentifier?

    /// True when the files of new assets, found by a start after a power cut, would not describe the whole block.
    var saysMoreThanFiles: Bool {
        !creations.isEmpty
            && (!edits.isEmpty || !deletions.isEmpty || !albums.isEmpty || selection != nil
                || creations.contains { $0.isFavorite })
    }
}

extension LibraryEngine {
    /// Finds what a block names and checks that its client may do what it asks. Nothing is changed.
    func plan(_ set: ChangeSet, for client: Client) throws(PhotosError) -> ChangePlan {
        let rights = authority.rights(of: client)
        var plan = ChangePlan()
        for change in set.changes {
            switch change {
            case .create(let asset):
                guard rights.mayAdd else { throw .denied(client.name, "add photos") }
                plan.creations.append(asset)
            case .edit(let identifier, let edit):
                guard rights.mayRead else { throw .denied(client.name, "change photos") }
                let record = try listedAsset(identifier, rights.visibility)
                let earlier = plan.edits.firstIndex { $0.number == record.number }
                let edited = edit.applied(to: earlier.map { plan.edits[$0] } ?? record)
                if let earlier { plan.edits[earlier] = edited } else { plan.edits.append(edited) }
            case .delete(let identifier):
                guard rights.mayRead else { throw .denied(client.name, "delete photos") }
                let record = try listedAsset(identifier, rights.visibility)
                if !plan.deletions.contains(where: { $0.number == record.number }) { plan.deletions.append(record) }
            case .createAlbum, .editAlbum, .deleteAlbum: break
            }
        }
        plan.albums = try planAlbums(set.changes, created: plan.creations, for: client)
        if !plan.creations.isEmpty, rights.isLimited, let selection = try selectionToChange(of: client) {
            try requirePositions(plan.creations.count, in: selection)
            plan.selection = selection
        }
        return plan
    }

    /// How many assets a block deletes that its client may delete. Nothing is changed.
    func deletions(of set: ChangeSet, for client: Client) throws(PhotosError) -> Int {
        let deletes = set.changes.contains { if case .delete = $0 { true } else { false } }
        guard set.usageError == nil, deletes else { return 0 }
        return try plan(set, for: client).deletions.count
    }

    private func listedAsset(
        _ name: String, _ visibility: Rights.Visibility
    ) throws(PhotosError) -> AssetRecord {
        let found = try storage.read { catalog throws(SQLiteError) in try catalog.find(name, visibility) }
        guard let record = found, record.status == .listed else { throw .noSuchPhoto(name) }
        return record
    }
}
