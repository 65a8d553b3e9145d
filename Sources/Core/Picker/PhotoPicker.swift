import Photos
import Platform

/// Lets a person choose photos for a program that may have no right to any of them.
///
/// It reads in the camera's name. What the program gets is one grant for each chosen photo.
/// - Isolation: every method may be called from any thread.
package final class PhotoPicker: Sendable {
    private let library: any PickerLibrary
    private let grants: PickerGrants

    /// A picker of a library's photos.
    package init(library: any PickerLibrary, grants: PickerGrants) {
        self.library = library
        self.grants = grants
    }

    /// A picker of the photos in the store that a library is a view of, with grants of its own.
    package convenience init(_ library: PhotoLibrary) {
        self.init(
            library: StoredPickerLibrary(store: library.store), grants: PickerGrants(time: SystemTime(continuing: nil)))
    }

    /// What a picker gives that changed nothing: the preselected photos, with empty providers.
    static func unchanged(_ configuration: PickerConfiguration) -> [PickerResult] {
        configuration.preselection.map { PickerResult(itemProvider: ItemProvider(), assetIdentifier: $0) }
    }

    /// Shows the photos on a front and waits for the end.
    ///
    /// - Parameter onChange: gets the results with each change of a continuous picker, one call at a time.
    /// - Returns: the chosen photos in the order in which they were chosen. Canceled: the preselected ones, with empty
    ///   providers.
    /// - Throws: `PickerError.invalidUsage` for a configuration that makes no sense, `.storageFailed`.
    package func pick(
        _ configuration: PickerConfiguration, on front: any PickerFront,
        onChange: @escaping @Sendable ([PickerResult]) async -> Void = { _ in }
    ) async throws(PickerError) -> [PickerResult] {
        try configuration.validate()
        var present: [Asset] = []
        for identifier in configuration.preselection {
            do throws(PhotosError) {
                if let asset = try await library.asset(identifier) { present.append(asset) }
            } catch {
                throw PickerError(.storageFailed, error.message)
            }
        }
        let results = PickerResults(configuration, grants: grants, library: library)
        let (changes, reporter) = AsyncStream.makeStream(of: [PickerResult].self)
        let reporting = Task { for await change in changes { await onChange(change) } }
        let choices = PickerChoices(configuration, present: present, library: library) { selection in
            reporter.yield(results.make(selection))
        }
        let outcome = await front.choose(from: choices)
        let selection = choices.end(outcome)
        reporter.finish()
        await reporting.value
        return results.make(selection)
    }
}
