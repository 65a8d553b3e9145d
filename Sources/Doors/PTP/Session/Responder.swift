import Offload

/// The session of one initiator: carries out each operation (PTP, ISO 15740, clauses 9 and 10; MTP 1.1).
///
/// It does no input or output of its own: it calls an `ObjectStore`, and returns what to receive and send. There is
/// always exactly one store, which contains only what the client may see.
package struct Responder: Sendable {
    /// The next step of the connection after an operation has begun.
    package enum Step: Sendable {
        /// The data phase to send, if any, and the response after it.
        case reply(Reply)
        /// Receive the data phase, then call `finish(_:data:)`, with no bytes at all if more came than the limit.
        case receive(limit: Int)
        /// Receive the data phase into an upload, then call `finishUpload`.
        case upload(any ObjectUpload, byteCount: UInt64)
    }

    /// The data phase to send and the response of a transaction.
    package struct Reply: Sendable {
        /// What is sent before the response.
        package enum Data: Sendable {
            /// The transaction has no data phase.
            case none
            /// A dataset or another short array of bytes.
            case bytes([UInt8])
            /// A range of a file's bytes.
            case content(any ObjectContent, Range<UInt64>)
        }

        /// What is sent before the response.
        package var data: Data
        /// The response when all of the data was sent.
        package var response: OperationResponse

        /// A response without a data phase.
        init(_ code: ResponseCode, _ parameters: [UInt32] = []) {
            data = .none
            response = OperationResponse(code, parameters)
        }

        /// A data phase, followed by the response `ok`.
        init(_ data: Data, _ parameters: [UInt32] = []) {
            self.data = data
            response = OperationResponse(.ok, parameters)
        }
    }

    /// The one store's identifier: the first part of the first device.
    package static let storage: UInt32 = 0x0001_0001
    /// More bytes than any dataset that an initiator may send.
    static let datasetLimit = 4096

    let identity: DeviceIdentity
    let store: any ObjectStore
    let properties: any DeviceProperties
    /// The number of the open session; nil without one.
    private var session: UInt32?
    /// The upload of a file that was described but not sent yet.
    private var announced: AnnouncedUpload?

    /// A responder without a session.
    package init(identity: DeviceIdentity, store: any ObjectStore, properties: any DeviceProperties) {
        self.identity = identity
        self.store = store
        self.properties = properties
    }

    /// Begins an operation.
    ///
    /// - Blocking: as long as the store needs.
    package mutating func begin(_ request: OperationRequest) -> Step {
        guard let operation = OperationCode(rawValue: request.code) else {
            return .reply(Reply(.operationNotSupported))
        }
        // The initiator sends its data phase in any case, which is discarded.
        let refused = operation.receivesData ? Step.receive(limit: 0) : .reply(Reply(.sessionNotOpen))
        guard session != nil || operation == .getDeviceInfo || operation == .openSession else { return refused }
        switch operation {
        case .sendObjectInfo: return .receive(limit: Self.datasetLimit)
        case .sendObject: return announced.map { .upload($0.upload, byteCount: $0.byteCount) } ?? refused
        default: break
        }
        do throws(ResponseCode) {
            return .reply(try answer(operation, request))
        } catch {
            return .reply(Reply(error))
        }
    }

    /// Finishes an operation with the data phase that `begin` requested by `.receive`.
    package mutating func finish(_ request: OperationRequest, data: [UInt8]) -> Reply {
        guard session != nil else { return Reply(.sessionNotOpen) }
        guard request.code == OperationCode.sendObjectInfo.rawValue else { return Reply(.noValidObjectInfo) }
        dropUpload()
        do throws(ResponseCode) {
            let (upload, byteCount) = try announce(request, data)
            announced = AnnouncedUpload(upload: upload, byteCount: byteCount)
            return Reply(.ok, [Self.storage, upload.parent, upload.handle])
        } catch {
            return Reply(error)
        }
    }

    /// Ends the upload that `begin` requested by `.upload`.
    ///
    /// - Parameter isComplete: true when exactly the announced bytes came. A canceled, short or long transfer leaves
    ///   nothing.
    /// - Blocking: until the file is durable.
    package mutating func finishUpload(_ request: OperationRequest, isComplete: Bool) -> Reply {
        guard let upload = announced?.upload else { return Reply(.noValidObjectInfo) }
        announced = nil
        guard isComplete else {
            upload.cancel()
            return Reply(.incompleteTransfer)
        }
        do throws(ResponseCode) {
            try ResponseCode.from(upload.finish)
            return Reply(.ok)
        } catch {
            return Reply(error)
        }
    }

    /// Ends the session after the connection was closed or reset, and discards an unfinished upload.
    package mutating func reset() {
        dropUpload()
        session = nil
    }

    /// The events of a change; none while the initiator has no session.
    package func events(for change: StoreChange) -> [ResponderEvent] {
        session == nil ? [] : Self.events(for: change, mayRead: store.access.mayRead)
    }

    private mutating func answer(
        _ operation: OperationCode, _ request: OperationRequest
    ) throws(ResponseCode) -> Reply {
        switch operation {
        case .getDeviceInfo: return Reply(.bytes(deviceInfo.bytes))
        case .openSession: return try openSession(request.parameter(0))
        case .closeSession:
            reset()
            return Reply(.ok)
        case .getStorageIDs: return storageIDs
        case .getStorageInfo: return try storageInfo(request)
        case .getNumObjects: return Reply(.ok, [UInt32(clamping: try handles(request).count)])
        case .getObjectHandles: return Reply(.array(try handles(request)))
        case .getObjectInfo: return try objectInfo(request)
        case .getObject: return try content(request)
        case .getThumb: return try thumbnail(request)
        case .getPartialObject: return try partialContent(request)
        case .getPartialObject64: return try partialContent64(request)
        case .deleteObject: return try delete(request)
        case .initiateCapture: return try capture(request)
        case .getDevicePropDesc: return Reply(.bytes(try deviceProperty(request).bytes))
        case .getDevicePropValue: return Reply(.value(try deviceProperty(request).current))
        case .getObjectPropsSupported: return try objectPropertiesSupported(request)
        case .getObjectPropDesc: return try objectPropertyDescription(request)
        case .getObjectPropValue: return try objectPropertyValue(request)
        case .getObjectPropList: return try objectPropertyList(request)
        case .sendObjectInfo, .sendObject: return Reply(.noValidObjectInfo)  // their data phases are taken elsewhere
        }
    }

    private mutating func openSession(_ identifier: UInt32) throws(ResponseCode) -> Reply {
        if let session { return Reply(.sessionAlreadyOpen, [session]) }
        guard identifier != 0 else { throw .invalidParameter }
        session = identifier
        store.sessionOpened()
        return Reply(.ok)
    }

    private mutating func dropUpload() {
        announced?.upload.cancel()
        announced = nil
    }
}

/// The upload of a file that an initiator has described.
private struct AnnouncedUpload: Sendable {
    var upload: any ObjectUpload
    var byteCount: UInt64
}

extension Responder.Reply.Data {
    /// A data phase that is an array of numbers.
    static func array<Number: FixedWidthInteger & UnsignedInteger>(_ numbers: [Number]) -> Self {
        var writer = DatasetWriter()
        writer.write(numbers)
        return .bytes(writer.bytes)
    }

    /// A data phase that is the value of a property.
    static func value(_ value: PropertyValue) -> Self {
        var writer = DatasetWriter()
        writer.write(value)
        return .bytes(writer.bytes)
    }
}
