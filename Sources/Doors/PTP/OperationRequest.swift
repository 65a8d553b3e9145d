/// One operation that an initiator asks for (PTP, ISO 15740, clause 9.3).
package struct OperationRequest: Hashable, Sendable {
    /// The code as it came; nothing says that it is one of `OperationCode`.
    package var code: UInt16
    /// The transaction's number.
    package var transaction: UInt32
    /// At most five.
    package var parameters: [UInt32]

    /// A request.
    package init(_ code: UInt16, transaction: UInt32, parameters: [UInt32] = []) {
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }

    /// A parameter by its place from 0; one that was not sent counts as 0.
    package func parameter(_ index: Int) -> UInt32 {
        parameters.indices.contains(index) ? parameters[index] : 0
    }
}
