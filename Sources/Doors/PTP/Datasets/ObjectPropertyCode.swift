import Offload
import Photos

/// The properties of objects that an initiator can read (MTP 1.1, appendix B).
package enum ObjectPropertyCode: UInt16, CaseIterable, Sendable {
    case storageID = 0xdc01
    case objectFormat = 0xdc02
    case protectionStatus = 0xdc03
    case objectSize = 0xdc04
    case objectFileName = 0xdc07
    case dateCreated = 0xdc08
    case dateModified = 0xdc09
    case parentObject = 0xdc0b
    /// The same for the same object in every session.
    case persistentUniqueObjectIdentifier = 0xdc41
    case name = 0xdc44

    /// The properties that objects of a format have: a folder has no dates.
    package static func supported(for format: ObjectFormat) -> [ObjectPropertyCode] {
        format == .association ? folderCases : fileCases
    }

    private static let fileCases = allCases
    private static let folderCases = allCases.filter { !$0.isDate }

    /// True for a date and time.
    package var isDate: Bool { self == .dateCreated || self == .dateModified }

    /// The type of the property's values.
    package var type: DataType {
        switch self {
        case .objectFormat, .protectionStatus: .uint16
        case .storageID, .parentObject: .uint32
        case .objectSize: .uint64
        case .persistentUniqueObjectIdentifier: .uint128
        case .objectFileName, .dateCreated, .dateModified, .name: .text
        }
    }

    /// Its value for an object.
    package func value(of object: StoredObject, storage: UInt32) -> PropertyValue {
        switch self {
        case .storageID: .uint32(storage)
        case .objectFormat: .uint16(ObjectFormat(object.format).rawValue)
        case .protectionStatus: .uint16(0)
        case .objectSize: .uint64(object.byteCount)
        case .objectFileName, .name: .text(object.name)
        case .dateCreated: .text(object.captured?.dateTime ?? "")
        case .dateModified: .text((object.modified ?? object.captured)?.dateTime ?? "")
        case .parentObject: .uint32(object.parent)
        case .persistentUniqueObjectIdentifier: Self.identifier(of: object)
        }
    }

    /// The asset's identifier, combined with the file's position in the asset. A folder has its handle, which
    /// never changes.
    private static func identifier(of object: StoredObject) -> PropertyValue {
        guard case .file(let asset, let resource) = object.kind else {
            return .uint128(high: 0, low: UInt64(object.handle))
        }
        let bytes = asset.bytes
        let high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        return .uint128(high: high, low: low ^ UInt64(truncatingIfNeeded: resource))
    }
}
