import PTP
import PinholeTesting
import Synchronization

/// A link whose initiator does what a test has written down, and then leaves.
final class ScriptedLink: Link {
    /// One operation and what goes with it.
    struct Step {
        var request: OperationRequest
        /// The data phase of the initiator, in pieces.
        var data: [[UInt8]] = []
        /// How its data phase, or that of the responder, fails.
        var failure: LinkError?
        /// Bytes that can be sent of the responder's data phase.
        var room = Int.max
        /// Runs in the middle of the data phase.
        var meanwhile: @Sendable () -> Void = {}
        /// How waiting for it fails.
        var waitingFailure: LinkError?

        init(
            _ code: OperationCode, _ parameters: [UInt32] = [], transaction: UInt32 = 1, data: [[UInt8]] = [],
            failure: LinkError? = nil, room: Int = .max, meanwhile: @escaping @Sendable () -> Void = {}
        ) {
            request = OperationRequest(code.rawValue, transaction: transaction, parameters: parameters)
            (self.data, self.failure, self.room, self.meanwhile) = (data, failure, room, meanwhile)
        }

        /// Waiting for an operation fails.
        static func failing(_ failure: LinkError) -> Step {
            var step = Step(.getDeviceInfo)
            step.waitingFailure = failure
            return step
        }
    }

    /// What the responder has sent.
    enum Sent: Hashable {
        case data([UInt8])
        case response(ResponseCode)
        case event(ResponderEvent)
        case closed
    }

    private struct State {
        var steps: [Step]
        var current: Step?
        var sent: [Sent] = []
    }

    private let state: Mutex<State>

    init(_ steps: [Step]) {
        state = Mutex(State(steps: steps.reversed()))
    }

    /// Everything, in its order.
    var sent: [Sent] { state.withLock { $0.sent } }
    /// The responses alone.
    var responses: [ResponseCode] {
        sent.compactMap {
            if case .response(let code) = $0 { code } else { nil }
        }
    }

    func receiveOperation() throws(LinkError) -> OperationRequest {
        guard
            let step = state.withLock({ state in
                state.current = state.steps.popLast()
                return state.current
            })
        else { throw .closed }
        if let failure = step.waitingFailure { throw failure }
        return step.request
    }

    func receiveData(
        of request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(LinkError) {
        guard let step = state.withLock({ $0.current }) else { throw .closed }
        for piece in step.data where !piece.withUnsafeBytes({ body($0) }) { break }
        step.meanwhile()
        if let failure = step.failure { throw failure }
    }

    func sendData(
        of request: OperationRequest, byteCount: UInt64, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(LinkError) -> Bool {
        guard let step = state.withLock({ $0.current }) else { throw .closed }
        var data: [UInt8] = []
        while data.count < byteCount, data.count < step.room {
            var buffer = [UInt8](repeating: 0, count: min(1000, Int(byteCount) - data.count))
            let count = buffer.withUnsafeMutableBytes { fill($0) }
            data += buffer.prefix(count)
            if count < buffer.count { break }
        }
        step.meanwhile()
        if let failure = step.failure { throw failure }
        state.withLock { $0.sent.append(.data(data)) }
        return data.count == byteCount
    }

    func send(_ response: OperationResponse, for request: OperationRequest) throws(LinkError) {
        state.withLock { $0.sent.append(.response(response.code)) }
    }

    func send(_ event: ResponderEvent) {
        state.withLock { $0.sent.append(.event(event)) }
    }

    func close() {
        state.withLock { $0.sent.append(.closed) }
    }
}
