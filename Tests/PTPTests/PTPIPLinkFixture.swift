import Foundation
import Platform
import Synchronization
import Testing

@testable import PTP

/// A link with both of its far ends, and the thread that calls it.
struct PTPIPLinkFixture {
    let link: PTPIPLink
    let command: PTPIPFarEnd
    let events: PTPIPFarEnd
    let thread = WorkerThread(name: "link")

    init(patience: Duration = .seconds(60)) throws {
        func end() throws -> (PTPIPSocket, PTPIPFarEnd) {
            var ends: [Int32] = [-1, -1]
            try #require(
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            let near = Descriptor(owning: ends[0])
            let far = PTPIPFarEnd(Descriptor(owning: ends[1]))
            try near.setNonblocking(true)
            return (PTPIPSocket(near), far)
        }
        let (near, command) = try end()
        let (nearEvents, events) = try end()
        link = try PTPIPLink(command: near, events: nearEvents, patience: patience)
        self.command = command
        self.events = events
    }

    /// Starts a call on the link's thread.
    func start<Success: Sendable>(
        _ call: @escaping @Sendable (PTPIPLink) throws(LinkError) -> Success
    ) -> PendingCall<Success> {
        let pending = PendingCall<Success>()
        thread.submit { [link] in
            do throws(LinkError) {
                pending.finish(.success(try call(link)))
            } catch {
                pending.finish(.failure(error))
            }
        }
        return pending
    }

    /// Runs a call on the link's thread.
    func run<Success: Sendable>(
        _ call: @escaping @Sendable (PTPIPLink) throws(LinkError) -> Success
    ) throws(LinkError) -> Success {
        try start(call).result().get()
    }

    /// Sends an operation and has it received.
    func begin(_ code: OperationCode, _ transaction: UInt32) throws -> OperationRequest {
        try command.send(code, transaction)
        return try run { (link) throws(LinkError) in try link.receiveOperation() }
    }

    /// Ends the link and its thread.
    func end() async {
        link.close()
        await thread.stop()
    }
}

/// A call that runs on another thread.
final class PendingCall<Success: Sendable>: Sendable {
    private let outcome: Mutex<Result<Success, LinkError>?>
    private let isDone = Platform.Semaphore()

    init() {
        outcome = Mutex(nil)
    }

    func finish(_ result: Result<Success, LinkError>) {
        outcome.withLock { $0 = result }
        isDone.signal()
    }

    /// Waits for its end, which comes without Swift's pool: that may be busy with tests that wait.
    func result() -> Result<Success, LinkError> {
        isDone.wait()
        isDone.signal()
        return outcome.withLock { $0 } ?? .failure(.closed)
    }
}
