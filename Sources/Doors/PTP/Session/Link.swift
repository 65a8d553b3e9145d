/// One connection to an initiator: turns what a transport carries into operations, data phases, responses and events.
///
/// A link is not trusted with anything but form: it refuses what is no container, and never gives more than a limit.
/// - Isolation: one thread calls everything but `send(_: ResponderEvent)` and `close`, which may come from any thread.
/// - Blocking: everything but these two blocks until it is done, the connection is gone, or the initiator cancels.
package protocol Link: Sendable {
    /// Waits for the next operation. What is not one, such as a data phase that nobody waits for, is passed over.
    func receiveOperation() throws(LinkError) -> OperationRequest

    /// Receives the data phase of an operation, piece by piece.
    ///
    /// - Parameter body: takes one piece; after it has given false the rest is received and thrown away.
    /// - Throws: `.cancelled` when the initiator gives up in the middle, and what every call throws.
    func receiveData(
        of request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(LinkError)

    /// Sends the data phase of an operation.
    ///
    /// - Parameters:
    ///   - byteCount: how many bytes are announced.
    ///   - fill: fills the buffer from its start and gives how many bytes it has put there: fewer than the buffer's only
    ///     when the rest cannot be had, which ends the data phase early.
    /// - Returns: true when every byte was sent.
    func sendData(
        of request: OperationRequest, byteCount: UInt64, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(LinkError) -> Bool

    /// Ends a transaction. After a cancelled data phase a link sends it only where its standard wants it.
    func send(_ response: OperationResponse, for request: OperationRequest) throws(LinkError)

    /// Queues an event. When the initiator does not take events in time, old ones make room for one
    /// `unreportedStatus`.
    func send(_ event: ResponderEvent)

    /// Ends the connection: every call that waits, and every later one, throws `.closed`.
    func close()
}

/// Why a link could not do what it was asked.
package enum LinkError: Error, Hashable, Sendable {
    /// The connection is gone: closed, unplugged, or broken.
    case closed
    /// The initiator has cancelled this transaction; the link is ready for the next one.
    case cancelled
    /// The initiator has reset the device: the session is over, the link is ready for the next operation.
    case reset
}
