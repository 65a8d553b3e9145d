/// Something that an initiator is told unasked (PTP, ISO 15740, clause 9.3.4).
package struct ResponderEvent: Hashable, Sendable {
    /// What happened.
    package var code: EventCode
    /// The transaction it belongs to; all ones for none.
    package var transaction: UInt32
    /// At most three.
    package var parameters: [UInt32]

    /// An event.
    package init(_ code: EventCode, transaction: UInt32 = 0xffff_ffff, _ parameters: [UInt32] = []) {
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }
}
