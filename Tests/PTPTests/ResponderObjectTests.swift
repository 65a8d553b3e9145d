import Offload
import PinholeTesting
import Testing

@testable import PTP

/// What is asked about objects by PTP's own operations, and deletion.
@Suite struct ResponderObjectTests {
    private static let raw = [
        MemoryObjectStore.File(.jpeg, byteCount: 300), MemoryObjectStore.File(.dng, byteCount: 900),
    ]
    /// Two photos, the second with raw data.
    private static let everything: [UInt32] = [
        ObjectHandle.dcim, .directory(100), .file(100, 1), .file(100, 2), .file(100, 2, resource: 1),
    ]

    private static func initiator() -> Initiator {
        let store = MemoryObjectStore()
        store.add(files: [MemoryObjectStore.File(.jpeg, byteCount: 300)])
        store.add(files: raw)
        return Initiator(store)
    }

    private static func nothing() -> Initiator {
        let store = MemoryObjectStore(access: StoreAccess(mayAdd: false, mayRead: false))
        store.add(2)
        return Initiator(store)
    }

    @Test("only an initiator that looks for photos in vain causes another prompt")
    func asking() {
        var initiator = Self.nothing()
        #expect(initiator.store.questions == 0)
        for (count, operation) in [OperationCode.getNumObjects, .getObjectHandles, .getObjectInfo].enumerated() {
            _ = initiator.ask(operation, .max, 0, 0)
            #expect(initiator.store.questions == count + 1)
        }
        initiator.store.allow(StoreAccess(mayAdd: true, mayRead: true))
        _ = initiator.ask(.getObjectHandles, .max, 0, 0)
        #expect(initiator.store.questions == 3)
    }

    @Test("objects are listed by folder and format, parents before children")
    func listing() {
        var initiator = Self.initiator()
        let questions: [(UInt32, UInt32, UInt32, [UInt32])] = [
            (.max, 0, 0, Self.everything), (Responder.storage, 0, 0, Self.everything),
            (.max, 0, .max, [ObjectHandle.dcim]), (.max, 0, ObjectHandle.dcim, [.directory(100)]),
            (.max, 0, .directory(100), [.file(100, 1), .file(100, 2), .file(100, 2, resource: 1)]),
            (.max, .format(.dng), 0, [.file(100, 2, resource: 1)]),
            (.max, .format(.exifJPEG), .directory(100), [.file(100, 1), .file(100, 2)]),
            (.max, .format(.association), 0, [ObjectHandle.dcim, .directory(100)]),
            (.max, .max, 0, [.file(100, 1), .file(100, 2), .file(100, 2, resource: 1)]), (.max, 0x1234_5678, 0, []),
        ]
        for (storage, format, parent, expected) in questions {
            let handles = initiator.ask(.getObjectHandles, storage, format, parent)
            #expect(handles.code == .ok)
            #expect(Initiator.numbers(handles) == expected)
            let count = initiator.ask(.getNumObjects, storage, format, parent)
            #expect(count == .init(.ok, [UInt32(expected.count)]))
        }
    }

    @Test(
        "a listing of an unknown store or folder is refused",
        arguments: [OperationCode.getObjectHandles, .getNumObjects])
    func wrongListing(operation: OperationCode) {
        var initiator = Self.initiator()
        #expect(initiator.ask(operation, 2) == .init(.invalidStorageID))
        #expect(initiator.ask(operation) == .init(.invalidStorageID))
        #expect(initiator.ask(operation, .max, 0, 5) == .init(.invalidObjectHandle))
        #expect(initiator.ask(operation, .max, 0, .file(100, 1)) == .init(.invalidParentObject))
    }

