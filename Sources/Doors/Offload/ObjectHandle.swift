import Photos

/// The rules for handles, which keep an object's handle the same in every session.
///
/// | handle | object |
/// |---|---|
/// | `0x40000000` | the folder `DCIM` |
/// | `0x40000000 \| N` | the directory N, 100…999 |
/// | `position << 24 \| number` | a file: its place in the asset's resources, below 63, and the photo's number |
/// | `0x80000000` and above | a file that was uploaded in this session |
package enum ObjectHandle {
    /// The root as a parent; as an object, none.
    package static let root: UInt32 = 0
    /// The handle of the folder `DCIM`.
    package static let dcim: UInt32 = 0x4000_0000
    /// The first of the handles for uploaded files.
    package static let firstUpload: UInt32 = 0x8000_0000
    /// The most files of an asset that have handles.
    package static let resourceLimit = 0x3f

    /// The handle of a directory; nil outside 100…999.
    package static func directory(_ number: Int) -> UInt32? {
        (100...999).contains(number) ? dcim | UInt32(number) : nil
    }

    /// The handle of a file; nil when the place is outside 0..<63.
    ///
    /// - Parameter resource: its place in `Asset.resources`.
    package static func file(_ number: DCFNumber, resource: Int) -> UInt32? {
        guard (0..<resourceLimit).contains(resource) else { return nil }
        return UInt32(resource) << 24 | UInt32(number.position)
    }

    /// The directory that a handle stands for; nil for other objects.
    package static func directoryNumber(of handle: UInt32) -> Int? {
        let number = Int(handle & ~dcim)
        return handle & dcim != 0 && (100...999).contains(number) ? number : nil
    }

    /// The file that a handle stands for; nil for other objects.
    package static func file(of handle: UInt32) -> (number: DCFNumber, resource: Int)? {
        guard handle < dcim, let number = DCFNumber(position: Int64(handle & 0xff_ffff)) else { return nil }
        let resource = Int(handle >> 24)
        return resource < resourceLimit ? (number, resource) : nil
    }
}
