import PTP
import Testing

@Suite("what FunctionFS is told") struct FunctionFSDescriptorsTests {
    let interface: [UInt8] = [9, 4, 0, 0, 3, 6, 1, 1, 1]

    @Test("the descriptors are those of a camera with three endpoints at full, high and super speed")
    func descriptors() {
        let head: [UInt8] = [
            3, 0, 0, 0, 171, 0, 0, 0, 15, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0,
        ]
        let full: [UInt8] = [7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x02, 2, 64, 0, 0, 7, 5, 0x83, 3, 28, 0, 16]
        let high: [UInt8] = [7, 5, 0x81, 2, 0, 2, 0, 7, 5, 0x02, 2, 0, 2, 0, 7, 5, 0x83, 3, 28, 0, 8]
        let superSpeed: [UInt8] = [
            7, 5, 0x81, 2, 0, 4, 0, 6, 0x30, 0, 0, 0, 0, 7, 5, 0x02, 2, 0, 4, 0, 6, 0x30, 0, 0, 0, 0, 7, 5, 0x83, 3, 28,
            0,
            8, 6, 0x30, 0, 0, 28, 0,
        ]
        let compatible: [UInt8] =
            [0, 35, 0, 0, 0, 0, 1, 4, 0, 1, 0, 0, 1, 0x4d, 0x54, 0x50] + [UInt8](repeating: 0, count: 19)
        let expected = head + interface + full + interface + high + interface + superSpeed + compatible
        #expect(FunctionFSDescriptors.descriptors == expected)
        #expect(expected.count == 171)
    }

    @Test("the interface is named MTP, in English")
    func strings() {
        #expect(
            FunctionFSDescriptors.strings == [
                2, 0, 0, 0, 22, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0x09, 0x04, 0x4d, 0x54, 0x50, 0,
            ])
    }
}

@Suite("what FunctionFS tells") struct FunctionFSEventTests {
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
