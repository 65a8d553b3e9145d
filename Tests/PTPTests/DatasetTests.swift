import Offload
import PinholeTesting
import Photos
import Platform
import Testing

@testable import PTP

/// Each dataset byte for byte.
@Suite struct DatasetTests {
    private static let captured = WallTime(
        unixNanoseconds: 1_796_030_100_000_000_000, offsetSeconds: 3600, isTrusted: true)
    private static let date = text("20261130T101500")

    private static func photo(byteCount: UInt64 = 0x0102_0304) throws -> StoredObject {
        let asset = try #require(AssetIdentifier("000102030405060708090a0b0c0d0e0f"))
        return StoredObject(
            handle: .file(100, 1), parent: .directory(100), kind: .file(asset, resource: 1), format: .jpeg,
            name: "P.JPG",
            byteCount: byteCount, captured: captured, width: 4056, height: 3040)
    }

    private static let folder = StoredObject(
        handle: ObjectHandle.dcim, parent: 0, kind: .folder, format: .folder, name: "DCIM")

    /// A text of ASCII as MTP has it.
    private static func text(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count + 1)] + text.utf8.flatMap { [$0, 0] } + [0, 0]
    }

    @Test("DeviceInfo")
    func deviceInfo() {
        let info = DeviceInfoDataset(
            identity: Initiator.identity, operations: [.getDeviceInfo, .getPartialObject64], events: [.objectAdded],
            properties: [.deviceFriendlyName], captureFormats: [.exifJPEG], formats: [.association, .dng])
        var expected: [UInt8] = [100, 0, 6, 0, 0, 0, 100, 0]
        expected += Self.text("microsoft.com: 1.0;")
        expected += [0, 0, 2, 0, 0, 0, 0x01, 0x10, 0xc1, 0x95, 1, 0, 0, 0, 0x02, 0x40, 1, 0, 0, 0, 0x02, 0xd4]
        expected += [1, 0, 0, 0, 0x01, 0x38, 2, 0, 0, 0, 0x01, 0x30, 0x11, 0x38]
        expected += Self.text("Pinhole") + Self.text("Pinhole Camera") + Self.text("1.2")
        expected += Self.text("0000000000000000000000005c0ffee5")
        #expect(info.bytes == expected)
    }

    @Test("StorageInfo")
    func storageInfo() {
        let info = StorageInfoDataset(
            access: .readOnlyWithDeletion, space: StoreSpace(capacity: 0x1_0000_0002, free: 3), description: "Photos",
            volumeIdentifier: "5c0ffee5")
        var expected: [UInt8] = [4, 0, 3, 0, 2, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
        expected += [255, 255, 255, 255] + Self.text("Photos") + Self.text("5c0ffee5")
        #expect(info.bytes == expected)
    }

    @Test("ObjectInfo describes a photo")
    func objectInfo() throws {
        let thumbnail = StoredObject.Thumbnail.jpeg(byteCount: 3, width: 160, height: 120)
        let info = ObjectInfoDataset(try Self.photo(), storage: Responder.storage, thumbnail: thumbnail)
        var expected: [UInt8] = [1, 0, 1, 0, 0x01, 0x38, 0, 0, 4, 3, 2, 1, 0x08, 0x38, 3, 0, 0, 0]
        expected += [160, 0, 0, 0, 120, 0, 0, 0, 0xd8, 0x0f, 0, 0, 0xe0, 0x0b, 0, 0, 24, 0, 0, 0]
        expected += [0x64, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        expected += Self.text("P.JPG") + Self.date + Self.date + [0]
        #expect(info.bytes == expected)
    }

    @Test("ObjectInfo describes a folder, and a photo of more than 4 GiB without a thumbnail")
    func otherObjectInfo() throws {
        let folder = ObjectInfoDataset(Self.folder, storage: Responder.storage, thumbnail: .absent)
        var expected: [UInt8] = [1, 0, 1, 0, 0x01, 0x30, 0, 0] + [UInt8](repeating: 0, count: 34)
        expected += [1, 0, 0, 0, 0, 0, 0, 0, 0, 0] + Self.text("DCIM") + [0, 0, 0]
        #expect(folder.bytes == expected)
        let large = ObjectInfoDataset(
            try Self.photo(byteCount: 5_000_000_000), storage: Responder.storage, thumbnail: .absent)
        #expect(Array(large.bytes[8..<18]) == [255, 255, 255, 255, 0, 0, 0, 0, 0, 0])
    }

    @Test("ObjectInfo that is written can be read, also without its last texts")
    func readObjectInfo() throws {
        let info = ObjectInfoDataset(try Self.photo(), storage: Responder.storage, thumbnail: .absent)
        #expect(try ObjectInfoDataset(reading: info.bytes) == info)
        let short = try ObjectInfoDataset(reading: Array(info.bytes.prefix(52)))
        #expect(short.name == "" && short.captureDate == "" && short.modificationDate == "")
        #expect(short.compressedSize == 0x0102_0304 && short.parent == .directory(100))
        let named = try ObjectInfoDataset(reading: Array(info.bytes.prefix(65)))
        #expect(named.name == "P.JPG" && named.captureDate == "")
    }

    @Test("ObjectInfo that is cut off is refused")
    func cutObjectInfo() throws {
        let bytes = ObjectInfoDataset(try Self.photo(), storage: 0, thumbnail: .absent).bytes
        for count in 0..<bytes.count where ![52, 65, 98, 131].contains(count) {
            #expect(throws: DatasetError.truncated) { try ObjectInfoDataset(reading: Array(bytes.prefix(count))) }
        }
    }

    @Test("DevicePropDesc can have a form or none")
    func deviceProperties() {
        let battery = DevicePropDescDataset(
            code: .batteryLevel, factoryDefault: .uint8(100), current: .uint8(55),
            form: .range(.uint8(0), .uint8(100), step: .uint8(1)))
        #expect(battery.bytes == [0x01, 0x50, 2, 0, 0, 100, 55, 1, 0, 100, 1])
        let date = DevicePropDescDataset(
            code: .dateTime, factoryDefault: .text(""), current: .text("20261130T101500"))
        #expect(date.bytes == [0x11, 0x50, 255, 255, 0, 0] + Self.date + [0])
    }

    @Test("ObjectPropDesc")
    func objectPropertyDescription() {
        func bytes(_ code: ObjectPropertyCode) -> [UInt8] { ObjectPropDescDataset(code: code, format: .dng).bytes }
        #expect(bytes(.storageID) == [0x01, 0xdc, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(bytes(.objectFormat) == [0x02, 0xdc, 4, 0, 0, 0x11, 0x38, 0, 0, 0, 0, 0])
        #expect(bytes(.objectSize) == [0x04, 0xdc, 8, 0, 0] + [UInt8](repeating: 0, count: 13))
        #expect(bytes(.dateModified) == [0x09, 0xdc, 255, 255, 0, 0, 0, 0, 0, 0, 3])
        #expect(bytes(.persistentUniqueObjectIdentifier) == [0x41, 0xdc, 10, 0, 0] + [UInt8](repeating: 0, count: 21))
    }

    @Test("ObjectPropList")
    func objectPropertyList() throws {
        let objects = [Self.folder, try Self.photo()]
        let sizes = ObjectPropListDataset(objects: objects, storage: Responder.storage, code: .objectSize)
        var expected: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0x40, 0x04, 0xdc, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        expected += [0x41, 0x42, 0x0f, 0, 0x04, 0xdc, 8, 0, 4, 3, 2, 1, 0, 0, 0, 0]
        #expect(sizes.bytes == expected)
        let dates = ObjectPropListDataset(objects: objects, storage: Responder.storage, code: .dateCreated)
        #expect(dates.bytes == [1, 0, 0, 0, 0x41, 0x42, 0x0f, 0, 0x08, 0xdc, 255, 255] + Self.date)
        let all = ObjectPropListDataset(objects: objects, storage: Responder.storage, code: nil)
        #expect(all.bytes.first == 18)
    }

    @Test("photos and folders have the value of each property")
    func objectProperties() throws {
        let photo = try Self.photo()
        func value(_ code: ObjectPropertyCode) -> PropertyValue { code.value(of: photo, storage: 7) }
        #expect(value(.storageID) == .uint32(7))
        #expect(value(.objectFormat) == .uint16(ObjectFormat.exifJPEG.rawValue))
        #expect(value(.protectionStatus) == .uint16(0))
        #expect(value(.objectSize) == .uint64(0x0102_0304))
        #expect(value(.objectFileName) == .text("P.JPG"))
        #expect(value(.dateCreated) == .text("20261130T101500"))
        #expect(value(.dateModified) == .text("20261130T101500"))
        #expect(value(.parentObject) == .uint32(.directory(100)))
        #expect(value(.name) == .text("P.JPG"))
        let identifier = PropertyValue.uint128(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0e)
        #expect(value(.persistentUniqueObjectIdentifier) == identifier)
        let folder = ObjectPropertyCode.persistentUniqueObjectIdentifier.value(of: Self.folder, storage: 7)
        #expect(folder == .uint128(high: 0, low: UInt64(ObjectHandle.dcim)))
        for code in ObjectPropertyCode.allCases { #expect(value(code).type == code.type) }
    }
}
