import FoundationEssentials
import Glibc
import Imaging
import Platform

/// A file of a new asset, as it was found before anything is written.
struct ExaminedResource {
    let content: NewAsset.Resource.Content
    let record: AssetRecord.Resource
}

/// What examining the files of one asset found.
enum Inspection {
    /// An asset, with an identity of its own when the file has one.
    case whole(AssetRecord)
    /// Not an asset, and why.
    case incomplete(String)
    /// The files cannot be read now.
    case unreadable
}

/// A new asset whose files have been examined.
struct ExaminedAsset {
    let asset: NewAsset
    /// Companions first, the photo last.
    let resources: [ExaminedResource]
    /// What the photo says about itself.
    let info: PhotoFileInfo
}

/// What was found in a file.
struct FileProperties {
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

/// Reads files to find out what asset they make.
struct FileExaminer {
    let layout: LibraryLayout
    let files: any FileOperations
    let reader: any PhotoFileReader

    /// Bytes that are enough for a reader to know the kind of a file.
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
                let properties = try properties(of: resource)
                let name = Self.name(of: resource)
                guard properties.bytes > 0 else { throw PhotosError(.invalidResource, "\(name) is empty.") }
                do throws(ImagingError) {
                    info = try properties.info.get()
                } catch {
                    throw PhotosError(.invalidResource, "\(name) cannot be imported: \(error.description).")
                }
                let fileExtension = FileExtension.choose(
                    for: resource.type, originalFilename: resource.originalFilename, kind: info.kind)
                // A rebuilt catalog has only the name and the content to go by, and these must agree.
                if resource.mayBePhoto, info.kind == .unknown, FileExtension.claims.contains(fileExtension) {
                    throw PhotosError(
                        .invalidResource,
                        "\(name) cannot be imported: its name is that of a JPEG, TIFF or DNG file, its content is not; rename it."
                    )
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
                            uniformTypeIdentifier: resource.uniformTypeIdentifier, bytes: properties.bytes,
                            checksum: properties.checksum, thumbnail: properties.thumbnail)))
            }
            examined.append(ExaminedAsset(asset: asset, resources: resources, info: info))
        }
        return examined
    }

    private func properties(of resource: NewAsset.Resource) throws(PhotosError) -> FileProperties {
        switch resource.content {
        case .data(let data):
            return data.withUnsafeBytes { properties(of: $0, isRead: resource.mayBePhoto) }
        case .file(let path, let isMoved):
            if isMoved, !layout.isIncoming(path),
                [layout.library, layout.state].contains(where: { path.hasPrefix($0 + "/") })
            {
                throw PhotosError(.invalidResource, "\(path) belongs to the library and cannot be moved into it.")
            }
            do throws(SystemError) {
                // A link is not followed: what it leads to may be another's.
                guard let there = try files.metadata(path) else {
                    throw SystemError(code: ENOENT, operation: "look up", path: path)
                }
                guard there.kind == .file else {
                    throw SystemError(
                        code: there.kind == .directory ? EISDIR : EINVAL, operation: "read", path: path)
                }
                return try properties(at: path, isRead: resource.mayBePhoto)
            } catch {
                throw PhotosError(source: path, error)
            }
        }
    }

    /// Reads a file: in pieces, or at once when what it says about itself is asked for and may be found.
    func properties(at path: String, isRead: Bool) throws(SystemError) -> FileProperties {
        var info: Result<PhotoFileInfo, ImagingError> = .success(.unknown)
        if isRead, try mayBePhoto(files.readPrefix(path, count: Self.head)) {
            do throws(SystemError) {
                return try files.read(path, limit: LibraryStore.photoByteLimit).withUnsafeBytes {
                    properties(of: $0, isRead: true)
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
        return FileProperties(bytes: bytes, checksum: sum.value, info: info)
    }

    private func mayBePhoto(_ head: [UInt8]) -> Bool {
        head.withUnsafeBytes { properties(of: $0, isRead: true) }.kind != .unknown
    }

    private func properties(of bytes: UnsafeRawBufferPointer, isRead: Bool) -> FileProperties {
        var properties = FileProperties(
            bytes: Int64(bytes.count), checksum: Checksum.of(bytes), info: .success(.unknown))
        if isRead {
            properties.info = Result { () throws(ImagingError) in try reader.read(bytes) }
            properties.thumbnail = ThumbnailPlace(file: bytes)
        }
        return properties
    }

    /// Looks at files that should be one asset.
    ///
    /// The photo among them is the JPEG, else a file that can be read, else the largest.
    /// - Throws: what says that the storage failed; a single unreadable file is a result.
    func inspect(_ number: DCFNumber, _ paths: [(fileExtension: String, path: String)]) throws(SystemError)
        -> Inspection
    {
        let hasJPEG = paths.contains { $0.fileExtension == "JPG" }
        var found: [(fileExtension: String, properties: FileProperties, modified: Int64)] = []
        do throws(SystemError) {
            for (fileExtension, path) in paths {
                guard let there = try files.metadata(path), there.kind == .file else {
                    return .incomplete("it is not a file")
                }
                if there.size == 0 { return .incomplete("it is empty") }
                let properties = try properties(at: path, isRead: !hasJPEG || fileExtension == "JPG")
                found.append((fileExtension, properties, there.modifiedUnixNanoseconds))
            }
        } catch {
            // One bad sector, or one file of another user, must not keep the rest from being found.
            if [EIO, EACCES, EPERM].contains(error.code) { return .unreadable }
            throw error
        }
        let photo =
            found.first { $0.fileExtension == "JPG" }
            ?? found.max { ($0.properties.rank, $0.properties.bytes) < ($1.properties.rank, $1.properties.bytes) }
        guard let photo else { return .incomplete("its photo is missing") }
        let info: PhotoFileInfo
        do throws(ImagingError) { info = try photo.properties.info.get() } catch {
            return .incomplete(error.description)
        }
        if info.kind == .unknown, FileExtension.claims.contains(photo.fileExtension) {
            return .incomplete("it is not a photo")
        }
        let companions = found.filter { $0.fileExtension != photo.fileExtension }
        let resources = (companions + [photo]).map { file in
            AssetRecord.Resource(
                type: file.fileExtension == photo.fileExtension
                    ? .photo : file.fileExtension == "DNG" ? .alternatePhoto : AssetResourceType(rawValue: 0),
                fileExtension: file.fileExtension, bytes: file.properties.bytes, checksum: file.properties.checksum,
                thumbnail: file.properties.thumbnail)
        }
        let nothing = AssetIdentifier(bytes: [UInt8](repeating: 0, count: 16))
        let own = info.imageUniqueID.flatMap { AssetIdentifier($0) }
        let captured = info.captureTime ?? WallTime(unixNanoseconds: photo.modified, offsetSeconds: 0, isTrusted: false)
        return .whole(
            AssetRecord(
                number: number, identifier: own == nothing ? AssetIdentifier() : own ?? AssetIdentifier(),
                captured: captured, width: info.width, height: info.height, orientation: info.orientation,
                media: info.kind == .unknown ? .unknown : .image,
                isRaw: info.kind == .dng || found.contains { $0.fileExtension == "DNG" }, resources: resources))
    }

    private static func name(of resource: NewAsset.Resource) -> String {
        switch resource.content {
        case .file(let path, _): path
        case .data: resource.originalFilename ?? "The \(resource.type.name.replacing("_", with: " "))"
        }
    }
}

extension FileProperties {
    /// The higher, the likelier it is the photo among the files of an asset.
    fileprivate var rank: Int {
        switch kind {
        case .jpeg: 3
        case .tiff, nil: 2
        case .dng: 1
        case .unknown: 0
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
            self.init(.invalidResource, "\(path) is a folder; use a file.")
        case ELOOP, EINVAL:
            self.init(.invalidResource, "\(path) is a link or a device; use a regular file.")
        case EBUSY:
            self.init(.invalidResource, "\(path) changed while it was being read; try again when it is complete.")
        case EACCES, EPERM:
            self.init(.invalidResource, "\(path) is not readable; change its permissions.")
        default:
            self.init(.invalidResource, "\(path) cannot be read (\(error.reason)).")
        }
    }
}
