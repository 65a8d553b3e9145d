import Offload
import PTP
import PinholeTesting
import Testing

/// Files that an initiator brings.
@Suite struct ResponderUploadTests {
    private static let bytes: [UInt8] = [0xff, 0xd8, 1, 2, 3, 0xff, 0xd9]
    private static let announcement = Initiator.announcement(7)

    @Test("a file that is announced and sent becomes an object")
    func upload() {
        var initiator = Initiator()
        let announced = initiator.ask(.sendObjectInfo, Responder.storage, 0, sending: Self.announcement)
        #expect(announced == .init(.ok, [Responder.storage, .directory(100), 0x8000_0000]))
        #expect(initiator.store.uploaded.isEmpty)
        #expect(initiator.ask(.sendObject, sending: Self.bytes) == .init(.ok))
        let expected = MemoryObjectStore.Uploaded(name: "holiday.jpg", format: .jpeg, bytes: Self.bytes)
        #expect(initiator.store.uploaded == [expected])
        #expect(initiator.ask(.getObject, 0x8000_0000) == .init(.ok, data: Self.bytes))
        #expect(initiator.ask(.sendObject, sending: Self.bytes) == .init(.noValidObjectInfo))
        #expect(initiator.store.openCount == 0)
    }

    @Test(
        "a file can be sent to the root and to our folders",
        arguments: [0, .max, ObjectHandle.dcim, .directory(100)] as [UInt32])
    func parents(parent: UInt32) {
        var initiator = Initiator()
        initiator.store.add()
        #expect(initiator.ask(.sendObjectInfo, 0, parent, sending: Self.announcement).code == .ok)
    }

    @Test(
        "a file for any other parent is refused",
        arguments: [1, .file(100, 1), .directory(101), 0x8000_0000] as [UInt32])
    func wrongParents(parent: UInt32) {
        var initiator = Initiator()
        initiator.store.add()
        let answer = initiator.ask(.sendObjectInfo, Responder.storage, parent, sending: Self.announcement)
        #expect(answer == .init(.invalidParentObject))
    }

    @Test("a client with add-only access sees no folder and can add files")
    func addOnly() {
        let store = MemoryObjectStore(access: StoreAccess(mayAdd: true, mayRead: false))
        var initiator = Initiator(store)
        let unseen = initiator.ask(.sendObjectInfo, 0, ObjectHandle.dcim, sending: Self.announcement)
        #expect(unseen == .init(.invalidParentObject))
        #expect(initiator.ask(.sendObjectInfo, 0, .max, sending: Self.announcement).code == .ok)
        #expect(initiator.ask(.sendObject, sending: Self.bytes) == .init(.ok))
        #expect(store.uploaded.count == 1)
        #expect(initiator.ask(.getObjectInfo, 0x8000_0000) == .init(.invalidObjectHandle))
    }

    @Test("a client that is not allowed to add is refused, whatever it can see", arguments: [false, true])
    func withoutRights(mayRead: Bool) {
        var initiator = Initiator(MemoryObjectStore(access: StoreAccess(mayAdd: false, mayRead: mayRead)))
        #expect(initiator.ask(.sendObjectInfo, 0, 0, sending: Self.announcement) == .init(.storeReadOnly))
        #expect(initiator.ask(.sendObject, sending: Self.bytes) == .init(.noValidObjectInfo))
    }

    @Test(
        "an announcement with a wrong store, a folder, an unknown format, a size over 32 bits or no dataset is refused")
    func refusals() {
        var initiator = Initiator()
        func announcement(_ format: UInt16) -> [UInt8] { Initiator.announcement(7, format: format) }
        #expect(initiator.ask(.sendObjectInfo, .max, 0, sending: Self.announcement) == .init(.invalidStorageID))
        #expect(
            initiator.ask(.sendObjectInfo, 0, 0, sending: announcement(ObjectFormat.association.rawValue))
                == .init(.accessDenied))
        let mp3: UInt16 = 0x3009
        #expect(initiator.ask(.sendObjectInfo, 0, 0, sending: announcement(mp3)) == .init(.invalidObjectFormatCode))
        let large = Initiator.announcement(.max)
        #expect(initiator.ask(.sendObjectInfo, 0, 0, sending: large) == .init(.objectTooLarge))
        for count in 0..<52 {
            let answer = initiator.ask(.sendObjectInfo, 0, 0, sending: Array(Self.announcement.prefix(count)))
            #expect(answer == .init(.invalidDataset))
        }
        let long = Self.announcement + [UInt8](repeating: 0, count: 5000)
        #expect(initiator.ask(.sendObjectInfo, 0, 0, sending: long) == .init(.invalidDataset))
        #expect(initiator.ask(.sendObject, sending: Self.bytes) == .init(.noValidObjectInfo))
        #expect(initiator.store.openCount == 0)
    }

    @Test("an upload that the store refuses is refused")
    func storeRefuses() {
        var initiator = Initiator()
        initiator.store.setSpace(StoreSpace(capacity: 100, free: 6))
        #expect(initiator.ask(.sendObjectInfo, 0, 0, sending: Self.announcement) == .init(.storeFull))
    }

    @Test("a file whose length differs from the announcement is discarded", arguments: [0, 6, 8])
    func wrongLength(count: Int) {
        var initiator = Initiator()
        initiator.ask(.sendObjectInfo, 0, 0, sending: Self.announcement)
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(initiator.ask(.sendObject, sending: bytes) == .init(.incompleteTransfer))
        #expect(initiator.ask(.sendObject, sending: Self.bytes) == .init(.noValidObjectInfo))
        #expect(initiator.store.uploaded.isEmpty && initiator.store.openCount == 0)
    }

    @Test("an announcement is valid until the next one, the end of the session or a reset")
    func forgotten() {
        var initiator = Initiator()
        initiator.ask(.sendObjectInfo, 0, 0, sending: Self.announcement)
        #expect(initiator.ask(.getStorageIDs).code == .ok)
        initiator.ask(.sendObjectInfo, 0, 0, sending: Initiator.announcement(2))
        #expect(initiator.store.openCount == 1)
        #expect(initiator.ask(.sendObject, sending: [1, 2]) == .init(.ok))
        initiator.ask(.sendObjectInfo, 0, 0, sending: Self.announcement)
        initiator.ask(.sendObjectInfo, 9, 0, sending: Self.announcement)
        #expect(initiator.ask(.sendObject, sending: Self.bytes) == .init(.noValidObjectInfo))
        initiator.ask(.sendObjectInfo, 0, 0, sending: Self.announcement)
        initiator.ask(.closeSession)
        #expect(initiator.store.openCount == 0)
        initiator.ask(.openSession, 1)
        #expect(initiator.ask(.sendObject, sending: Self.bytes) == .init(.noValidObjectInfo))
        initiator.ask(.sendObjectInfo, 0, 0, sending: Self.announcement)
        initiator.responder.reset()
        #expect(initiator.store.openCount == 0)
        #expect(initiator.store.uploaded.map(\.bytes) == [[1, 2]])
    }
}
