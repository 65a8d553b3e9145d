import Offload
import PTP
import PinholeTesting

/// Operations and data phases, one after the other, to a responder with a store of three photos, while access and
/// photos come and go.
///
/// An operation is a byte for its code, one for how many parameters it has, and one for each of them: small bytes stand
/// for what means something, 0xff for the number that follows. The data phase is a byte for its length, and the bytes.
struct PTPConversation {
    private static let words: [UInt32] = [
        0, .max, Responder.storage, 1, ObjectHandle.dcim, .directory(100), .file(100, 1), .file(100, 2), .file(100, 3),
        .file(100, 3, resource: 1), ObjectHandle.firstUpload, ObjectHandle.firstUpload + 1, .format(.undefined),
        .format(.association), .format(.exifJPEG), .format(.jfif), .format(.dng), .property(.storageID),
        .property(.objectFormat), .property(.protectionStatus), .property(.objectSize), .property(.objectFileName),
        .property(.dateCreated), .property(.dateModified), .property(.parentObject),
        .property(.persistentUniqueObjectIdentifier), .property(.name), .deviceProperty(.batteryLevel),
        .deviceProperty(.dateTime), .deviceProperty(.deviceFriendlyName), .deviceProperty(.perceivedDeviceType), 100,
        301,
    ]
    private static let identity = DeviceIdentity(
        manufacturer: "Pinhole", model: "Pinhole Camera", version: "1.0", serialNumber: "1", friendlyName: "Camera")

    private var rest: ArraySlice<UInt8>
    private let store = MemoryObjectStore()
    private var responder: Responder
    private var transaction: UInt32 = 0

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        responder = Responder(
            identity: Self.identity, store: store, properties: FixedDeviceProperties(batteryLevel: 50))
        store.add(2, files: [.init(.jpeg, byteCount: 300)])
        store.add(1, files: [.init(.jpeg, byteCount: 300), .init(.dng, byteCount: 5_000_000_000)])
    }

    mutating func run() {
        while let word = next() {
            switch word {
            case 0xf0...0xf3: store.allow(.init(mayAdd: word & 1 != 0, mayRead: word & 2 != 0))
            case 0xf4: store.add()
            case 0xf5: store.remove(parameter())
            case 0xf6: responder.reset()
            case 0xf7: report()
            default: ask(word)
            }
        }
        responder.reset()
        Fuzz.expect(store.openCount == 0, "\(store.openCount) files were left open")
        Fuzz.expect(store.trespasses == 0, "the store was asked for what the client may not do")
    }

    private mutating func ask(_ word: UInt8) {
        let known = OperationCode.allCases
        let code = Int(word) < known.count ? known[Int(word)].rawValue : UInt16(truncatingIfNeeded: number())
        let parameters = (0..<Int(next() ?? 0) % 6).map { _ in parameter() }
        transaction &+= 1
        let request = OperationRequest(code, transaction: transaction, parameters: parameters)
        let seen = store.access.mayRead ? (try? store.objects()) ?? ObjectTable() : ObjectTable()
        switch responder.begin(request) {
        case .reply(let reply): check(reply, request, seen)
        case .receive(let limit):
            let bytes = data()
            check(responder.finish(request, data: bytes.count <= limit ? bytes : []), request, seen)
        case .upload(let upload, let byteCount):
            let bytes = data()
            let isKept = bytes.withUnsafeBytes { upload.write($0) }
            let isComplete = isKept && bytes.count == Int(clamping: byteCount)
            check(responder.finishUpload(request, isComplete: isComplete), request, seen)
        }
    }

    private func check(_ reply: Responder.Reply, _ request: OperationRequest, _ seen: ObjectTable) {
        let isKnown = OperationCode(rawValue: request.code) != nil
        let isOK = reply.response.code == .ok
        Fuzz.expect(isKnown || reply.response.code == .operationNotSupported, "\(request) was answered with \(reply)")
        Fuzz.expect(reply.response.parameters.count <= 5, "\(reply) has too many parameters")
        switch reply.data {
        case .none: break
        case .bytes(let bytes):
            Fuzz.expect(isOK, "\(request) was refused with data")
            check(bytes, request, seen)
        case .content(let content, let range):
            Fuzz.expect(isOK && seen[request.parameter(0)] != nil, "\(request) gave a file that is not seen")
            Fuzz.expect(range.upperBound <= content.byteCount, "\(request) gave \(range) of \(content.byteCount)")
        }
    }

    private func check(_ bytes: [UInt8], _ request: OperationRequest, _ seen: ObjectTable) {
        var reader = DatasetReader(bytes)
        switch OperationCode(rawValue: request.code) {
        case .getObjectHandles:
            let count = (try? reader.number(UInt32.self)) ?? 0
            for _ in 0..<count {
                let handle = try? reader.number(UInt32.self)
                Fuzz.expect(handle.flatMap { seen[$0] } != nil, "a handle that is not seen was listed")
            }
            Fuzz.expect(reader.isAtEnd, "more handles than were announced")
        case .getObjectInfo, .getThumb, .getObjectPropValue:
            Fuzz.expect(seen[request.parameter(0)] != nil, "\(request) named an object that the client cannot see")
        default: break
        }
    }

    /// The store reports objects that it may or may not have.
    private mutating func report() {
        let handles = (0..<Int(next() ?? 0)).map { _ in parameter() }
        for change in [StoreChange.added(handles), .removed(handles), .changed(handles), .full, .spaceChanged] {
            Fuzz.expect(responder.events(for: change).count <= 100, "more events than a link is to queue")
        }
    }

    private mutating func next() -> UInt8? { rest.popFirst() }

    private mutating func number() -> UInt32 {
        (0..<4).reduce(0) { number, _ in number << 8 | UInt32(next() ?? 0) }
    }

    private mutating func parameter() -> UInt32 {
        let word = next() ?? 0
        return Int(word) < Self.words.count ? Self.words[Int(word)] : word == 0xff ? number() : UInt32(word)
    }

    private mutating func data() -> [UInt8] {
        let count = Int(next() ?? 0)
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
