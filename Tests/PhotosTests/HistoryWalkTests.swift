import Testing

@testable import Photos

@Suite("Walking back through the history")
struct HistoryWalkTests {
    private let asset = AssetIdentifier()
    private let selection = AssetIdentifier()

    private func rows(_ blocks: [[HistoryRow.Kind]]) -> [HistoryRow] {
        var rows: [HistoryRow] = []
        for (block, kinds) in blocks.enumerated() {
            for kind in kinds {
                rows.append(
                    HistoryRow(
                        row: Int64(rows.count + 1), block: Int64(block), kind: kind, identifier: asset,
                        selection: kind == .joined || kind == .left ? selection : nil))
            }
        }
        return rows
    }

    /// i, u or d for each block the client saw something of.
    private func seen(_ blocks: [[HistoryRow.Kind]], listed: Bool, member: Bool? = nil) -> String {
        var walk = HistoryWalk(selection: member == nil ? nil : selection)
        walk.setAsset(asset, .init(isListed: listed, isMember: member ?? true))
        return walk.changes(rows(blocks)).map { block in
            let details = block.assets
            return (details.insertedLocalIdentifiers.isEmpty ? "" : "i")
                + (details.updatedLocalIdentifiers.isEmpty ? "" : "u")
                + (details.deletedLocalIdentifiers.isEmpty ? "" : "d")
        }.joined(separator: " ")
    }

    @Test("each block is derived from what was there before and after it")
    func blocks() {
        #expect(
            seen([[.assetInserted], [.assetUpdated], [.assetDeleted], [.assetInserted]], listed: true) == "i u d i")
        #expect(seen([[.assetInserted, .assetUpdated]], listed: true) == "i")
        #expect(seen([[.assetUpdated, .assetDeleted]], listed: false) == "d")
        #expect(seen([[.assetInserted, .assetDeleted]], listed: false) == "")
    }

    @Test("a limited client receives what was in its selection at that time")
    func limited() {
        // Added, chosen, changed, taken out of the selection, changed again.
        let script: [[HistoryRow.Kind]] = [[.assetInserted], [.joined], [.assetUpdated], [.left], [.assetUpdated]]
        #expect(seen(script, listed: true, member: false) == "i u d")
        #expect(seen(script, listed: true) == "i u u")
        #expect(seen([[.assetInserted, .joined]], listed: true, member: true) == "i")
        #expect(seen([[.assetUpdated]], listed: true, member: false) == "")
    }

    @Test("what is deleted disappears once, although it leaves the selection only when it is purged")
    func purged() {
        #expect(seen([[.joined], [.assetDeleted], [.left]], listed: false, member: false) == "i d")
    }

    @Test("only clients that see everything receive albums")
    func albums() {
        let script = rows([[.albumInserted, .albumUpdated], [.albumUpdated], [.albumDeleted]])
        var walk = HistoryWalk(selection: nil)
        walk.setAlbum(asset, false)
        let blocks = walk.changes(script)
        #expect(blocks.map(\.albums.insertedLocalIdentifiers.count) == [1, 0, 0])
        #expect(blocks.map(\.albums.updatedLocalIdentifiers.count) == [0, 1, 0])
        #expect(blocks.map(\.albums.deletedLocalIdentifiers.count) == [0, 0, 1])
        var limited = HistoryWalk(selection: selection)
        #expect(limited.changes(script).isEmpty)
    }
}
