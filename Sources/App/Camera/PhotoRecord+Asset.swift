import Configuration
import Console
import Panel
import Photos
import Platform

// The records of assets and settings.
extension PhotoRecord {
    /// The record of an asset.
    init(_ asset: Asset) {
        self.init(
            id: asset.localIdentifier, number: asset.number, name: asset.name, path: asset.path, bytes: asset.bytes,
            width: asset.pixelWidth, height: asset.pixelHeight, captured: asset.captured.rfc3339,
            clockTrusted: asset.captured.isTrusted, favorite: asset.isFavorite, burst: asset.burstIdentifier,
            resources: asset.resources.map { Resource(type: $0.type.name, name: $0.name, bytes: $0.bytes) },
            lagUs: asset.lag, durableMs: asset.durable.map(Double.init))
    }
}

extension TrashRecord {
    /// The record of an asset in Recently Deleted.
    init(_ asset: Asset) {
        self.init(
            id: asset.localIdentifier, number: asset.number, bytes: asset.bytes,
            deleted: asset.trashed?.rfc3339 ?? asset.captured.rfc3339)
    }
}

extension FetchOptions.Filter {
    /// The filter that was typed.
    init(_ filter: PhotoFilter, zone: (_ unixSeconds: Int64) -> Int) {
        switch filter {
        case .images: self = .images
        case .favorites: self = .favorites
        case .bursts: self = .bursts
        case .raw: self = .raw
        case .timelapse: self = .timelapse
        case .since(let time): self = .since(time.wallTime(zone: zone))
        case .not(let filter): self = .not(Self(filter, zone: zone))
        case .any(let filters): self = .any(filters.map { Self($0, zone: zone) })
        case .all(let filters): self = .all(filters.map { Self($0, zone: zone) })
        }
    }
}
