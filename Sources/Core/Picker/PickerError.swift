/// Why a picker could not be shown, or a picked photo not be loaded.
public struct PickerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The closed set of reasons.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The configuration makes no sense, or the picker is already shown.
        case invalidUsage = "usage"
        /// There is nothing that could show the picker to a person.
        case noFront = "no-picker-front"
        /// The photo cannot be given as the type asked for.
        case unsupportedType = "unsupported-type"
        /// The bytes are not what their type says.
        case importFailed = "import-failed"
        /// The right to load the photo has run out.
        case grantExpired = "grant-expired"
        /// The photo is gone from the library.
        case noSuchPhoto = "no-such-photo"
        /// The storage cannot be read or written.
        case storageFailed = "storage-failed"
    }

    /// The kind of error, for programs.
    public let code: Code
    /// One sentence for a person that says what to do.
    public let message: String

    /// An error with its reason and sentence.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// True when the same request may succeed later without a person's help.
    public var canRetry: Bool { code == .storageFailed }

    /// The message for people.
    public var description: String { message }

    /// The type cannot be given.
    static func unsupported(_ type: String, of types: [String]) -> PickerError {
        let offer = types.isEmpty ? "it has nothing to load" : "it is available as \(types.joined(separator: ", "))"
        return PickerError(.unsupportedType, "The photo cannot be loaded as \(type); \(offer).")
    }

    /// Nothing may be loaded any more.
    static let grantExpired = PickerError(
        .grantExpired, "The right to load this photo has expired; pick the photo again.")

    /// The photo is not there.
    static func noSuchPhoto(_ name: String) -> PickerError {
        PickerError(.noSuchPhoto, "There is no photo \(name) to pick.")
    }
}
