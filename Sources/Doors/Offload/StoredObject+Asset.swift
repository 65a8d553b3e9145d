import Imaging
import Photos
import Platform

extension StoredObject {
    /// The files of an asset, each in the directory of its number.
    ///
    /// - Parameter alias: the handle of its photo in this session, if the client uploaded it.
    static func files(of asset: Asset, alias: UInt32? = nil) -> [StoredObject] {
        guard let identifier = AssetIdentifier(asset.localIdentifier), let number = DCFNumber(asset.number),
            let parent = ObjectHandle.directory(number.directory)
        else { return [] }
        let modified = asset.modified
        return asset.resources.enumerated().compactMap { position, resource in
            guard let own = ObjectHandle.file(number, resource: position) else { return nil }
            let name = resource.name.utf8
            let fileName = name.lastIndex(of: UInt8(ascii: "/")).map { name[name.index(after: $0)...] } ?? name[...]
            // The catalog knows the pixel size of the photo itself, not of the files beside it.
            let isPhoto = position == 0
            let format = FileFormat(fileExtension: fileName.suffix(4))
            return StoredObject(
                handle: isPhoto ? alias ?? own : own, parent: parent, kind: .file(identifier, resource: position),
                format: format, name: String(Substring(fileName)),
                byteCount: UInt64(clamping: resource.bytes), captured: asset.captured, modified: modified,
                width: isPhoto ? UInt32(clamping: asset.pixelWidth) : 0,
                height: isPhoto ? UInt32(clamping: asset.pixelHeight) : 0,
                thumbnail: format.mayHaveThumbnail
                    ? Thumbnail(first: positions(ofThumbnail: position).map { asset.resources[$0].thumbnail }) : .absent
            )
        }
    }

    /// The positions, in `Asset.resources`, of the files that may contain the thumbnail of one of them.
    ///
    /// The photo's own thumbnail comes first, because raw files often have none.
    static func positions(ofThumbnail position: Int) -> [Int] {
        position == 0 ? [0] : [0, position]
    }

    /// The asset that a file belongs to; nil for a folder.
    var asset: AssetIdentifier? {
        if case .file(let asset, _) = kind { asset } else { nil }
    }
}

extension StoredObject.Thumbnail {
    /// The first thumbnail among files; unknown if it may be in a file that was not read.
    fileprivate init(first places: [ThumbnailPlace]) {
        self =
            switch places.first(where: { $0 != .absent }) {
            case nil, .absent: .absent
            case .unknown: .unknown
            case .at(_, let byteCount, let width, let height):
                .jpeg(byteCount: byteCount, width: width, height: height)
            }
    }
}

extension FileFormat {
    /// True for files that can contain a thumbnail.
    var mayHaveThumbnail: Bool { [.jpeg, .dng, .tiff].contains(self) }

    /// The format of a photo's file by the end of its name; our own names have only upper-case letters.
    fileprivate init(fileExtension: Substring.UTF8View) {
        self =
            switch String(Substring(fileExtension)) {
            case ".JPG": .jpeg
            case ".DNG": .dng
            case ".TIF": .tiff
            default: .other
            }
    }
}
