import Photos

/// Which photos a picker offers.
public struct PickerFilter: Hashable, Sendable {
    /// The same filter as the library knows it.
    package let fetchFilter: FetchOptions.Filter

    /// All photos, with raw data or without it.
    public static let images = PickerFilter(fetchFilter: .images)
    /// Photographs with raw data.
    public static let raw = PickerFilter(fetchFilter: .raw)
    /// Photos that belong to a burst.
    public static let bursts = PickerFilter(fetchFilter: .bursts)
    /// Photographs that a person marked.
    public static let favorites = PickerFilter(fetchFilter: .favorites)
    /// Photographs of series of timed photos.
    public static let timelapse = PickerFilter(fetchFilter: .timelapse)

    /// What at least one of the filters offers; nothing when there is no filter.
    public static func any(of filters: [PickerFilter]) -> PickerFilter {
        PickerFilter(fetchFilter: .any(filters.map(\.fetchFilter)))
    }

    /// What every one of the filters offers; everything when there is no filter.
    public static func all(of filters: [PickerFilter]) -> PickerFilter {
        PickerFilter(fetchFilter: .all(filters.map(\.fetchFilter)))
    }

    /// What the filter does not offer.
    public static func not(_ filter: PickerFilter) -> PickerFilter {
        PickerFilter(fetchFilter: .not(filter.fetchFilter))
    }

    /// A filter of the library's own language.
    package init(fetchFilter: FetchOptions.Filter) {
        self.fetchFilter = fetchFilter
    }
}
