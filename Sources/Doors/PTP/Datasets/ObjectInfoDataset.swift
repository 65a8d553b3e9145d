import Offload

/// The description of one object (ObjectInfo; MTP 1.1, 5.3.1).
struct ObjectInfoDataset: Hashable, Sendable {
    /// The store that holds the object.
    var storage: UInt32 = 0
    /// The code of its format; an initiator can send any number.
    var format: UInt16
    /// Size in bytes; all ones for what does not fit in 32 bits.
    var compressedSize: UInt32
    /// Format of its thumbnail; 0 without one.
    var thumbnailFormat: UInt16 = 0
    /// Size of its thumbnail in bytes.
    var thumbnailCompressedSize: UInt32 = 0
    /// Width of its thumbnail in pixels.
    var thumbnailWidth: UInt32 = 0
    /// Height of its thumbnail in pixels.
    var thumbnailHeight: UInt32 = 0
    /// Width in pixels; 0 when not known.
    var width: UInt32 = 0
    /// Height in pixels; 0 when not known.
    var height: UInt32 = 0
    /// Bits of a pixel; 0 when not known.
    var bitDepth: UInt32 = 0
    /// Handle of its folder; 0 for the root.
    var parent: UInt32 = 0
    /// 1 for a folder, else 0.
    var associationType: UInt16 = 0
    /// The file's name, without folders.
    var name: String
    /// When it was taken, as text; empty when not known.
    var captureDate = ""
    /// When it was last changed, as text; empty when not known.
    var modificationDate = ""

    /// The description of an object of the store.
    init(_ object: StoredObject, storage: UInt32, thumbnail: StoredObject.Thumbnail) {
        self.storage = storage
        format = ObjectFormat(object.format).rawValue
        compressedSize = UInt32(clamping: object.byteCount)
        if case .jpeg(let byteCount, let width, let height) = thumbnail {
            thumbnailFormat = ObjectFormat.jfif.rawValue
            thumbnailCompressedSize = byteCount
            (thumbnailWidth, thumbnailHeight) = (UInt32(width), UInt32(height))
        }
        (width, height) = (object.width, object.height)
        bitDepth = object.format == .jpeg ? 24 : 0
        parent = object.parent
        associationType = object.kind == .folder ? 1 : 0
        name = object.name
        captureDate = object.captured?.dateTime ?? ""
        modificationDate = (object.modified ?? object.captured)?.dateTime ?? ""
    }

    /// Reads the description of a file that an initiator is about to send.
    ///
    /// Most fields are for responders to fill in and are ignored. Initiators leave out texts at the end, and everything
    /// after the dates.
    init(reading bytes: [UInt8]) throws(DatasetError) {
        var reader = DatasetReader(bytes)
        storage = try reader.number()
        format = try reader.number()
        _ = try reader.number(UInt16.self)  // protection
        compressedSize = try reader.number()
        thumbnailFormat = try reader.number()
        thumbnailCompressedSize = try reader.number()
        thumbnailWidth = try reader.number()
        thumbnailHeight = try reader.number()
        width = try reader.number()
        height = try reader.number()
        bitDepth = try reader.number()
        parent = try reader.number()
        associationType = try reader.number()
        _ = try reader.number(UInt32.self)  // what the association is for
        _ = try reader.number(UInt32.self)  // place in a sequence
        name = reader.isAtEnd ? "" : try reader.text()
        captureDate = reader.isAtEnd ? "" : try reader.text()
        modificationDate = reader.isAtEnd ? "" : try reader.text()
    }

    /// The dataset that GetObjectInfo returns, without protection, sequence and keywords.
    var bytes: [UInt8] {
        var writer = DatasetWriter()
        writer.write(storage)
        writer.write(format)
        writer.write(UInt16(0))  // not protected
        writer.write(compressedSize)
        writer.write(thumbnailFormat)
        for number in [
            thumbnailCompressedSize, thumbnailWidth, thumbnailHeight, width, height, bitDepth, parent,
        ] { writer.write(number) }
        writer.write(associationType)
        writer.write(UInt32(0))  // what the association is for
        writer.write(UInt32(0))  // place in a sequence
        writer.write(name)
        writer.write(captureDate)
        writer.write(modificationDate)
        writer.write("")  // keywords
        return writer.bytes
    }
}
