/// One connection to an initiator: turns what a transport carries into operations, data phases, responses and events.
///
/// A link checks only the form of what it receives: it refuses malformed containers and bounds the size of each piece.
/// - Isolation: one thread calls everything but `send(_: ResponderEvent)` and `close`, which may come from any thread.
/// - Blocking: everything but these two blocks until it is done, the connection is gone, or the initiator cancels.
package protocol Link: Sendable {
    /// Waits for the next operation, and skips everything else, such as the data phase of a refused operation.
    func receiveOperation() throws(LinkError) -> OperationRequest

    /// Receives the data phase of an operation, piece by piece.
    ///
    /// - Parameter body: takes one piece; after it returns false the rest is received and discarded.
    /// - Throws: `.cancelled` when the initiator cancels the transfer, and what every call throws.
    func receiveData(
        of request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(LinkError)

    /// Sends the data phase of an operation.
    ///
    /// - Parameters:
    ///   - byteCount: how many bytes are announced.
    ///   - fill: fills the buffer from its start and returns the number of bytes: fewer than the buffer has room for
    ///     only when the rest cannot be read, which ends the data phase early.
    /// - Returns: true when every byte was sent.
    func sendData(
        of request: OperationRequest, byteCount: UInt64, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(LinkError) -> Bool

    /// Ends a transaction. After a canceled data phase a link sends the response only where its standard requires it.
    func send(_ response: OperationResponse, for request: OperationRequest) throws(LinkError)

    /// Queues an event. A full queue drops its oldest events and reports `unreportedStatus` instead.
    func send(_ event: ResponderEvent)

    /// Ends the connection: every call that waits, and every later one, throws `.closed`.
    func close()
}

/// The reason that ends a call of a link.
package enum LinkError: Error, Hashable, Sendable {
    /// The connection is gone: closed, unplugged, or broken.
    case closed
    /// The initiator has canceled this transaction; the link is ready for the next one.
    case cancelled
    /// The initiator has reset the device: the session is over, the link is ready for the next operation.
    case reset
}
