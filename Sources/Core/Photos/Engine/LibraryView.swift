/// The library as a folder of files, as far as a client sees it; what shares and handles are made of.
///
/// It is made of a fetch on the client's behalf, so that it cannot show anything else.
package struct LibraryView: Hashable, Sendable {
    /// One file.
    package struct Entry: Hashable, Sendable {
        /// Its name for the client: `100PINHL/PINH0001.JPG`.
        package let name: String
        /// Where the file is.
        package let path: String
        /// Its size and type.
        package let resource: AssetResource
        /// The asset it belongs to.
        package let asset: Asset
    }

    /// The files, in order of their names.
    package let entries: [Entry]

    /// A view of assets as they were fetched for a client.
    init(_ assets: [Asset]) {
        entries =
            assets.flatMap { asset in
                asset.resources.map { Entry(name: $0.name, path: $0.path, resource: $0, asset: asset) }
            }
            .sorted { $0.name < $1.name }
    }

    /// The file with a name.
    package func entry(_ name: String) -> Entry? {
        var low = entries.startIndex
        var high = entries.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low < entries.endIndex && entries[low].name == name ? entries[low] : nil
    }
}
