import FoundationEssentials
import Platform

/// A request to create an asset; exists only inside a change block.
///
/// - Isolation: the thread that runs the block.
public final class AssetCreationRequest: AssetChangeRequest {
    private var asset = NewAsset()

    /// Begins a new asset in the block that runs on this thread. Outside of one, the request does nothing.
    public static func forAsset() -> AssetCreationRequest {
        let request = AssetCreationRequest()
        request.join()
        return request
    }

    /// Adds a file to the asset. It never fails here: a bad file fails the block.
    ///
    /// An asset needs exactly one `.photo`. A photo that begins like a JPEG or TIFF file must be whole; any other file,
    /// and resources of types unknown here, are kept as they are.
    /// - Ownership: the bytes are kept, not copied, until they are durable.
    public func addResource(with type: AssetResourceType, data: Data, options: AssetResourceCreationOptions?) {
        change {
            asset.resources.append(
                NewAsset.Resource(
                    type: type, content: .data(data), originalFilename: options?.originalFilename,
                    uniformTypeIdentifier: options?.uniformTypeIdentifier))
        }
    }

    /// Adds a file to the asset from where it lies. It never fails here: a bad file fails the block.
    ///
    /// The file must be an ordinary one and stay as it is until the block's change is durable.
    public func addResource(with type: AssetResourceType, fileURL: URL, options: AssetResourceCreationOptions?) {
        change {
            let path = fileURL.absoluteURL.standardizedFileURL.path
            guard fileURL.isFileURL, path.hasPrefix("/"), !path.utf8.contains(0) else {
                fail(PhotosError(.invalidResource, "\(fileURL.absoluteString) is not a file URL."))
                return
            }
            asset.resources.append(
                NewAsset.Resource(
                    type: type, content: .file(path: path, isMoved: options?.shouldMoveFile ?? false),
                    originalFilename: options?.originalFilename ?? fileURL.lastPathComponent,
                    uniformTypeIdentifier: options?.uniformTypeIdentifier))
        }
    }

    /// Stands for the asset before it exists: its identifier can be kept. Nil when the request was made outside a block.
    public var placeholderForCreatedAsset: ObjectPlaceholder? {
        hasJoined ? ObjectPlaceholder(localIdentifier: asset.identifier.description) : nil
    }

    /// Moment of exposure; when it is not set, what the photo says, else the time of the change.
    public override var creationDate: Date? {
        get { asset.captured?.date }
        set { change { asset.captured = newValue.flatMap { WallTime($0, offsetSeconds: 0) } } }
    }

    /// The identity to give it: 32 hexadecimal digits, as its Exif says. Anything else fails the block.
    package var identifier: String {
        get { asset.identifier.description }
        set {
            change {
                if let identifier = AssetIdentifier(newValue) {
                    asset.identifier = identifier
                } else {
                    fail(PhotosError(.changeNotSupported, "An identifier is 32 hexadecimal digits."))
                }
            }
        }
    }

    /// Moment of exposure with zone and trust.
    package var captured: WallTime? {
        get { asset.captured }
        set { change { asset.captured = newValue } }
    }

    /// Sets the size in pixels, if the caller knows it; otherwise the library reads it from the file.
    package func setPixelSize(width: Int, height: Int) {
        change { (asset.width, asset.height) = (width, height) }
    }

    /// Which burst it belongs to: 32 hexadecimal digits. Anything else fails the block.
    package var burstIdentifier: String? {
        get { asset.burst?.description }
        set {
            change {
                asset.burst = newValue.flatMap { AssetIdentifier($0) }
                if newValue != nil && asset.burst == nil {
                    fail(PhotosError(.changeNotSupported, "A burst identifier is 32 hexadecimal digits."))
                }
            }
        }
    }

    /// Exposure midpoint minus button edge in microseconds.
    package var lag: Int64? {
        get { asset.lag }
        set { change { asset.lag = newValue } }
    }

    /// The button edge, from which the time to durable counts.
    package var moment: MonotonicTime? {
        get { asset.moment }
        set { change { asset.moment = newValue } }
    }

    override var changes: [Change] {
        var asset = asset
        asset.isFavorite = isFavorite
        return [.create(asset)]
    }
}
