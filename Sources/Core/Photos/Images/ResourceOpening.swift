/// Finds the files of assets, as far as one client may see them.
protocol ResourceOpening: Sendable {
    /// Where the file of a resource is now.
    ///
    /// Checked again for each request, so that a photo that is deleted or no longer visible to the client is refused.
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

    /// A resource as it is now, if this client can see it; looked up again for each opening.
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
