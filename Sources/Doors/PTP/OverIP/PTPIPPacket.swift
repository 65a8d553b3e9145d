import Platform

/// One packet of PTP/IP, the transport of PTP over TCP (CIPA DC-005, section 2.3).
///
/// The payload of a data packet is not part of it: it follows its header in the stream.
package enum PTPIPPacket: Hashable, Sendable {
    /// The initiator requests a connection (2.3.1).
    case initCommandRequest(guid: [UInt8], name: String, version: UInt32)
    /// The responder accepts; the initiator repeats the number on the event connection (2.3.2).
    case initCommandAck(connection: UInt32, guid: [UInt8], name: String, version: UInt32)
    /// The initiator opens the event connection of a command connection (2.3.3).
    case initEventRequest(connection: UInt32)
    /// Both connections are open (2.3.4).
    case initEventAck
    /// The responder refuses the connection (2.3.5).
    case initFail(PTPIPInitFailure)
    /// The initiator requests an operation (2.3.6).
    case operationRequest(OperationRequest, dataPhase: PTPIPDataPhase)
    /// The response that ends a transaction (2.3.7), with the code as received.
    case operationResponse(code: UInt16, transaction: UInt32, parameters: [UInt32])
    /// An event (2.3.8), with the code as received.
    case event(code: UInt16, transaction: UInt32, parameters: [UInt32])
    /// A data phase begins (2.3.9); all ones when its size is not known.
    case startData(transaction: UInt32, byteCount: UInt64)
    /// A part of a data phase; its payload of this many bytes follows (2.3.10).
    case data(transaction: UInt32, byteCount: UInt32)
    /// The sender cancels a transaction (2.3.12).
    case cancel(transaction: UInt32)
    /// The last part of a data phase; its payload of this many bytes follows (2.3.11).
    case endData(transaction: UInt32, byteCount: UInt32)
    /// The sender checks whether the other end still exists (2.3.13).
    case probeRequest
    /// The answer to a probe (2.3.14).
    case probeResponse

    /// Version 1.0, the only version. The upper half is the major number.
    package static let version: UInt32 = 0x0001_0000
    /// Bytes of length and type (2.3).
    package static let headerByteCount = 8
    /// Bytes before the payload of a data packet.
    package static let dataHeaderByteCount = 12
    /// Bytes of a packet that begins a data phase.
    package static let startDataByteCount = 20
    /// The longest packet without payload that is read: a name of 2,000 characters, a hundred times what is in use.
    package static let longestByteCount = 4096
    /// The longest payload that the length of a packet can say.
    package static let longestPayload = Int(UInt32.max) - dataHeaderByteCount
}

/// The reason for a refused connection (CIPA DC-005, 2.3.5).
package enum PTPIPInitFailure: UInt32, Sendable {
    case rejectedInitiator = 1
    case busy = 2
    case unspecified = 3
}

/// The direction of a transaction's data phase, as far as the initiator knows it (CIPA DC-005, 2.3.6).
package enum PTPIPDataPhase: UInt32, Sendable {
    case unknown = 0
    /// From the responder, or no data phase.
    case noneOrIn = 1
    /// From the initiator to the responder.
    case out = 2
}

extension PTPIPPacket {
    /// The number of each type (CIPA DC-005, 2.3).
    enum Kind: UInt32 {
        case initCommandRequest = 1
        case initCommandAck = 2
        case initEventRequest = 3
        case initEventAck = 4
        case initFail = 5
        case operationRequest = 6
        case operationResponse = 7
        case event = 8
        case startData = 9
        case data = 10
        case cancel = 11
        case endData = 12
        case probeRequest = 13
        case probeResponse = 14

        /// True when a payload of any size follows.
        var hasPayload: Bool { self == .data || self == .endData }
    }

    // MARK: Encoding

    /// The packet as it is sent, a data packet without its payload.
    package var bytes: [UInt8] {
        switch self {
        case .initCommandRequest(let guid, let name, let version):
            Self.packet(.initCommandRequest) { $0.append(guid: guid, name: name, version: version) }
        case .initCommandAck(let connection, let guid, let name, let version):
            Self.packet(.initCommandAck) {
                $0.append(connection)
                $0.append(guid: guid, name: name, version: version)
            }
        case .initEventRequest(let connection): Self.packet(.initEventRequest) { $0.append(connection) }
        case .initEventAck: Self.packet(.initEventAck) { _ in }
        case .initFail(let reason): Self.packet(.initFail) { $0.append(reason.rawValue) }
        case .operationRequest(let request, let dataPhase):
            Self.packet(.operationRequest) {
                $0.append(dataPhase.rawValue)
                $0.append(request.code, request.transaction, request.parameters)
            }
        case .operationResponse(let code, let transaction, let parameters):
            Self.packet(.operationResponse) { $0.append(code, transaction, parameters) }
        case .event(let code, let transaction, let parameters):
            Self.packet(.event) { $0.append(code, transaction, parameters) }
        case .startData(let transaction, let byteCount):
            Self.packet(.startData) {
                $0.append(transaction)
                $0.append(byteCount)
            }
        case .data(let transaction, let byteCount):
            Self.packet(.data, payload: byteCount) { $0.append(transaction) }
        case .cancel(let transaction): Self.packet(.cancel) { $0.append(transaction) }
        case .endData(let transaction, let byteCount):
            Self.packet(.endData, payload: byteCount) { $0.append(transaction) }
        case .probeRequest: Self.packet(.probeRequest) { _ in }
        case .probeResponse: Self.packet(.probeResponse) { _ in }
        }
    }

    /// An event as a packet.
    package init(_ event: ResponderEvent) {
        self = .event(
            code: event.code.rawValue, transaction: event.transaction, parameters: Array(event.parameters.prefix(3)))
    }

