import FoundationEssentials
import Glibc
import Imaging
import Platform

/// A file of a new asset, as it was found before anything is written.
struct ExaminedResource {
    let content: NewAsset.Resource.Content
    let record: AssetRecord.Resource
}

/// A new asset whose files have been looked at.
struct ExaminedAsset {
    let asset: NewAsset
    /// Companions first, the photo last.
    let resources: [ExaminedResource]
    /// What the photo says about itself.
    let info: PhotoFileInfo
}

/// What was found in a file.
struct FileFacts {
    var bytes: Int64
    var checksum: UInt64
    var info: Result<PhotoFileInfo, ImagingError>
    /// Where its small picture lies; unknown when the file was not looked at.
    var thumbnail = ThumbnailPlace.unknown

    /// What kind of photo it is by its content; nil when it is not whole.
    var kind: PhotoFileKind? {
        switch info {
        case .success(let info): info.kind
        case .failure: nil
        }
    }
}

extension LibraryEngine {
    /// Bytes by which a reader knows whether it knows the kind of a file.
    private static let head = 4096

    /// Looks at the files of new assets. Nothing is written yet, so that a bad file costs nothing.
    func examine(_ creations: [NewAsset]) throws(PhotosError) -> [ExaminedAsset] {
        var examined: [ExaminedAsset] = []
        for asset in creations {
            // Companions first, the photo last.
            let ordered = asset.resources.filter { $0.type != .photo } + asset.resources.filter { $0.type == .photo }
            var resources: [ExaminedResource] = []
            var info = PhotoFileInfo.unknown
            for resource in ordered {
                let facts = try facts(of: resource)
                let name = Self.name(of: resource)
                guard facts.bytes > 0 else { throw PhotosError(.invalidResource, "\(name) is empty.") }
                do throws(ImagingError) {
                    info = try facts.info.get()
                } catch {
                    throw PhotosError(.invalidResource, "\(name) cannot be kept: \(error.description).")
                }
                let fileExtension = FileExtension.choose(
                    for: resource.type, originalFilename: resource.originalFilename, kind: info.kind)
                // A rebuilt catalog has only the name and the content to go by, and these must agree.
                if resource.mayBePhoto, info.kind == .unknown, FileExtension.claims.contains(fileExtension) {
                    throw PhotosError(
                        .invalidResource,
                        "\(name) cannot be kept: it is no JPEG, TIFF or DNG file; give it a name that says what it is.")
                }
                guard !resources.contains(where: { $0.record.fileExtension == fileExtension }) else {
                    throw PhotosError(.invalidResource, "Two files of one asset would have the same name.")
                }
                resources.append(
                    ExaminedResource(
                        content: resource.content,
                        record: AssetRecord.Resource(
                            type: resource.type, fileExtension: fileExtension,
                            originalFilename: resource.originalFilename,
                            uniformTypeIdentifier: resource.uniformTypeIdentifier, bytes: facts.bytes,
                            checksum: facts.checksum, thumbnail: facts.thumbnail)))
            }
            examined.append(ExaminedAsset(asset: asset, resources: resources, info: info))
        }
        return examined
    }

    private func facts(of resource: NewAsset.Resource) throws(PhotosError) -> FileFacts {
        switch resource.content {
        case .data(let data):
            return data.withUnsafeBytes { facts(of: $0, isRead: resource.mayBePhoto) }
        case .file(let path, let isMoved):
            if isMoved, !layout.isIncoming(path),
                [layout.library, layout.state].contains(where: { path.hasPrefix($0 + "/") })
            {
                throw PhotosError(.invalidResource, "\(path) is the library's own and cannot be moved into it.")
            }
            do throws(SystemError) {
                // A link is not followed: what it leads to may be another's.
                guard let there = try files.metadata(path) else {
                    throw SystemError(code: ENOENT, operation: "look at", path: path)
                }
                guard there.kind == .file else {
                    throw SystemError(
                        code: there.kind == .directory ? EISDIR : EINVAL, operation: "read", path: path)
                }
                return try facts(at: path, isRead: resource.mayBePhoto)
            } catch {
                throw PhotosError(source: path, error)
            }
        }
    }

    /// Reads a file: in pieces, or at once when what it says about itself is asked for and may be found.
    func facts(at path: String, isRead: Bool) throws(SystemError) -> FileFacts {
        var info: Result<PhotoFileInfo, ImagingError> = .success(.unknown)
        if isRead, try mayBePhoto(files.readPrefix(path, count: Self.head)) {
            do throws(SystemError) {
                return try files.read(path, limit: LibraryStore.photoByteLimit).withUnsafeBytes {
                    facts(of: $0, isRead: true)
                }
            } catch {
                guard error.code == EFBIG else { throw error }
                info = .failure(.tooLarge)
            }
        }
        var sum = Checksum()
        var bytes: Int64 = 0
        try files.readPieces(path) { piece in
            sum.add(piece)
            bytes += Int64(piece.count)
        }
        return FileFacts(bytes: bytes, checksum: sum.value, info: info)
    }

    private func mayBePhoto(_ head: [UInt8]) -> Bool {
        head.withUnsafeBytes { facts(of: $0, isRead: true) }.kind != .unknown
    }

    private func facts(of bytes: UnsafeRawBufferPointer, isRead: Bool) -> FileFacts {
        var facts = FileFacts(bytes: Int64(bytes.count), checksum: Checksum.of(bytes), info: .success(.unknown))
        if isRead {
            facts.info = Result { () throws(ImagingError) in try reader.read(bytes) }
            facts.thumbnail = ThumbnailPlace(file: bytes)
        }
        return facts
    }

    private static func name(of resource: NewAsset.Resource) -> String {
        switch resource.content {
        case .file(let path, _): path
        case .data: resource.originalFilename ?? "The \(resource.type.name.replacing("_", with: " "))"
        }
    }
}

extension NewAsset.Resource {
    /// True when its content is to be looked at.
    fileprivate var mayBePhoto: Bool { type == .photo || type == .alternatePhoto }
}

extension PhotosError {
    /// The error that a file given from outside cannot be taken in.
    init(source path: String, _ error: SystemError) {
        switch error.code {
        case ENOENT, ENOTDIR:
            self.init(.missingResource, "There is no file \(path).")
        case EISDIR:
            self.init(.invalidResource, "\(path) is a folder; give a file.")
        case ELOOP, EINVAL:
            self.init(.invalidResource, "\(path) is a link or a device; give an ordinary file.")
        case EBUSY:
            self.init(.invalidResource, "\(path) changed while it was read; try again when it is complete.")
        case EACCES, EPERM:
            self.init(.invalidResource, "\(path) may not be read; change its permissions.")
        default:
            self.init(.invalidResource, "\(path) cannot be read (\(error.reason)).")
        }
    }
}
