import Offload
import Synchronization

/// A connection with one initiator: runs a responder over a link from its first operation to its last.
///
/// - Isolation: `run` has a thread; the store's changes come on any other.
package final class Connection: Sendable {
    private struct State {
        /// Nil while it decides an operation, which can last as long as the owner takes to answer; never nil during a
        /// data phase.
        var responder: Responder?
        /// The changes since the responder was taken.
        var changes: [StoreChange] = []
    }

    private let link: any Link
    private let store: any ObjectStore
    private let state: Mutex<State>

    /// A connection that does not run yet.
    ///
    /// - Parameters:
    ///   - store: the store that the responder serves; its changes become events.
    package init(link: any Link, store: any ObjectStore, responder: Responder) {
        self.link = link
        self.store = store
        state = Mutex(State(responder: responder))
    }

    /// Answers operations until the link is closed; then the session is over and nothing half done is left.
    ///
    /// - Blocking: until then.
    package func run() {
        store.observe { [weak self] change in self?.report(change) }
        while serveNext() {}
        store.observe(nil)
        link.close()
        ask { $0.reset() }
    }

    private func serveNext() -> Bool {
        do throws(LinkError) {
            try serve(try link.receiveOperation())
        } catch {
            switch error {
            case .closed: return false
            case .cancelled: break
            case .reset: ask { $0.reset() }
            }
        }
        return true
    }

    private func serve(_ request: OperationRequest) throws(LinkError) {
        switch ask({ $0.begin(request) }) {
        case .reply(let reply): try send(reply, for: request)
        case .receive(let limit):
            guard let data = try receive(for: request, limit: limit) else { return }
            try send(ask { $0.finish(request, data: data) }, for: request)
        case .upload(let upload, let byteCount):
            guard let isComplete = try receive(upload, byteCount, for: request) else { return }
            try send(ask { $0.finishUpload(request, isComplete: isComplete) }, for: request)
        }
    }

    /// Receives a dataset; one that is larger than the limit counts as empty.
    ///
    /// - Returns: nil when the transaction has ended already.
    private func receive(for request: OperationRequest, limit: Int) throws(LinkError) -> [UInt8]? {
        var data: [UInt8] = []
        var fits = true
        let wasCancelled = try receive(for: request) { bytes in
            fits = bytes.count <= limit - data.count
            if fits { data.append(contentsOf: bytes) }
            return fits
        }
        return wasCancelled ? nil : fits ? data : []
    }

    /// Receives a file into an upload.
    ///
    /// - Returns: whether `finishUpload` may succeed; nil when the transaction has ended already.
    private func receive(
        _ upload: any ObjectUpload, _ byteCount: UInt64, for request: OperationRequest
    ) throws(LinkError) -> Bool? {
        var received: UInt64 = 0
        var isTaken = true
        let wasCancelled = try receive(for: request) { bytes in
            received += UInt64(bytes.count)
            isTaken = received <= byteCount && upload.write(bytes)
            return isTaken
        }
        if wasCancelled {
            _ = ask { $0.finishUpload(request, isComplete: false) }
            return nil
        }
        // The upload that refused the bytes reports the reason.
        return received == byteCount || (received < byteCount && !isTaken)
    }

    /// Receives a data phase; a canceled one ends the transaction.
    ///
    /// - Returns: whether the initiator canceled.
    private func receive(
        for request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(LinkError) -> Bool {
        do throws(LinkError) {
            try link.receiveData(of: request, body)
            return false
        } catch {
            guard error == .cancelled else { throw error }
            try link.send(OperationResponse(.transactionCancelled), for: request)
            return true
        }
    }

    private func send(_ reply: Responder.Reply, for request: OperationRequest) throws(LinkError) {
        var response = reply.response
        do throws(LinkError) {
            if try !send(reply.data, for: request) { response = OperationResponse(.incompleteTransfer) }
        } catch {
            guard error == .cancelled else { throw error }
            response = OperationResponse(.transactionCancelled)
        }
        try link.send(response, for: request)
    }

    /// Sends the data phase of a reply, if it has one.
    ///
    /// - Returns: true when nothing of it is missing.
    private func send(_ data: Responder.Reply.Data, for request: OperationRequest) throws(LinkError) -> Bool {
        switch data {
        case .none: return true
        case .bytes(let bytes):
            var rest = bytes[...]
            return try link.sendData(of: request, byteCount: UInt64(bytes.count)) { buffer in
                let piece = rest.prefix(buffer.count)
                buffer.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
        case .content(let content, let range):
            var offset = range.lowerBound
            return try link.sendData(of: request, byteCount: range.upperBound - range.lowerBound) { buffer in
                let count = content.read(into: buffer, at: offset)
                offset += UInt64(max(0, count))
                return count
            }
        }
    }

    // MARK: The responder

    /// Calls the responder, on the thread of `run`.
    private func ask<Answer>(_ question: (inout Responder) -> Answer) -> Answer {
        guard var responder = state.withLock({ $0.responder.take() }) else {
            preconditionFailure("two threads run one connection")
        }
        let answer = question(&responder)
        state.withLock { state in
            state.responder = responder
            forwardChanges(&state)
        }
        return answer
    }

    /// Reports a change to the initiator, from any thread. During an operation the change waits, but its caller
    /// does not.
    private func report(_ change: StoreChange) {
        state.withLock { state in
            state.changes.append(change)
            forwardChanges(&state)
        }
    }

    private func forwardChanges(_ state: inout State) {
        guard state.responder != nil else { return }
        let changes = state.changes
        state.changes = []
        for event in changes.flatMap({ state.responder?.events(for: $0) ?? [] }) { link.send(event) }
    }
}