    /// A response as a packet.
    package init(_ response: OperationResponse, transaction: UInt32) {
        self = .operationResponse(
            code: response.code.rawValue, transaction: transaction, parameters: Array(response.parameters.prefix(5)))
    }

    private static func packet(
        _ kind: Kind, payload: UInt32 = 0, _ body: (inout PTPIPPacketWriter) -> Void
    ) -> [UInt8] {
        var writer = PTPIPPacketWriter()
        writer.bytes.reserveCapacity(32)
        // In place of the length, which is known at the end.
        writer.append(UInt32(0))
        writer.append(kind.rawValue)
        body(&writer)
        let length = UInt32(writer.bytes.count) &+ payload
        withUnsafeBytes(of: length.littleEndian) { writer.bytes.replaceSubrange(..<4, with: $0) }
        return writer.bytes
    }

    // MARK: Decoding

    /// Reads a complete packet; of a data packet, everything but the payload.
    ///
    /// - Parameters:
    ///   - body: what follows length and type.
    ///   - payload: bytes of payload that follow.
    /// - Returns: nil when the bytes are not a packet of this kind.
    init?(_ kind: Kind, body: ArraySlice<UInt8>, payload: UInt32) {
        var reader = PTPIPPacketReader(rest: body)
        guard let packet = Self.read(kind, payload, from: &reader), reader.rest.isEmpty else { return nil }
        self = packet
    }

    private static func read(_ kind: Kind, _ payload: UInt32, from reader: inout PTPIPPacketReader) -> Self? {
        switch kind {
        case .initCommandRequest:
            guard let who = reader.identity() else { return nil }
            return .initCommandRequest(guid: who.guid, name: who.name, version: who.version)
        case .initCommandAck:
            guard let connection = reader.integer(UInt32.self), let who = reader.identity() else { return nil }
            return .initCommandAck(connection: connection, guid: who.guid, name: who.name, version: who.version)
        case .initEventRequest: return reader.integer(UInt32.self).map { .initEventRequest(connection: $0) }
        case .initEventAck: return .initEventAck
        case .initFail: return reader.integer(UInt32.self).flatMap(PTPIPInitFailure.init).map { .initFail($0) }
        case .operationRequest:
            guard let dataPhase = reader.integer(UInt32.self).flatMap(PTPIPDataPhase.init),
                let (code, transaction, parameters) = reader.codeAndParameters(atMost: 5)
            else { return nil }
            return .operationRequest(
                OperationRequest(code, transaction: transaction, parameters: parameters), dataPhase: dataPhase)
        case .operationResponse:
            guard let (code, transaction, parameters) = reader.codeAndParameters(atMost: 5) else { return nil }
            return .operationResponse(code: code, transaction: transaction, parameters: parameters)
        case .event:
            guard let (code, transaction, parameters) = reader.codeAndParameters(atMost: 3) else { return nil }
            return .event(code: code, transaction: transaction, parameters: parameters)
        case .startData:
            guard let transaction = reader.integer(UInt32.self) else { return nil }
            // libgphoto2 sends the size with 32 bits.
            if reader.rest.count == 4 {
                return reader.integer(UInt32.self).map { .startData(transaction: transaction, byteCount: UInt64($0)) }
            }
            return reader.integer(UInt64.self).map { .startData(transaction: transaction, byteCount: $0) }
        case .data: return reader.integer(UInt32.self).map { .data(transaction: $0, byteCount: payload) }
        case .cancel: return reader.integer(UInt32.self).map { .cancel(transaction: $0) }
        case .endData: return reader.integer(UInt32.self).map { .endData(transaction: $0, byteCount: payload) }
        case .probeRequest: return .probeRequest
        case .probeResponse: return .probeResponse
        }
    }
}

/// Writes numbers and names into a packet, lowest byte first (CIPA DC-005, 2.3).
private struct PTPIPPacketWriter {
    var bytes: [UInt8] = []

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        bytes.append(littleEndian: number)
    }

    mutating func append(_ code: UInt16, _ transaction: UInt32, _ parameters: [UInt32]) {
        append(code)
        append(transaction)
        for parameter in parameters { append(parameter) }
    }

    /// 16 bytes, a name in UTF-16 with a zero at its end, and a version.
    mutating func append(guid: [UInt8], name: String, version: UInt32) {
        bytes += guid.prefix(16) + [UInt8](repeating: 0, count: max(0, 16 - guid.count))
        for unit in name.utf16.prefix(255) where unit != 0 { append(unit) }
        append(UInt16(0))
        append(version)
    }
}

/// Reads numbers and names from a packet; nil past its end.
private struct PTPIPPacketReader {
    var rest: ArraySlice<UInt8>

    mutating func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func codeAndParameters(atMost limit: Int) -> (UInt16, UInt32, [UInt32])? {
        guard let code = integer(UInt16.self), let transaction = integer(UInt32.self) else { return nil }
        var parameters: [UInt32] = []
        while parameters.count < limit, let parameter = integer(UInt32.self) { parameters.append(parameter) }
        return (code, transaction, parameters)
    }

    mutating func identity() -> (guid: [UInt8], name: String, version: UInt32)? {
        guard rest.count >= 16 else { return nil }
        let guid = Array(rest.prefix(16))
        rest = rest.dropFirst(16)
        var units: [UInt16] = []
        while let unit = integer(UInt16.self) {
            if unit != 0 {
                units.append(unit)
                continue
            }
            // Older initiators send no version.
            if rest.isEmpty { return (guid, String(decoding: units, as: UTF16.self), PTPIPPacket.version) }
            guard let version = integer(UInt32.self) else { return nil }
            return (guid, String(decoding: units, as: UTF16.self), version)
        }
        return nil
    }
}
