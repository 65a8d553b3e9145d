import FoundationEssentials

/// A type that can be made from a picked photo's bytes.
public protocol ItemProviderReading: Sendable {
    /// The types of bytes it can be made from, the dearest first.
    static var readableTypeIdentifiersForItemProvider: [String] { get }

    /// Makes one.
    ///
    /// - Isolation: the picker's thread.
    /// - Throws: whatever is wrong with the bytes; the caller gets it as an import error.
    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}

extension Data: ItemProviderReading {
    /// Bytes are bytes, whatever they mean.
    public static var readableTypeIdentifiersForItemProvider: [String] { [TypeIdentifier.data] }

    /// Returns the data unchanged.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) -> Data { data }
}
