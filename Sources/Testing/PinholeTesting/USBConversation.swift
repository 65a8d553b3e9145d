import Offload
import PTP

/// What a USB host says to a responder with a store of three photos: packets of any bytes, whole operations and data
/// phases, cancellations and resets, while access and photos come and go.
///
/// One byte says what comes next; a small one is the length of a packet whose bytes follow.
package struct USBConversation {
    private var rest: ArraySlice<UInt8>
    private let store = MemoryObjectStore()
    private let pipes = FakeUSBPipes(packetSize: 64)
    private let link: FunctionFSLink
    private var request = OperationRequest(OperationCode.openSession.rawValue, transaction: 0, parameters: [1])

    /// A conversation that bytes stand for.
    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
        link = FunctionFSLink(pipes: pipes)
        store.add(3, files: [.init(.jpeg, byteCount: 9000)])
    }

    /// Has it from its begin until the host goes.
    ///
    /// - Returns: how many files were left open, and how often the store was asked for what the client may not do.
    package mutating func run() -> (open: Int, trespasses: Int) {
        pipes.send(request)
        while let word = rest.popFirst() { say(word) }
        let identity = DeviceIdentity(
            manufacturer: "Pinhole", model: "Pinhole Camera", version: "1.0", serialNumber: "1", friendlyName: "Camera")
        let responder = Responder(identity: identity, store: store, properties: FixedDeviceProperties())
        Connection(link: link, store: store, responder: responder).run()
        // What the host did not come to refers to the pipes that keep it.
        pipes.state.withLock { ($0.whenIdle, $0.beforeSend) = ([], [:]) }
        return (store.openCount, store.trespasses)
    }

    private mutating func say(_ word: UInt8) {
        let (pipes, link, store, request) = (pipes, link, store, request)
        switch word {
        case 0xf0: pipes.whenIdle { link.cancel(request.transaction) }
        case 0xf1: pipes.whenIdle { link.reset() }
        case 0xf2: pipes.whenIdle { link.eventEnded() }
        case 0xf3: pipes.whenIdle { store.add() }
        case 0xf4: pipes.whenIdle { pipes.send([], emptyPacket: true) }
        case 0xf5:
            let access = StoreAccess(mayAdd: next() & 1 == 0, mayRead: next() & 1 == 0)
            pipes.whenIdle { store.allow(access) }
        case 0xf6:
            let transfer = Int(next())
            pipes.state.withLock { $0.beforeSend[transfer] = { link.cancel(request.transaction) } }
        case 0xf7:
            let transfer = Int(next())
            pipes.state.withLock { $0.beforeSend[transfer] = { link.reset() } }
        case 0xf8...0xfb: ask()
        case 0xfc...: sendData(announced: UInt64(next()) << 2, count: Int(next()) << 2)
        default:
            let packet = Array(rest.prefix(Int(word) % 65))
            rest = rest.dropFirst(packet.count)
            pipes.whenIdle { pipes.send(packet, emptyPacket: packet.isEmpty) }
        }
    }

    private mutating func ask() {
        let codes = OperationCode.allCases
        let words: [UInt32] = [
            0, .max, 1, 1_000_001, 1_000_002, 0x4000_0064, Responder.storage, 0x3801, 0xdc01, 0x5001,
        ]
        let parameters = (0..<Int(next() % 6)).map { _ in words[Int(next()) % words.count] }
        request = OperationRequest(
            codes[Int(next()) % codes.count].rawValue, transaction: request.transaction &+ 1, parameters: parameters)
        let (pipes, request) = (pipes, request)
        pipes.whenIdle { pipes.send(request) }
    }

    private func sendData(announced: UInt64, count: Int) {
        let (pipes, request) = (pipes, request)
        pipes.whenIdle {
            pipes.send(
                USBContainer.dataHeader(for: request, byteCount: announced) + [UInt8](repeating: 7, count: count))
        }
    }

    private mutating func next() -> UInt8 { rest.popFirst() ?? 0 }
}
