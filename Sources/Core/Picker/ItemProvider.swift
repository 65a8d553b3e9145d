import FoundationEssentials
import Platform

/// Gives one picked photo, as the types that it can be had as.
///
/// - Isolation: every method may be called from any thread. Handlers run on the picker's thread, one at a time, each
///   exactly once.
public final class ItemProvider: Sendable {
    /// The types as which the photo can be had, the photo itself first; none for an empty provider.
    public let registeredTypeIdentifiers: [String]
    /// The photo's name; nil for an empty provider.
    public let suggestedName: String?

    private let photo: PickedPhoto?

    /// A provider that has nothing to give.
    public init() {
        registeredTypeIdentifiers = []
        suggestedName = nil
        photo = nil
    }

    init(photo: PickedPhoto, typeIdentifiers: [String], name: String) {
        self.photo = photo
        registeredTypeIdentifiers = typeIdentifiers
        suggestedName = name
    }

    // MARK: Asking

    /// True when the photo can be had as a type, or as one of its kind: `public.image` stands for all pictures.
    public func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        match(typeIdentifier) != nil
    }

    /// True when an object of the class can be made of the photo.
    public func canLoadObject(ofClass aClass: any ItemProviderReading.Type) -> Bool {
        match(aClass) != nil
    }

    // MARK: Loading

    /// Makes an object of the photo.
    ///
    /// - Parameter completionHandler: gets the object or a `PickerError`: `.unsupportedType` when `canLoadObject` is
    ///   false, `.importFailed` when the bytes are not what they should be.
    public func loadObject(
        ofClass aClass: any ItemProviderReading.Type,
        completionHandler: @escaping @Sendable ((any ItemProviderReading)?, (any Error)?) -> Void
    ) {
        let type = match(aClass)
        load(type, asked: "\(aClass)") { result in
            do throws(PickerError) {
                let (data, _) = try result.get()
                completionHandler(try Self.object(aClass, data, type ?? TypeIdentifier.data), nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    /// Loads the photo's bytes.
    ///
    /// - Parameter completionHandler: gets the bytes or a `PickerError`.
    public func loadDataRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        load(match(typeIdentifier), asked: typeIdentifier) { result in
            switch result {
            case .success(let (data, _)): completionHandler(data, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    /// Writes the photo into a temporary file.
    ///
    /// - Parameter completionHandler: gets the file or a `PickerError`. The file is gone when it returns; what is to
    ///   stay must be copied or moved before that.
    public func loadFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        load(match(typeIdentifier), asked: typeIdentifier) { result in
            do throws(PickerError) {
                let (data, name) = try result.get()
                let file = try TemporaryFile(name: name, data)
                withExtendedLifetime(file) { completionHandler(file.url, nil) }
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    private func load(
        _ type: String?, asked: String,
        _ body: @escaping @Sendable (Result<(data: Data, name: String), PickerError>) -> Void
    ) {
        if let photo, let type {
            photo.load(type, body)
        } else {
            let error = PickerError.unsupported(asked, of: registeredTypeIdentifiers)
            PickedPhoto.onThread { body(.failure(error)) }
        }
    }

    private static func object(
        _ aClass: any ItemProviderReading.Type, _ data: Data, _ type: String
    ) throws(PickerError) -> any ItemProviderReading {
        do {
            return try aClass.object(withItemProviderData: data, typeIdentifier: type)
        } catch {
            throw PickerError(.importFailed, "The photo cannot be read as \(aClass): \(error).")
        }
    }

    /// The registered type that is meant by a type or its kind.
    private func match(_ type: String) -> String? {
        registeredTypeIdentifiers.first { TypeIdentifier.conforms($0, to: type) }
    }

    private func match(_ aClass: any ItemProviderReading.Type) -> String? {
        aClass.readableTypeIdentifiersForItemProvider.lazy.compactMap(match).first
    }
}
