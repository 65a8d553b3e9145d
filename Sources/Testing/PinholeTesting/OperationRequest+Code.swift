import PTP

extension OperationRequest {
    /// A request for an operation by its name.
    package init(_ operation: OperationCode, transaction: UInt32, parameters: [UInt32] = []) {
        self.init(operation.rawValue, transaction: transaction, parameters: parameters)
    }
}
