import Photos
import Synchronization

/// Makes results of choices; the same choice stays the same result as long as it lasts.
final class PickerResults: Sendable {
    private let made = Mutex<[PickerSession.Choice: PickerResult]>([:])
    private let configuration: PickerConfiguration
    private let grants: PickerGrants
    private let library: any PickerLibrary

    init(_ configuration: PickerConfiguration, grants: PickerGrants, library: any PickerLibrary) {
        self.configuration = configuration
        self.grants = grants
        self.library = library
    }

    func make(_ selection: [(choice: PickerSession.Choice, asset: Asset?)]) -> [PickerResult] {
        made.withLock { made in
            let results = selection.map { made[$0.choice] ?? make($0.choice, $0.asset) }
            made = Dictionary(zip(selection.map(\.choice), results)) { first, _ in first }
            return results
        }
    }

    private func make(_ choice: PickerSession.Choice, _ asset: Asset?) -> PickerResult {
        PickerResult(
            itemProvider: choice.isPreselected ? ItemProvider() : asset.map(provider) ?? ItemProvider(),
            assetIdentifier: configuration.library == nil ? nil : choice.identifier)
    }

    private func provider(_ asset: Asset) -> ItemProvider {
        let mode = configuration.preferredAssetRepresentationMode
        return ItemProvider(
            photo: PickedPhoto(asset, mode, grants: grants, library: library),
            typeIdentifiers: TypeIdentifier.offered(asset, mode),
            name: asset.resources.first?.originalFilename ?? asset.localIdentifier)
    }
}
