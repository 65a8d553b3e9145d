import Photos
import Platform
import Synchronization

/// The table of the objects that the client sees.
extension LibraryObjectStore {
    private static let pageLimit = 1000

    package func objects() throws(OffloadError) -> ObjectTable {
        let rights = library.rights(of: client)
        let known = state.withLock { state in
            state.isListed = true
            return state.table(for: rights)
        }
        if let known { return known }
        return try keeping.withLock { _ throws(OffloadError) in try loaded().table }
    }

    /// The table for the client's permissions now, loaded if necessary. The caller holds `keeping`.
    private func loaded() throws(OffloadError) -> (table: ObjectTable, isNew: Bool) {
        // A client whose rights keep changing has to request it again.
        for _ in 0..<3 {
            let rights = library.rights(of: client)
            if let known = state.withLock({ $0.table(for: rights) }) { return (known, false) }
            guard let files = try files(nil, rights) else { continue }
            let table = ObjectTable(files: files)
            state.withLock { state in (state.table, state.rights) = (table, rights) }
            return (table, true)
        }
        throw .busy
    }

    /// The files that the client sees with certain rights; nil when its rights have changed.
    ///
    /// - Parameter filter: the assets to include; all when nil.
    private func files(_ filter: FetchOptions.Filter?, _ rights: Rights) throws(OffloadError) -> [StoredObject]? {
        try wait { [self] () async throws(PhotosError) -> [StoredObject]? in
            var options = FetchOptions()
            options.filter = filter
            options.order = .oldestFirst
            options.fetchLimit = Self.pageLimit
            var files: [StoredObject] = []
            repeat {
                guard let page = try await view.fetchAssets(with: options, having: rights) else { return nil }
                // Read after the page, because the handle of an upload is set before its asset appears.
                let uploads = state.withLock { $0.uploads }
                for asset in page {
                    files += StoredObject.files(
                        of: asset,
                        alias: uploads.isEmpty ? nil : AssetIdentifier(asset.localIdentifier).flatMap { uploads[$0] })
                }
                options.cursor = page.next
            } while options.cursor != nil
            return files
        }
    }

    /// Updates the table with a change, and returns the changes to report.
    ///
    /// Assets are fetched in their present state, which may be newer than the change; later changes then do nothing.
    /// - Parameter change: nil when the library cannot name what changed.
    func update(_ change: PersistentChange?) -> [StoreChange] {
        keeping.withLock { _ in
            guard let change else { return forget() }
            let rights = library.rights(of: client)
            guard rights.mayRead else {
                state.withLock { $0.table = nil }
                return []
            }
            do throws(OffloadError) {
                let (table, isNew) = try loaded()
                return isNew ? news(of: change, in: table) : try update(table, change, rights) ?? forget()
            } catch {
                return forget()
            }
        }
    }

    /// The changes to report for a table that was just loaded: only new objects, because the client may know
    /// the others.
    private func news(of change: PersistentChange, in table: ObjectTable) -> [StoreChange] {
        let inserted = Set(change.assets.insertedLocalIdentifiers.compactMap { AssetIdentifier($0) })
        var added: [StoredObject] = []
        var known: Set<UInt32> = []
        for object in table.objects {
            guard let asset = object.asset else { continue }
            if inserted.contains(asset) { added.append(object) } else { known.insert(object.parent) }
        }
        // New folders are reported too.
        let folders = Set(added.map(\.parent)).subtracting(known).sorted()
        return changes(added: folders + added.map(\.handle))
    }

    private func update(
        _ old: ObjectTable, _ change: PersistentChange, _ rights: Rights
    ) throws(OffloadError) -> [StoreChange]? {
        let details = change.assets
        let names = details.insertedLocalIdentifiers.union(details.updatedLocalIdentifiers)
            .union(details.deletedLocalIdentifiers)
        guard let files = try files(.identifiers(Array(names)), rights) else { return nil }
        var table = old
        // Files with unchanged handles need no search. A client that sees everything knows an asset by one number
        // forever; a selection numbers it again each time that it joins.
        let mayMove = rights.seesEverything ? details.deletedLocalIdentifiers : names
        var moved = Set(mayMove.compactMap { AssetIdentifier($0) })
        for file in files where table[file.handle]?.kind == file.kind { file.asset.map { _ = moved.remove($0) } }
        var gone: Set<UInt32> = []
        if !moved.isEmpty {
            for object in old.objects where object.asset.map({ moved.contains($0) }) ?? false {
                gone.insert(object.handle)
            }
            gone.subtract(files.map(\.handle))
        }
        let changed = files.filter { file in old[file.handle].map { $0.kind == file.kind && $0 != file } ?? false }
        // Inserted first, so that a folder that is still needed stays.
        let added = table.insert(files)
        let removed = table.remove(Array(gone))
        state.withLock { $0.table = table }
        return changes(removed: removed, added: added, changed: changed.map(\.handle))
    }

    private func changes(removed: [UInt32] = [], added: [UInt32], changed: [UInt32] = []) -> [StoreChange] {
        // The client knows of the photos that it uploaded.
        let news = added.filter { $0 < ObjectHandle.firstUpload }
        return (removed.isEmpty ? [] : [.removed(removed)]) + (news.isEmpty ? [] : [.added(news)])
            + (changed.isEmpty ? [] : [.changed(changed)])
    }

    /// Discards the table, and reports that once until the client lists again.
    private func forget() -> [StoreChange] {
        state.withLock { state in
            defer { state.isListed = false }
            state.table = nil
            return state.isListed ? [.replaced] : []
        }
    }

    // MARK: Uploads

    /// Sets the handle of a new photo for the rest of the session; nil removes it.
    func setHandle(_ handle: UInt32?, ofUpload asset: AssetIdentifier) {
        state.withLock { $0.uploads[asset] = handle }
    }
}

extension LibraryObjectStore.State {
    /// The table, if it was loaded with these rights.
    func table(for rights: Rights) -> ObjectTable? {
        guard rights.mayRead else { return ObjectTable() }
        return self.rights == rights ? table : nil
    }
}
