/// What a change block makes of one album.
struct AlbumChange: Sendable {
    let identifier: AssetIdentifier
    /// Nil when it does not exist.
    let before: AlbumContents?
    /// Nil when it exists no more.
    var after: AlbumContents?
}

extension LibraryEngine {
    /// Works out what a block makes of albums. Nothing is changed.
    ///
    /// - Parameter created: assets that the same block creates.
    func planAlbums(
        _ changes: [Change], created: [NewAsset], for client: Client
    ) throws(PhotosError) -> [AlbumChange] {
        let seesEverything = authority.rights(of: client).seesEverything
        let created = Set(created.map(\.identifier))
        var albums: [AlbumChange] = []
        for change in changes {
            let name: String
            switch change {
            case .create, .edit, .delete: continue
            case .createAlbum(let identifier, _): name = identifier.description
            case .editAlbum(let identifier, _), .deleteAlbum(let identifier): name = identifier
            }
            guard seesEverything else { throw .denied(client.name, "change albums") }
            guard !AssetCollection.smartAlbums.contains(where: { $0.localIdentifier == name }) else {
                throw PhotosError(
                    .changeNotSupported, "The album \(name) is filled automatically and cannot be changed.")
            }
            guard let identifier = AssetIdentifier(name) else { throw .noSuchAlbum(name) }
            if !albums.contains(where: { $0.identifier == identifier }) {
                let before = try storage.read { catalog throws(SQLiteError) in try catalog.albums.find(identifier) }
                albums.append(AlbumChange(identifier: identifier, before: before, after: before))
            }
            guard let index = albums.firstIndex(where: { $0.identifier == identifier }) else { continue }
            try apply(change, to: &albums[index], name, created)
        }
        return albums
    }

    private func apply(
        _ change: Change, to album: inout AlbumChange, _ name: String, _ created: Set<AssetIdentifier>
    ) throws(PhotosError) {
        if case .createAlbum(_, let title) = change {
            guard album.before == nil, album.after == nil else {
                throw PhotosError(.changeNotSupported, "There is already an album \(name).")
            }
            album.after = AlbumContents(title: title, created: context.now.unixNanoseconds)
            return
        }
        guard var contents = album.after else { throw .noSuchAlbum(name) }
        guard case .editAlbum(_, let edits) = change else {
            album.after = nil
            return
        }
        for edit in edits {
            try contents.apply(edit) { (asset) throws(PhotosError) in
                if let identifier = AssetIdentifier(asset), created.contains(identifier) { return identifier }
                guard let record = try find(asset), record.status == .listed else { throw .noSuchPhoto(asset) }
                return record.identifier
            }
        }
        album.after = contents
    }
}
