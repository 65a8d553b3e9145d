/// What one change block comes to, with everything it names found.
struct ChangePlan {
    /// Assets to be written.
    var creations: [NewAsset] = []
    /// Assets as they are to be said from now on.
    var edits: [AssetRecord] = []
    /// Assets that go to Recently Deleted.
    var deletions: [AssetRecord] = []
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
                let record = try listedAsset(identifier)
                let earlier = plan.edits.firstIndex { $0.number == record.number }
                let edited = edit.applied(to: earlier.map { plan.edits[$0] } ?? record)
                if let earlier { plan.edits[earlier] = edited } else { plan.edits.append(edited) }
            case .delete(let identifier):
                guard rights.mayRead else { throw .denied(client.name, "delete photos") }
                let record = try listedAsset(identifier)
                if !plan.deletions.contains(where: { $0.number == record.number }) { plan.deletions.append(record) }
            }
        }
        return plan
    }

    private func listedAsset(_ name: String) throws(PhotosError) -> AssetRecord {
        guard let record = try find(name), record.status == .listed else { throw .noSuchPhoto(name) }
        return record
    }
}
