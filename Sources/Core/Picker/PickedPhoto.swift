import FoundationEssentials
import Photos
import Platform
import Synchronization

/// The way from an item provider to the one photo that its grant opens.
///
/// The first load uses the grant up. From then on only this object has the right, not the token.
final class PickedPhoto: Sendable {
    private enum Access: Sendable {
        case unused(PickerGrants.Token)
        case open(PickerGrants.Grant)
        case over
    }

    /// All loading of this process: reading, making objects, and the handlers.
    private static let thread = WorkerThread(name: "picker")

    private let access: Mutex<Access>
    private let grants: PickerGrants
    private let library: any PickerLibrary

    /// Issues the grant for a photo.
    init(
        _ asset: Asset, _ mode: PickerConfiguration.AssetRepresentationMode, grants: PickerGrants,
        library: any PickerLibrary
    ) {
        let grant = PickerGrants.Grant(
            assetIdentifier: asset.localIdentifier, typeIdentifiers: TypeIdentifier.offered(asset, mode))
        access = Mutex(.unused(grants.issue(grant)))
        self.grants = grants
        self.library = library
    }

    /// Loads the bytes of a type and hands them on.
    ///
    /// - Isolation: `body` runs on the picker's thread, exactly once.
    func load(_ type: String, _ body: @escaping @Sendable (Result<(data: Data, name: String), PickerError>) -> Void) {
        Task {
            let found = await find(type)
            Self.thread.submit { [self] in
                body(
                    found.flatMap { resource in
                        do throws(SystemError) {
                            return .success((try library.read(resource), resource.originalFilename))
                        } catch {
                            return .failure(Self.failure(error))
                        }
                    })
            }
        }
    }

    /// Calls a handler that has nothing to load where `load` calls the others.
    static func onThread(_ body: @escaping @Sendable () -> Void) {
        thread.submit(body)
    }

    private func find(_ type: String) async -> Result<AssetResource, PickerError> {
        guard let grant = redeem() else { return .failure(.grantExpired) }
        do throws(PhotosError) {
            guard let asset = try await library.asset(grant.assetIdentifier) else {
                return .failure(.noSuchPhoto(grant.assetIdentifier))
            }
            guard grant.typeIdentifiers.contains(type),
                let resource = asset.resources.first(where: { TypeIdentifier.of($0) == type })
            else { return .failure(.unsupported(type, of: grant.typeIdentifiers)) }
            return .success(resource)
        } catch {
            return .failure(PickerError(.storageFailed, error.message))
        }
    }

    private func redeem() -> PickerGrants.Grant? {
        access.withLock { access in
            if case .unused(let token) = access {
                access = grants.redeem(token).map { .open($0) } ?? .over
            }
            guard case .open(let grant) = access else { return nil }
            return grant
        }
    }

    private static func failure(_ error: SystemError) -> PickerError {
        PickerError(.storageFailed, "The photo cannot be read (\(error)); try again, then check the card.")
    }
}
