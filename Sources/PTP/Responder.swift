/// The session of one initiator: what each operation does and answers (PTP, ISO 15740, clauses 9 and 10; MTP 1.1).
///
/// It does no input or output of its own: it asks an `ObjectStore`, and says what is to be received and sent.
package struct Responder {
    /// What follows an operation.
    package enum Step {
        /// The data phase to send, if any, and the response after it.
        case reply(Reply)
        /// Receive the data phase, at most so many bytes, then ask `finish(_:data:)`.
        case receive(limit: Int)
        /// Receive the data phase into an upload, then ask `finishUpload`.
        case upload(any ObjectUpload, byteCount: UInt64)
    }

    /// How a transaction ends.
    package struct Reply {
        /// What is sent before the response.
        package enum Data {
            /// No data phase.
            case none
            /// These bytes.
            case bytes([UInt8])
            /// A part of a file.
            case content(any ObjectContent, Range<UInt64>)
        }

        /// What is sent before the response.
        package var data: Data
        /// The response when all of the data was sent.
        package var response: OperationResponse
    }
}
