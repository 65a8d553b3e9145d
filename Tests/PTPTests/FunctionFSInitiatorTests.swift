import Glibc
import PTP
import PinholeTesting
import Platform
import Synchronization
import Testing
import USBGadget

@Suite("a USB host on the control pipe of the camera") struct FunctionFSInitiatorTests {
    /// What a request was answered with on another thread, and how the link was then.
    private final class Answer: Sendable {
        let value = Mutex<(bytes: [UInt8]?, status: USBDeviceStatus)?>(nil)
    }

    let pipes = FakeUSBPipes()
    let host: FunctionFSInitiator

    init() {
        host = FunctionFSInitiator(pipes: pipes)
    }

    func ask(_ type: UInt8, _ request: UInt8, length: UInt16, data: [UInt8] = []) -> (answer: [UInt8]?, isTaken: Bool) {
        var isTaken = false
        let answer = host.answer(USBSetupPacket(requestType: type, request: request, length: length)) {
            isTaken = true
            return data
        }
        return (answer, isTaken)
    }

    @Test("it returns its status and the last event, and refuses what is not a class request")
    func questions() {
        #expect(ask(0xa1, 0x67, length: 20) == ([4, 0, 0x01, 0x20], false))
        #expect(ask(0xa1, 0x65, length: 64) == (nil, false))
        host.link.send(ResponderEvent(.objectAdded, transaction: 0, [7]))
        #expect(ask(0xa1, 0x65, length: 64) == ([0x02, 0x40, 0, 0, 0, 0, 1, 0, 4, 0, 7, 0, 0, 0], false))
        #expect(ask(0x21, 0x63, length: 6) == (nil, false))
    }

    @Test("a cancellation reads its bytes and ends the transaction that they contain")
    func cancellation() throws {
        pipes.send(OperationRequest(.getObject, transaction: 5, parameters: [1]))
        let request = try host.link.receiveOperation()
        #expect(ask(0x21, 0x64, length: 6, data: [0x01, 0x40, 4, 0, 0, 0]) == ([], true))
        #expect(host.link.status == .ready)
        #expect(ask(0x21, 0x64, length: 6, data: [0x01, 0x40, 5, 0, 0, 0]) == ([], true))
        #expect(host.link.status == .busy)
        #expect(throws: LinkError.cancelled) { try host.link.receiveData(of: request) { _ in true } }
    }

    @Test("a reset is answered once the thread that serves the host has noticed it")
    func reset() async {
        let control = WorkerThread(name: "control")
        let answer = Answer()
        pipes.whenIdle { [host] in
            control.submit {
                let bytes = host.answer(USBSetupPacket(requestType: 0x21, request: 0x66)) { [] }
                answer.value.withLock { $0 = (bytes, host.link.status) }
            }
            while host.link.status != .busy { sched_yield() }
        }
        #expect(throws: LinkError.reset) { try host.link.receiveOperation() }
        await control.stop()
        #expect(answer.value.withLock { $0?.bytes } == [])
        #expect(answer.value.withLock { $0?.status } == .ready)
    }

    @Test("a host that disconnects ends the calls that wait for it")
    func close() {
        pipes.whenIdle { [host] in host.close() }
        #expect(throws: LinkError.closed) { try host.link.receiveOperation() }
    }
}
