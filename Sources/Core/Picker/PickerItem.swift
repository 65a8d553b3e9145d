/// One chosen photo, to be loaded in asynchronous code.
public struct PickerItem: Hashable, Sendable {
    /// The photo's identifier in the library that the configuration was made with; nil without one.
    public let itemIdentifier: String?
    private let itemProvider: ItemProvider

    /// The same choice as a result of a picker.
    public init(_ result: PickerResult) {
        itemIdentifier = result.assetIdentifier
        itemProvider = result.itemProvider
    }

    /// A photo that the client knows already, such as one to be preselected. There is nothing to load.
    public init(itemIdentifier: String) {
        self.itemIdentifier = itemIdentifier
        itemProvider = ItemProvider()
    }

    /// The types as which the photo can be had, the photo itself first.
    public var supportedContentTypes: [String] { itemProvider.registeredTypeIdentifiers }

    /// Makes an object of the photo; nil when it cannot be had as this type.
    ///
    /// - Throws: `PickerError`.
    public func loadTransferable<Object: ItemProviderReading>(type: Object.Type) async throws -> Object? {
        guard itemProvider.canLoadObject(ofClass: type) else { return nil }
        return try await withCheckedThrowingContinuation { continuation in
            itemProvider.loadObject(ofClass: type) { object, error in
                continuation.resume(with: Self.result(object, error))
            }
        }
    }

    /// Makes an object of the photo; nil when it cannot be had as this type.
    ///
    /// - Isolation: the handler runs once, on the picker's thread.
    public func loadTransferable<Object: ItemProviderReading>(
        type: Object.Type, completionHandler: @escaping @Sendable (Result<Object?, any Error>) -> Void
    ) {
        guard itemProvider.canLoadObject(ofClass: type) else {
            return PickedPhoto.onThread { completionHandler(.success(nil)) }
        }
        itemProvider.loadObject(ofClass: type) { completionHandler(Self.result($0, $1)) }
    }

    private static func result<Object>(
        _ object: (any ItemProviderReading)?, _ error: (any Error)?
    ) -> Result<Object?, any Error> {
        if let error { .failure(error) } else { .success(object as? Object) }
    }

    /// Two items are the same when they are the same choice.
    public static func == (a: PickerItem, b: PickerItem) -> Bool {
        a.itemIdentifier == b.itemIdentifier && a.itemProvider === b.itemProvider
    }

    /// Items are equal when they stand for the same choice.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(itemProvider))
    }
}
