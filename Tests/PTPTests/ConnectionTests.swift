import Offload
import PTP
import PinholeTesting
import Platform
import Testing

@Suite struct ConnectionTests {
    private typealias Step = ScriptedLink.Step

    /// Runs a connection to the end of the script.
    private static func run(_ store: any ObjectStore, _ steps: [Step]) -> ScriptedLink {
        let link = ScriptedLink(steps)
        let responder = Responder(
            identity: Initiator.identity, store: store, properties: FixedDeviceProperties(batteryLevel: nil))
        Connection(link: link, store: store, responder: responder).run()
        return link
    }

    private static let open = Step(.openSession, [1])
    private static let announcement = Step(.sendObjectInfo, data: [Initiator.announcement(6)])

    @Test("operations are answered in order, with their data phases, until the link is closed")
    func answers() {
        let store = MemoryObjectStore()
        let handles = store.add(1, files: [.init(.jpeg, byteCount: 2500)])
        let link = Self.run(store, [Self.open, Step(.getObject, handles), Step(.closeSession)])
        #expect(
            link.sent == [
                .response(.ok), .data(store.bytes(of: handles[0]) ?? []), .response(.ok), .response(.ok), .closed,
            ])
        #expect(store.openCount == 0)
        // No event is sent any more.
        store.add()
        #expect(link.sent.last == .closed)
    }

    @Test("a transaction that the initiator abandons ends with one code")
    func cancelled() {
        let store = MemoryObjectStore()
        let handles = store.add()
        let link = Self.run(
            store, [Self.open, Step(.getObject, handles, failure: .cancelled), Step(.getObjectHandles, [.max, 0, 0])])
        #expect(link.responses == [.ok, .transactionCancelled, .ok])
    }

    @Test("a file that cannot be read to its end is an incomplete transfer")
    func shortFile() {
        let store = MemoryObjectStore()
        let handles = store.add()
        let link = Self.run(store, [Self.open, Step(.getObject, handles, room: 2000)])
        #expect(link.responses == [.ok, .incompleteTransfer])
    }

    @Test("a complete upload is kept, however it is split")
    func upload() {
        let store = MemoryObjectStore()
        let link = Self.run(store, [Self.open, Self.announcement, Step(.sendObject, data: [[1, 2], [3, 4, 5, 6]])])
        #expect(link.responses == [.ok, .ok, .ok])
        #expect(store.uploaded.map(\.bytes) == [[1, 2, 3, 4, 5, 6]])
    }

    @Test(
        "an upload that is too short or too long is discarded", arguments: [[[1, 2]], [[1, 2], [3, 4, 5, 6, 7]]])
    func wrongUpload(data: [[UInt8]]) {
        let store = MemoryObjectStore()
        let link = Self.run(store, [Self.open, Self.announcement, Step(.sendObject, data: data)])
        #expect(link.responses == [.ok, .ok, .incompleteTransfer])
        #expect(store.uploaded.isEmpty)
        #expect(store.openCount == 0)
    }

    @Test(
        "an upload that is canceled, reset or cut off is discarded",
        arguments: [.cancelled, .reset, .closed] as [LinkError])
    func brokenUpload(failure: LinkError) {
        let store = MemoryObjectStore()
        let link = Self.run(
            store,
            [
                Self.open, Self.announcement, Step(.sendObject, data: [[1, 2]], failure: failure),
                Step(.sendObject, data: [[1, 2, 3, 4, 5, 6]]),
            ])
        switch failure {
        case .cancelled: #expect(link.responses == [.ok, .ok, .transactionCancelled, .noValidObjectInfo])
        case .reset: #expect(link.responses == [.ok, .ok, .sessionNotOpen])
        case .closed: #expect(link.responses == [.ok, .ok])
        }
        #expect(store.uploaded.isEmpty)
        #expect(store.openCount == 0)
    }

    @Test("a dataset that is too long is refused, and the session continues")
    func largeDataset() {
        let store = MemoryObjectStore()
        let link = Self.run(
            store,
            [
                Self.open,
                Step(.sendObjectInfo, data: [Initiator.announcement(6)] + Array(repeating: [0, 0], count: 5000)),
                Step(.getStorageIDs),
            ])
        #expect(link.responses == [.ok, .invalidDataset, .ok])
        #expect(store.openCount == 0)
    }

    @Test("a reset ends the session but not the connection")
    func reset() {
        let link = Self.run(
            MemoryObjectStore(),
            [
                Self.open, .failing(.reset), Step(.getStorageIDs), Self.open, .failing(.cancelled),
                Step(.getStorageIDs),
            ])
        #expect(link.responses == [.ok, .sessionNotOpen, .ok, .ok])
    }

    @Test("changes are reported while a file is being sent")
    func eventsWhileSending() {
        let store = MemoryObjectStore()
        let handles = store.add()
        let added = handles[0] + 1
        let link = Self.run(
            store,
            [Self.open, Step(.getObject, handles, meanwhile: { store.report(.added([added])) })])
        #expect(
            Array(link.sent.suffix(4)) == [
                .event(ResponderEvent(.objectAdded, [added])), .data(store.bytes(of: handles[0]) ?? []),
                .response(.ok), .closed,
            ])
    }

    @Test("reporting a change never waits for a running operation, and the initiator receives the event afterwards")
    func eventsWhileDeciding() {
        let memory = MemoryObjectStore()
        let handles = memory.add()
        let store = WatchedStore(memory, onDelete: { memory.report(.full) })
        let link = Self.run(store, [Self.open, Step(.deleteObject, handles)])
        #expect(link.responses == [.ok, .ok])
        #expect(link.sent.contains(.event(ResponderEvent(.storeFull, [Responder.storage]))))
    }

    @Test("without a session no event is sent")
    func noSession() {
        let store = MemoryObjectStore()
        let link = Self.run(store, [Step(.getDeviceInfo, meanwhile: { store.add() })])
        #expect(link.responses == [.ok])
        #expect(link.sent.count == 3)
    }
}
