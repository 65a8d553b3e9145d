import FoundationEssentials
import Imaging

extension PhotoImage: ItemProviderReading {
    /// An image can be loaded from JPEG data.
    public static var readableTypeIdentifiersForItemProvider: [String] { [TypeIdentifier.jpeg] }

    /// Decodes a photo at its full size, upright.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> PhotoImage {
        try read(data, targetSize: .maximum, contentMode: .aspectFit)
    }
}
