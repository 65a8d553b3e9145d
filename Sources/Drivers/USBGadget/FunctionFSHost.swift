/// A host that has configured the device, as the function of the device sees it, until that host goes or resets it.
///
/// - Isolation: the thread that reads the control pipe makes every call.
package protocol FunctionFSHost: AnyObject, Sendable {
    /// Answers a request of the host on the control pipe (USB 2.0, section 9.3). The host waits for it.
    ///
    /// - Parameter data: takes the bytes that come with a request from the host; to be called at most once, and not for
    ///   a request that is refused.
    /// - Returns: what a request to the host gives it; nothing when one from the host is carried out; nil when the request
    ///   is refused.
    func answer(_ setup: USBSetupPacket, data: () -> [UInt8]) -> [UInt8]?
    /// The host has taken an event, or never will.
    func eventEnded()
    /// The host has gone: whatever waits for it ends. Returns soon.
    func close()
}
