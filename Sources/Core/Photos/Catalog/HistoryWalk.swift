/// Goes back through the history from the present, and gives block by block the changes that a client saw.
///
/// A limited client receives what was in its selection at that time: what joins appears, what leaves disappears.
struct HistoryWalk {
    /// Where an asset stands at one moment.
    struct Presence: Hashable {
        var isListed: Bool
        /// In the client's selection; always true for clients that see everything.
        var isMember: Bool

        var isVisible: Bool { isListed && isMember }
    }

    /// What one block did, as the client saw it.
    struct Block: Hashable {
        var lastRow: Int64
        var assets = PersistentObjectChangeDetails()
        var albums = PersistentObjectChangeDetails()
    }

    /// The selection of a limited client.
    let selection: AssetIdentifier?
    private var assets: [AssetIdentifier: Presence] = [:]
    private var albums: [AssetIdentifier: Bool] = [:]

    init(selection: AssetIdentifier?) {
        self.selection = selection
    }

    /// Says where an asset stands now.
    mutating func setAsset(_ identifier: AssetIdentifier, _ presence: Presence) {
        assets[identifier] = presence
    }

    /// Says whether an album exists now.
    mutating func setAlbum(_ identifier: AssetIdentifier, _ exists: Bool) {
        albums[identifier] = exists
    }

    /// What happened in rows that lead up to now, in their order. Blocks of which the client saw nothing are left out.
    mutating func changes(_ rows: [HistoryRow]) -> [Block] {
        var found: [Block] = []
        var end = rows.endIndex
        while end > rows.startIndex {
            var start = end - 1
            while start > rows.startIndex, rows[start - 1].block == rows[start].block { start -= 1 }
            let block = goBack(over: rows[start..<end])
            if !block.assets.isEmpty || !block.albums.isEmpty { found.append(block) }
            end = start
        }
        return found.reversed()
    }

    private mutating func goBack(over rows: ArraySlice<HistoryRow>) -> Block {
        var block = Block(lastRow: rows.last?.row ?? 0)
        var assetsAfter: [AssetIdentifier: Bool] = [:]
        var albumsAfter: [AssetIdentifier: Bool] = [:]
        for row in rows.reversed() {
            if row.kind.isOfAlbum {
                guard selection == nil else { continue }
                if albumsAfter[row.identifier] == nil { albumsAfter[row.identifier] = albums[row.identifier] ?? false }
                if row.kind == .albumInserted { albums[row.identifier] = false }
                if row.kind == .albumDeleted { albums[row.identifier] = true }
                continue
            }
            if row.selection != nil && row.selection != selection { continue }
            var presence = assets[row.identifier] ?? Presence(isListed: false, isMember: selection == nil)
            if assetsAfter[row.identifier] == nil { assetsAfter[row.identifier] = presence.isVisible }
            switch row.kind {
            case .assetInserted: presence.isListed = false
            case .assetDeleted: presence.isListed = true
            case .joined: presence.isMember = false
            case .left: presence.isMember = true
            case .assetUpdated, .albumInserted, .albumUpdated, .albumDeleted: break
            }
            assets[row.identifier] = presence
        }
        for (identifier, after) in assetsAfter {
            block.assets.add(identifier, before: assets[identifier]?.isVisible ?? false, after: after)
        }
        for (identifier, after) in albumsAfter {
            block.albums.add(identifier, before: albums[identifier] ?? false, after: after)
        }
        return block
    }
}