    @Test("before consent the store is empty, and no handle is known")
    func beforeConsent() {
        var initiator = Self.nothing()
        #expect(initiator.ask(.getObjectHandles, .max) == .init(.ok, data: [0, 0, 0, 0]))
        #expect(initiator.ask(.getNumObjects, .max) == .init(.ok, [0]))
        let operations: [OperationCode] = [
            .getObjectInfo, .getObject, .getThumb, .getPartialObject, .getPartialObject64, .deleteObject,
        ]
        for operation in operations {
            for handle: UInt32 in [ObjectHandle.dcim, .file(100, 1)] {
                #expect(initiator.ask(operation, handle) == .init(.invalidObjectHandle))
            }
        }
        #expect(initiator.ask(.getObjectPropValue, .file(100, 1), .property(.storageID)) == .init(.invalidObjectHandle))
        #expect(initiator.ask(.getObjectPropList, .file(100, 1), 0, .max) == .init(.invalidObjectHandle))
        #expect(initiator.ask(.getObjectPropList, .max, 0, .max, 0, .max) == .init(.ok, data: [0, 0, 0, 0]))
        #expect(initiator.store.deleted.isEmpty)
    }

    @Test("a change of access takes effect at once")
    func access() {
        var initiator = Self.nothing()
        initiator.store.allow(StoreAccess(mayAdd: false, mayRead: true))
        #expect(initiator.ask(.getNumObjects, .max) == .init(.ok, [4]))
        #expect(initiator.ask(.getObject, .file(100, 1)).code == .ok)
        initiator.store.allow(StoreAccess(mayAdd: true, mayRead: false))
        #expect(initiator.ask(.getNumObjects, .max) == .init(.ok, [0]))
        #expect(initiator.ask(.getObject, .file(100, 1)).code == .invalidObjectHandle)
    }

