import Offload
import PTP
import PinholeTesting
import Platform
import Testing

/// Whatever an initiator asks, in whatever order.
@Suite struct ResponderPropertyTests {
    /// A long conversation of random operations, while access and photos come and go.
    private struct Conversation {
        var random: SeededGenerator
        let store = MemoryObjectStore(access: StoreAccess(mayAdd: false, mayRead: false))
        var initiator: Initiator
        var isOpen = false
        /// Handles that uploads were promised.
        var promised: Set<UInt32> = []

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            initiator = Initiator(store, hasSession: false)
            store.add(5, isTold: false)
            store.add(2, files: [.init(.jpeg, byteCount: 40), .init(.dng, byteCount: 90)], isTold: false)
        }

        mutating func run(_ count: Int) {
            for _ in 0..<count {
                switch Int.random(in: 0..<40, using: &random) {
                case 0: store.allow(.init(mayAdd: .random(using: &random), mayRead: .random(using: &random)))
                case 1: store.add(.random(in: 1...3, using: &random))
                case 2: store.remove(parameter())
                case 3:
                    initiator.responder.reset()
                    isOpen = false
                default: ask()
                }
            }
        }

        private mutating func ask() {
            let operation = OperationCode.allCases.randomElement(using: &random)
            let code = Int.random(in: 0..<20, using: &random) == 0 ? UInt16.random(in: 0 ... .max, using: &random) : nil
            guard let code = code ?? operation?.rawValue else { return }
            let parameters = (0..<Int.random(in: 0...5, using: &random)).map { _ in parameter() }
            let seen = Set(visible())
            let answer = initiator.ask(code: code, parameters, sending: data())
            #expect(answer.parameters.count <= 5)
            #expect(answer.code == .ok || answer.data == nil)
            check(OperationCode(rawValue: code), answer, parameters.first ?? 0, seen)
        }

        private mutating func check(
            _ operation: OperationCode?, _ answer: Initiator.Answer, _ parameter: UInt32, _ seen: Set<UInt32>
        ) {
            guard let operation else {
                #expect(answer == .init(.operationNotSupported))
                return
            }
            switch operation {
            case .getDeviceInfo: #expect(answer.code == .ok)
            case .openSession:
                #expect(answer.code == (isOpen ? .sessionAlreadyOpen : parameter == 0 ? .invalidParameter : .ok))
                isOpen = isOpen || parameter != 0
            case _ where !isOpen: #expect(answer == .init(.sessionNotOpen))
            case .closeSession:
                #expect(answer == .init(.ok))
                isOpen = false
            case .getObjectHandles: #expect(seen.isSuperset(of: Initiator.numbers(answer)))
            case .getNumObjects: #expect(answer.parameters.allSatisfy { $0 <= UInt32(seen.count) })
            case .getObjectInfo, .getObject, .getThumb, .getPartialObject, .getPartialObject64, .getObjectPropValue,
                .deleteObject:
                #expect(answer.code != .ok || seen.contains(parameter))
            case .getObjectPropList:
                #expect(answer.code != .ok || parameter == 0 || parameter == .max || seen.contains(parameter))
            case .sendObjectInfo, .initiateCapture: #expect(answer.code != .ok || store.access.mayAdd)
            default: #expect(answer.code != .sessionNotOpen)
            }
        }

        /// Numbers that mean something, and some that do not.
        private mutating func parameter() -> UInt32 {
            let known = visible().randomElement(using: &random) ?? 0
            let odd: [UInt32] = [
                0, 1, 7, .max, Responder.storage, .format(.exifJPEG), .format(.association),
                .property(.storageID), .property(.dateModified), .deviceProperty(.batteryLevel),
                .deviceProperty(.deviceFriendlyName), ObjectHandle.dcim,
                0x8000_0000, .random(in: 0 ... .max, using: &random),
            ]
            return Bool.random(using: &random) ? known : odd.randomElement(using: &random) ?? 0
        }

        private func visible() -> [UInt32] {
            store.access.mayRead ? (try? store.objects().objects.map(\.handle)) ?? [] : []
        }

        private mutating func data() -> [UInt8] {
            let count = Int.random(in: 0...12, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return (0..<count).map { _ in .random(in: 0 ... .max, using: &random) }
            case 1: return Array(Initiator.announcement(UInt32(count)).dropLast(count))
            case 2: return Initiator.announcement(UInt32(count), format: .random(in: 0x3000...0x3812, using: &random))
            default: return Initiator.announcement(UInt32(count))
            }
        }
    }

    @Test(
        "any conversation follows the standard, respects the client's rights, and leaves nothing open",
        arguments: 1...20 as ClosedRange<UInt64>)
    func conversation(seed: UInt64) {
        var conversation = Conversation(seed: seed)
        conversation.run(2000)
        conversation.initiator.responder.reset()
        #expect(conversation.store.openCount == 0)
        #expect(conversation.store.trespasses == 0)
    }
}
