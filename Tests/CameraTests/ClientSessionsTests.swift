import Configuration
import Console
import Offload
import Photos
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import PTP
@testable import Camera

/// A computer that sends the requests of a test, and leaves when it must have received all results.
private final class AskingLink: Link {
    private struct State {
        var requests: [OperationRequest]
        var responses: [ResponseCode] = []
        var events: [EventCode] = []
    }

    private let state: Mutex<State>
    private let library: LibraryStore
    private let isCaptured: Semaphore?

    /// - Parameter waitsForCapture: whether it stays until it has received the event of a photo.
    init(_ library: LibraryStore, _ requests: [OperationRequest], waitsForCapture: Bool) {
        self.library = library
        isCaptured = waitsForCapture ? Semaphore() : nil
        state = Mutex(State(requests: requests))
    }

    var responses: [ResponseCode] { state.withLock { $0.responses } }
    var events: [EventCode] { state.withLock { $0.events } }

    func receiveOperation() throws(LinkError) -> OperationRequest {
        let next: OperationRequest? = state.withLock { $0.requests.isEmpty ? nil : $0.requests.removeFirst() }
        if let next { return next }
        isCaptured?.wait()
        let isTold = Semaphore()
        library.whenObserversKnow { isTold.signal() }
        isTold.wait()
        throw .closed
    }

    func receiveData(of request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Bool) throws(LinkError) {}

    func sendData(
        of request: OperationRequest, byteCount: UInt64, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(LinkError) -> Bool { true }

    func send(_ response: OperationResponse, for request: OperationRequest) throws(LinkError) {
        state.withLock { $0.responses.append(response.code) }
    }

    func send(_ event: ResponderEvent) {
        state.withLock { $0.events.append(event.code) }
        if event.code == .captureComplete { isCaptured?.signal() }
    }

    func close() {}
}

@Suite("The sessions of computers", .timeLimit(.minutes(10)))
struct ClientSessionsTests {
    @Test("a refused photo is reported by the response alone, a taken one by an event as well")
    func captures() async throws {
        let camera = try await CameraInProcess()
        let store = camera.appliance.parts.store
        let client = Client.named("ptpip")
        try await store.setGrant(client, level: .full)
        let ptp = PTPService(
            sessions: camera.appliance.clientSessions(), identity: camera.appliance.identity,
            properties: CameraProperties(camera.appliance.parts.time))
        let thread = WorkerThread(name: "host")
        func ask(isTaken: Bool) async -> AskingLink {
            let link = AskingLink(
                store,
                [
                    OperationRequest(.openSession, transaction: 0, parameters: [1]),
                    OperationRequest(.initiateCapture, transaction: 1),
                ], waitsForCapture: isTaken)
            await thread.run { ptp.serve(link, as: client) }
            return link
        }
        let taken = await ask(isTaken: true)
        #expect(taken.responses == [.ok, .ok])
        #expect(taken.events.contains(.objectAdded) && taken.events.last == .captureComplete)
        camera.appliance.shutter.close()
        let refused = await ask(isTaken: false)
        #expect(refused.responses.count == 2 && refused.responses.last != .ok)
        #expect(refused.events == [])
        await thread.stop()
        try await camera.end()
    }

    @Test("a photo that was accepted is kept when the cable is pulled before it is saved")
    func unplugged() async throws {
        let camera = try await CameraInProcess()
        let store = camera.appliance.parts.store
        for number in 1...5 {
            let client = Client.session("usb", number)
            store.beginSession(client)
            try await store.setGrant(client, level: .full)
            let result = await withCheckedContinuation { continuation in
                let refusal = camera.appliance.takePhoto(
                    Shutter.Shot(
                        client: client, moment: camera.appliance.parts.time.now,
                        completion: { continuation.resume(returning: $0) }))
                #expect(refusal == nil)
                store.endSession(client)
            }
            #expect((try? result.get()) != nil)
            #expect(try await store.statistics(for: .console).assets == number)
        }
        try await camera.end()
    }
}