    @Test(
        "a request for an object that does not exist is refused",
        arguments: [0, 1, .file(100, 3), .directory(101), 0x8000_0000, .max] as [UInt32])
    func unknownHandle(handle: UInt32) {
        var initiator = Self.initiator()
        let operations: [OperationCode] = [
            .getObjectInfo, .getObject, .getThumb, .getPartialObject, .getPartialObject64,
        ]
        for operation in operations { #expect(initiator.ask(operation, handle) == .init(.invalidObjectHandle)) }
        #expect(initiator.ask(.getObjectPropValue, handle, .property(.storageID)) == .init(.invalidObjectHandle))
    }

    @Test("the information about a photo includes its thumbnail")
    func objectInfo() throws {
        var initiator = Self.initiator()
        let bytes = try #require(initiator.ask(.getObjectInfo, .file(100, 1)).data)
        let info = try ObjectInfoDataset(reading: bytes)
        #expect(
            info.name == "PINH0001.JPG" && info.format == ObjectFormat.exifJPEG.rawValue && info.compressedSize == 300)
        #expect(info.parent == .directory(100) && info.storage == Responder.storage)
        #expect(info.thumbnailFormat == ObjectFormat.jfif.rawValue && info.thumbnailCompressedSize == 4)
        #expect(info.thumbnailWidth == 160 && info.thumbnailHeight == 120)
        initiator.store.setThumbnail(nil)
        let without = try #require(initiator.ask(.getObjectInfo, .file(100, 1)).data)
        #expect(try ObjectInfoDataset(reading: without).thumbnailFormat == 0)
        let folder = try #require(initiator.ask(.getObjectInfo, .directory(100)).data)
        let folderInfo = try ObjectInfoDataset(reading: folder)
        #expect(
            folderInfo.name == "100PINHL" && folderInfo.associationType == 1
                && folderInfo.format == ObjectFormat.association.rawValue)
    }

    @Test("a file is sent whole and unchanged")
    func wholeFile() {
        var initiator = Self.initiator()
        for handle: UInt32 in [.file(100, 1), .file(100, 2, resource: 1)] {
            #expect(initiator.ask(.getObject, handle) == .init(.ok, data: initiator.store.bytes(of: handle)))
        }
        #expect(initiator.ask(.getObject, .directory(100)) == .init(.invalidObjectHandle))
        #expect(initiator.store.openCount == 0)
    }

    @Test("a thumbnail is sent if the photo has one")
    func thumbnail() {
        var initiator = Self.initiator()
        #expect(initiator.ask(.getThumb, .file(100, 1)) == .init(.ok, data: MemoryObjectStore.smallPicture.bytes))
        #expect(initiator.ask(.getThumb, .directory(100)) == .init(.noThumbnailPresent))
        initiator.store.setThumbnail(nil)
        #expect(initiator.ask(.getThumb, .file(100, 1)) == .init(.noThumbnailPresent))
    }

    @Test("a part of a file is sent with its true length")
    func part() throws {
        var initiator = Self.initiator()
        let bytes = try #require(initiator.store.bytes(of: .file(100, 1)))
        let parts: [(offset: UInt32, count: UInt32, Range<Int>)] = [
            (0, 10, 0..<10), (290, 10, 290..<300), (290, 100, 290..<300), (0, .max, 0..<300), (300, 1, 300..<300),
            (5, 0, 5..<5),
        ]
        for (offset, count, range) in parts {
            let expected = Initiator.Answer(.ok, [UInt32(range.count)], data: Array(bytes[range]))
            #expect(initiator.ask(.getPartialObject, .file(100, 1), offset, count) == expected)
            #expect(initiator.ask(.getPartialObject64, .file(100, 1), offset, 0, count) == expected)
        }
        #expect(initiator.ask(.getPartialObject, .file(100, 1), 301, 1) == .init(.invalidParameter))
        #expect(initiator.ask(.getPartialObject64, .file(100, 1), 0, 1, 1) == .init(.invalidParameter))
        #expect(initiator.ask(.getPartialObject64, .file(100, 1), .max, .max, .max) == .init(.invalidParameter))
        #expect(initiator.ask(.getPartialObject, .directory(100), 0, 1) == .init(.invalidObjectHandle))
    }

    @Test("a file of more than 4 GiB has its full size, and its end can be read")
    func largeFile() throws {
        let store = MemoryObjectStore()
        let size: UInt64 = 6_000_000_000
        let handle = try #require(store.add(files: [MemoryObjectStore.File(.dng, byteCount: size)]).first)
        var initiator = Initiator(store)
        let whole = initiator.responder.begin(OperationRequest(.getObject, transaction: 9, parameters: [handle]))
        guard case .reply(let reply) = whole, case .content(_, let range) = reply.data else {
            Issue.record("no content")
            return
        }
        #expect(range == 0..<size)
        let offset = size - 3
        let tail = initiator.ask(
            .getPartialObject64, handle, UInt32(truncatingIfNeeded: offset), UInt32(offset >> 32), 100)
        #expect(tail.code == .ok && tail.parameters == [3] && tail.data?.count == 3)
        let most = initiator.ask(.getPartialObject64, handle, 0, 0, .max)
        #expect(most.parameters == [.max])
    }

    @Test("deleting one file of a photo deletes all its files")
    func deletion() {
        var initiator = Self.initiator()
        #expect(initiator.ask(.deleteObject, .file(100, 2, resource: 1)) == .init(.ok))
        #expect(initiator.store.deleted == [.file(100, 2, resource: 1), .file(100, 2)])
        #expect(initiator.ask(.getObjectInfo, .file(100, 2)) == .init(.invalidObjectHandle))
        #expect(initiator.ask(.deleteObject, .file(100, 2)) == .init(.invalidObjectHandle))
        #expect(initiator.ask(.getObjectInfo, .file(100, 1)).code == .ok)
    }

    @Test("only one photo at a time can be deleted, and only when the owner agrees")
    func refusedDeletion() {
        var initiator = Self.initiator()
        #expect(initiator.ask(.deleteObject, .max) == .init(.accessDenied))
        #expect(initiator.ask(.deleteObject, .max, .format(.exifJPEG)) == .init(.specificationByFormatUnsupported))
        #expect(initiator.ask(.deleteObject, ObjectHandle.dcim) == .init(.accessDenied))
        #expect(initiator.ask(.deleteObject, .directory(100)) == .init(.accessDenied))
        #expect(initiator.ask(.deleteObject, 5) == .init(.invalidObjectHandle))
        initiator.store.refuse(.accessDenied)
        #expect(initiator.ask(.deleteObject, .file(100, 1)) == .init(.accessDenied))
        #expect(initiator.store.deleted.isEmpty)
    }
}
