import Offload
import PTP
import PinholeTesting
import Testing

/// The events that an initiator receives.
@Suite struct ResponderEventTests {
    private static let everythingChanged = [
        ResponderEvent(.storeRemoved, [Responder.storage]), ResponderEvent(.storeAdded, [Responder.storage]),
    ]

    @Test("each kind of change has its events")
    func changes() {
        let responder = Initiator().responder
        #expect(responder.events(for: .added([5, 6])) == [.init(.objectAdded, [5]), .init(.objectAdded, [6])])
        #expect(responder.events(for: .removed([6, 5])) == [.init(.objectRemoved, [6]), .init(.objectRemoved, [5])])
        #expect(responder.events(for: .changed([5])) == [.init(.objectInfoChanged, [5])])
        #expect(responder.events(for: .replaced) == Self.everythingChanged)
        #expect(responder.events(for: .spaceChanged) == [.init(.storageInfoChanged, [Responder.storage])])
        #expect(responder.events(for: .full) == [.init(.storeFull, [Responder.storage])])
        #expect(
            responder.events(for: .captureCompleted(request: 9)) == [
                ResponderEvent(.captureComplete, transaction: 9, [9])
            ])
    }

    @Test("for many objects, one event asks to list everything again")
    func many() {
        let responder = Initiator().responder
        let handles = (1...101).map { UInt32($0) }
        #expect(responder.events(for: .added(Array(handles.dropLast()))).count == 100)
        for change in [StoreChange.added(handles), .removed(handles), .changed(handles)] {
            #expect(responder.events(for: change) == Self.everythingChanged)
        }
    }

    @Test("no event is sent without a session")
    func withoutSession() {
        var initiator = Initiator(hasSession: false)
        #expect(initiator.responder.events(for: .replaced).isEmpty)
        initiator.ask(.openSession, 1)
        initiator.ask(.closeSession)
        #expect(initiator.responder.events(for: .added([5])).isEmpty)
    }

    @Test("no event names an object that the client cannot see")
    func withoutRights() {
        let responder = Initiator(MemoryObjectStore(access: StoreAccess(mayAdd: true, mayRead: false))).responder
        for change in [StoreChange.added([5]), .removed([5]), .changed([5])] {
            #expect(responder.events(for: change).isEmpty)
        }
        #expect(responder.events(for: .captureCompleted(request: 9)).count == 1)
    }
}
