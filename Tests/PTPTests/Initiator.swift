import Offload
import PTP
import PinholeTesting

/// The other side: asks a responder over no transport at all.
struct Initiator {
    /// How an operation ended.
    struct Answer: Hashable {
        var code: ResponseCode
        var parameters: [UInt32]
        /// The data phase; nil when there was none.
        var data: [UInt8]?

        init(_ code: ResponseCode, _ parameters: [UInt32] = [], data: [UInt8]? = nil) {
            (self.code, self.parameters, self.data) = (code, parameters, data)
        }
    }

    static let identity = DeviceIdentity(
        manufacturer: "Pinhole", model: "Pinhole Camera", version: "1.2", serialNumber: "5c0ffee5",
        friendlyName: "Grandma's")

    let store: MemoryObjectStore
    var responder: Responder
    private var transaction: UInt32 = 0

    /// An initiator, which has a session by default.
    init(
        _ store: MemoryObjectStore = MemoryObjectStore(), batteryLevel: Int? = nil, hasSession: Bool = true
    ) {
        self.store = store
        responder = Responder(
            identity: Self.identity, store: store, properties: FixedDeviceProperties(batteryLevel: batteryLevel))
        if hasSession { ask(.openSession, 1) }
    }

    /// Asks, and sends a data phase where one is wanted.
    @discardableResult
    mutating func ask(_ operation: OperationCode, _ parameters: UInt32..., sending data: [UInt8] = []) -> Answer {
        ask(code: operation.rawValue, parameters, sending: data)
    }

    /// Asks anything.
    mutating func ask(code: UInt16, _ parameters: [UInt32], sending data: [UInt8] = []) -> Answer {
        transaction &+= 1
        let request = OperationRequest(code, transaction: transaction, parameters: parameters)
        switch responder.begin(request) {
        case .reply(let reply): return Self.answer(reply)
        case .receive(let limit): return Self.answer(responder.finish(request, data: data.count <= limit ? data : []))
        case .upload(let upload, let byteCount):
            let isKept = data.withUnsafeBytes { upload.write($0) }
            let isComplete = isKept && data.count == Int(clamping: byteCount)
            return Self.answer(responder.finishUpload(request, isComplete: isComplete))
        }
    }

    /// The handles of an answer that is an array of 32-bit numbers.
    static func numbers(_ answer: Answer) -> [UInt32] {
        var reader = DatasetReader(answer.data ?? [])
        guard let count = try? reader.number(UInt32.self), count < 1 << 20 else { return [] }
        return (0..<count).compactMap { _ in try? reader.number(UInt32.self) }
    }

    /// What an initiator says of a file before it sends it.
    static func announcement(
        _ byteCount: UInt32, format: UInt16 = ObjectFormat.exifJPEG.rawValue, name: String = "holiday.jpg"
    ) -> [UInt8] {
        var writer = DatasetWriter()
        writer.write(UInt32(0))
        writer.write(format)
        writer.write(UInt16(0))
        writer.write(byteCount)
        writer.write(UInt16(0))
        for _ in 0..<7 { writer.write(UInt32(0)) }
        writer.write(UInt16(0))
        for _ in 0..<2 { writer.write(UInt32(0)) }
        for text in [name, "", "", ""] { writer.write(text) }
        return writer.bytes
    }

    private static func answer(_ reply: Responder.Reply) -> Answer {
        Answer(reply.response.code, reply.response.parameters, data: bytes(reply.data))
    }

    private static func bytes(_ data: Responder.Reply.Data) -> [UInt8]? {
        switch data {
        case .none: return nil
        case .bytes(let bytes): return bytes
        case .content(let content, let range):
            guard range.count <= 1 << 20 else { return [] }
            var bytes = [UInt8](repeating: 0, count: range.count)
            let count = bytes.withUnsafeMutableBytes { content.read(into: $0, at: range.lowerBound) }
            return Array(bytes.prefix(count))
        }
    }
}
