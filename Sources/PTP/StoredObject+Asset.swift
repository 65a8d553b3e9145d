import Photos
import Platform

extension StoredObject {
    /// The files of an asset as one client knows them, each in the directory of its number.
    ///
    /// - Parameter alias: the handle that its photo has in this session when it was uploaded.
    static func files(of asset: Asset, alias: UInt32? = nil) -> [StoredObject] {
        guard let identifier = AssetIdentifier(asset.localIdentifier), let number = DCFNumber(asset.number),
            let parent = ObjectHandle.directory(number.directory)
        else { return [] }
        let modified = asset.modified
        return asset.resources.enumerated().compactMap { position, resource in
            guard let own = ObjectHandle.file(number, resource: position) else { return nil }
            let name = resource.name.utf8
            let fileName = name.lastIndex(of: UInt8(ascii: "/")).map { name[name.index(after: $0)...] } ?? name[...]
            // The size is the photo's; nothing is known of what lies beside it.
            let isPhoto = position == 0
            return StoredObject(
                handle: isPhoto ? alias ?? own : own, parent: parent, kind: .file(identifier, resource: position),
                format: ObjectFormat(fileExtension: fileName.suffix(4)), name: String(Substring(fileName)),
                byteCount: UInt64(clamping: resource.bytes), captured: asset.captured, modified: modified,
                width: isPhoto ? UInt32(clamping: asset.pixelWidth) : 0,
                height: isPhoto ? UInt32(clamping: asset.pixelHeight) : 0)
        }
    }

    /// The asset that a file belongs to.
    var asset: AssetIdentifier? {
        if case .file(let asset, _) = kind { asset } else { nil }
    }
}

extension ObjectFormat {
    /// The format of a photo's file by the end of its name; our own names have only upper-case letters.
    fileprivate init(fileExtension: Substring.UTF8View) {
        self =
            switch String(Substring(fileExtension)) {
            case ".JPG": .exifJPEG
            case ".DNG": .dng
            case ".TIF": .tiff
            default: .undefined
            }
    }
}
