import FoundationEssentials
import Imaging

extension PhotoImage: ItemProviderReading {
    /// JPEG.
    public static var readableTypeIdentifiersForItemProvider: [String] { [TypeIdentifier.jpeg] }

    /// Decodes a photo at its full size, upright.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> PhotoImage {
        try read(data, targetSize: .maximum, contentMode: .aspectFit)
    }
}
