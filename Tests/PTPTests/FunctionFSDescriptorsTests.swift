import PTP
import Testing
import USBGadget

@Suite("FunctionFS descriptors of a camera") struct FunctionFSDescriptorsTests {
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
        #expect(FunctionFSDescriptors.ptp.descriptors == expected)
        #expect(expected.count == 171)
    }

    @Test("the interface is named MTP, in English")
    func strings() {
        #expect(
            FunctionFSDescriptors.ptp.strings == [
                2, 0, 0, 0, 22, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0x09, 0x04, 0x4d, 0x54, 0x50, 0,
            ])
    }
}
