/// The answer that ends a transaction (PTP, ISO 15740, clause 9.3).
package struct OperationResponse: Hashable, Sendable {
    /// How it ended.
    package var code: ResponseCode
    /// At most five.
    package var parameters: [UInt32]

    /// A response.
    package init(_ code: ResponseCode, _ parameters: [UInt32] = []) {
        self.code = code
        self.parameters = parameters
    }
}
