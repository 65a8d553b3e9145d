import MassStorage
import Platform

extension CommandBlockWrapper {
    /// As a host sends it.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.signature)
        bytes.append(littleEndian: tag)
        bytes.append(littleEndian: dataTransferLength)
        bytes += [isToHost ? 0x80 : 0, 0, UInt8(truncatingIfNeeded: command.bytes.count)]
        return bytes + command.bytes + [UInt8](repeating: 0, count: max(0, 16 - command.bytes.count))
    }
}
