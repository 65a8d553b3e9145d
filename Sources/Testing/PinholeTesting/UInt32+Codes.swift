import Offload
import PTP
import Photos

/// Codes and handles as the parameters of operations.
extension UInt32 {
    /// The code of a format.
    package static func format(_ format: ObjectFormat) -> UInt32 { UInt32(format.rawValue) }
    /// The code of an object property.
    package static func property(_ code: ObjectPropertyCode) -> UInt32 { UInt32(code.rawValue) }
    /// The code of a device property.
    package static func deviceProperty(_ code: DevicePropertyCode) -> UInt32 { UInt32(code.rawValue) }

    /// The handle of a directory by its number.
    package static func directory(_ number: Int) -> UInt32 { ObjectHandle.directory(number) ?? ObjectHandle.root }

    /// The handle of a file by the two numbers of its photo, and its place among the photo's files.
    package static func file(_ directory: Int, _ file: Int, resource: Int = 0) -> UInt32 {
        DCFNumber(directory: directory, file: file).flatMap { ObjectHandle.file($0, resource: resource) }
            ?? ObjectHandle.root
    }
}
