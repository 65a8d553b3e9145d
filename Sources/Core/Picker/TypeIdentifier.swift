import Photos

/// Uniform type identifiers as far as photographs need them. Names and kinship are Apple's (System-Declared Uniform Type
/// Identifiers).
enum TypeIdentifier {
    /// The type of JPEG files.
    static let jpeg = "public.jpeg"
    /// Bytes of any kind.
    static let data = "public.data"

    private static let parents = [
        "public.jpeg": "public.image", "public.tiff": "public.image", "public.png": "public.image",
        "public.heic": "public.heif-standard", "public.heif-standard": "public.image",
        "com.adobe.raw-image": "public.camera-raw-image", "public.camera-raw-image": "public.image",
        "public.mpeg-4": "public.movie", "com.apple.quicktime-movie": "public.movie",
        "public.movie": "public.audiovisual-content",
    ]

    private static let extensions = [
        "JPG": jpeg, "TIF": "public.tiff", "PNG": "public.png", "HEIC": "public.heic", "HIF": "public.heic",
        "DNG": "com.adobe.raw-image", "MP4": "public.mpeg-4", "MOV": "com.apple.quicktime-movie",
    ]

    /// True when a type is the other or one of its kind. Every type of file is data.
    static func conforms(_ type: String, to other: String) -> Bool {
        var next: String? = type
        while let current = next {
            if current == other { return true }
            next = parents[current]
        }
        return other == data || other == "public.item"
    }

    /// The type of an asset's file: as it came, else by its extension.
    static func of(_ resource: AssetResource) -> String {
        if let given = resource.uniformTypeIdentifier, !given.isEmpty { return given }
        guard let dot = resource.name.lastIndex(of: ".") else { return data }
        return extensions[resource.name[resource.name.index(after: dot)...].uppercased()] ?? data
    }

    /// The types as which an asset is given, the photo's first, each once.
    static func offered(_ asset: Asset, _ mode: PickerConfiguration.AssetRepresentationMode) -> [String] {
        var types: [String] = []
        for type in asset.resources.map(of) where !types.contains(type) { types.append(type) }
        if mode == .compatible, types.contains(jpeg) { return [jpeg] }
        return types
    }
}
