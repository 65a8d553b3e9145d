/// Finds the files of assets, as far as one client may see them.
protocol ResourceOpening: Sendable {
    /// Where the file of a resource is now.
    ///
    /// Asked anew for each request, so that what a client may no longer see, or what was deleted, is refused.
    /// - Parameters:
    ///   - identifier: the asset's local identifier.
    ///   - position: the resource's place in `Asset.resources`.
    /// - Throws: `.identifierNotFound`, `.missingResource`, `.accessUserDenied`, and what fetching throws.
    func path(of identifier: String, resource position: Int) async throws(PhotosError) -> String
}

extension PhotoLibrary: ResourceOpening {
    func path(of identifier: String, resource position: Int) async throws(PhotosError) -> String {
        try await resource(position, of: identifier).path
    }

    /// A resource as it is now, as far as this client may see it; asked anew for each opening.
    package func resource(
        _ position: Int, of identifier: String
    ) async throws(PhotosError) -> AssetResource {
        guard let asset = try await asset(identifier), asset.trashed == nil else { throw .noSuchPhoto(identifier) }
        guard asset.resources.indices.contains(position) else {
            throw PhotosError(.missingResource, "The photo \(identifier) has no such file; fetch it again.")
        }
        return asset.resources[position]
    }
}
