import Offload
import PTP
import PinholeTesting
import Testing

/// What an initiator is told unasked.
@Suite struct ResponderEventTests {
    private static let anew = [
        ResponderEvent(.storeRemoved, [Responder.storage]), ResponderEvent(.storeAdded, [Responder.storage]),
    ]

    @Test("every change has its events")
    func changes() {
        let responder = Initiator().responder
        #expect(responder.events(for: .added([5, 6])) == [.init(.objectAdded, [5]), .init(.objectAdded, [6])])
        #expect(responder.events(for: .removed([6, 5])) == [.init(.objectRemoved, [6]), .init(.objectRemoved, [5])])
        #expect(responder.events(for: .changed([5])) == [.init(.objectInfoChanged, [5])])
        #expect(responder.events(for: .replaced) == Self.anew)
        #expect(responder.events(for: .spaceChanged) == [.init(.storageInfoChanged, [Responder.storage])])
        #expect(responder.events(for: .full) == [.init(.storeFull, [Responder.storage])])
        #expect(
            responder.events(for: .captureCompleted(request: 9)) == [
                ResponderEvent(.captureComplete, transaction: 9, [9])
            ])
    }

    @Test("of many objects it is said only that everything is to be listed anew")
    func many() {
        let responder = Initiator().responder
        let handles = (1...101).map { UInt32($0) }
        #expect(responder.events(for: .added(Array(handles.dropLast()))).count == 100)
        for change in [StoreChange.added(handles), .removed(handles), .changed(handles)] {
            #expect(responder.events(for: change) == Self.anew)
        }
    }

    @Test("nothing is told without a session")
    func withoutSession() {
        var initiator = Initiator(hasSession: false)
        #expect(initiator.responder.events(for: .replaced).isEmpty)
        initiator.ask(.openSession, 1)
        initiator.ask(.closeSession)
        #expect(initiator.responder.events(for: .added([5])).isEmpty)
    }

    @Test("objects are not named to one who may not see them")
    func withoutRights() {
        let responder = Initiator(MemoryObjectStore(access: StoreAccess(mayAdd: true, mayRead: false))).responder
        for change in [StoreChange.added([5]), .removed([5]), .changed([5])] {
            #expect(responder.events(for: change).isEmpty)
        }
        #expect(responder.events(for: .captureCompleted(request: 9)).count == 1)
    }
}
