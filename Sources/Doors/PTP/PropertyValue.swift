/// The value of a property.
package enum PropertyValue: Hashable, Sendable {
    case uint8(UInt8)
    case uint16(UInt16)
    case uint32(UInt32)
    case uint64(UInt64)
    case uint128(high: UInt64, low: UInt64)
    case text(String)

    /// Its type.
    package var type: DataType {
        switch self {
        case .uint8: .uint8
        case .uint16: .uint16
        case .uint32: .uint32
        case .uint64: .uint64
        case .uint128: .uint128
        case .text: .text
        }
    }

    /// The least value of a type.
    package static func zero(_ type: DataType) -> PropertyValue {
        switch type {
        case .uint8: .uint8(0)
        case .uint16: .uint16(0)
        case .uint32: .uint32(0)
        case .uint64: .uint64(0)
        case .uint128: .uint128(high: 0, low: 0)
        case .text: .text("")
        }
    }
}
