import Photos

/// What a picker offers, and how much of it may be chosen.
public struct PickerConfiguration: Sendable {
    /// How chosen photos are to be given. The numbers are Apple's.
    public enum AssetRepresentationMode: Int, Hashable, Sendable {
        /// As the camera thinks best, which is as they are.
        case automatic = 0
        /// The stored files, without conversion.
        case current = 1
        /// As JPEG where the photo has one, else as they are.
        case compatible = 2
    }

    /// How choosing goes. The numbers are Apple's.
    public enum Selection: Int, Hashable, Sendable {
        /// Results come once, at the end.
        case `default` = 0
        /// The front shows the place of each photo in the order of choosing.
        case ordered = 1
        /// Results come with each change of the selection, and once more at the end.
        case continuous = 2
        /// The order of picking counts, and each change is reported at once.
        case continuousAndOrdered = 3
    }

    /// The most photos that the camera lets one picker choose.
    public static let greatestSelection = 10_000

    /// Which photos are offered; all when nil.
    public var filter: PickerFilter?
    /// How many may be chosen at most; 0 stands for as many as the camera allows.
    public var selectionLimit = 1
    /// Whether the order of picking counts, and when the choice is reported.
    public var selection = Selection.default
    /// Photos that are chosen from the start. They need a library and a limit other than 1.
    public var preselectedAssetIdentifiers: [String] = []
    /// How chosen photos are to be given.
    public var preferredAssetRepresentationMode = AssetRepresentationMode.automatic

    /// The library whose identifiers the results carry.
    package let library: PhotoLibrary?

    /// One photograph, without identifiers.
    public init() {
        library = nil
    }

    /// One photograph, with identifiers for a client that has the library as well.
    public init(photoLibrary: PhotoLibrary) {
        library = photoLibrary
    }

    /// How many may be chosen.
    var effectiveLimit: Int {
        selectionLimit == 0 ? Self.greatestSelection : min(selectionLimit, Self.greatestSelection)
    }

    /// The front shows the places of chosen photos.
    var isOrdered: Bool { selection == .ordered || selection == .continuousAndOrdered }

    /// Results come with each change.
    var isContinuous: Bool { selection == .continuous || selection == .continuousAndOrdered }

    /// The photos chosen from the start, each once.
    var preselection: [String] {
        var seen: Set<String> = []
        return preselectedAssetIdentifiers.filter { seen.insert($0).inserted }
    }

    /// Refuses a configuration that makes no sense.
    func validate() throws(PickerError) {
        guard selectionLimit >= 0 else { throw .init(.invalidUsage, "The selection limit is negative.") }
        let preselection = preselection
        guard !preselection.isEmpty else { return }
        guard library != nil else {
            throw .init(.invalidUsage, "Preselected photos need a configuration with a photo library.")
        }
        guard selectionLimit != 1 else {
            throw .init(.invalidUsage, "Preselected photos need a selection limit other than 1.")
        }
        guard preselection.count <= effectiveLimit else {
            throw .init(.invalidUsage, "More photos are preselected than can be picked (\(effectiveLimit)).")
        }
    }
}
