import Testing
import USBGadget

@Suite("events of FunctionFS") struct FunctionFSEventTests {
    func read(_ bytes: [UInt8]) -> FunctionFSEvent? {
        bytes.withUnsafeBytes { FunctionFSEvent($0) }
    }

    @Test("each kind of event is read")
    func kinds() {
        let kinds: [FunctionFSEvent] = [.bound, .unbound, .enabled, .disabled, .suspended, .resumed]
        for (number, kind) in zip([UInt8(0), 1, 2, 3, 5, 6], kinds) {
            #expect(read([UInt8](repeating: 0, count: 8) + [number, 0, 0, 0]) == kind)
        }
    }

    @Test("a request on the control pipe comes with its eight bytes")
    func setup() {
        #expect(
            read([0x21, 0x64, 1, 2, 3, 4, 6, 0, 4, 0, 0, 0])
                == .setup(USBSetupPacket(requestType: 0x21, request: 0x64, value: 0x0201, index: 0x0403, length: 6)))
    }

    @Test("what is cut short or of an unknown kind is nothing")
    func nothing() {
        #expect(read([]) == nil)
        #expect(read([UInt8](repeating: 0, count: 11)) == nil)
        #expect(read([UInt8](repeating: 0, count: 8) + [7, 0, 0, 0]) == nil)
    }
}
