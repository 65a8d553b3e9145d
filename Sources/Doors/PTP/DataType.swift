/// The types that values of properties have here (MTP 1.1, 3.2.1).
package enum DataType: UInt16, Sendable {
    case uint8 = 0x0002
    case uint16 = 0x0004
    case uint32 = 0x0006
    case uint64 = 0x0008
    case uint128 = 0x000a
    case text = 0xffff
}
