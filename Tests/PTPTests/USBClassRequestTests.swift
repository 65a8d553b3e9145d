import PTP
import Testing
import USBGadget

@Suite("requests on the control pipe") struct USBClassRequestTests {
    func request(_ type: UInt8, _ request: UInt8, length: UInt16) -> USBClassRequest? {
        USBClassRequest(USBSetupPacket(requestType: type, request: request, length: length))
    }

    @Test("the four class requests are recognized by direction, number and length")
    func known() {
        #expect(request(0x21, 0x64, length: 6) == .cancel)
        #expect(request(0xa1, 0x65, length: 512) == .extendedEventData)
        #expect(request(0x21, 0x66, length: 0) == .reset)
        #expect(request(0xa1, 0x67, length: 20) == .status)
    }

    @Test("any other request is refused")
    func unknown() {
        let cases: [(UInt8, UInt8, UInt16)] = [
            (0xa1, 0x64, 6), (0x21, 0x64, 5), (0x21, 0x64, 0xffff), (0x21, 0x65, 0), (0x21, 0x66, 1), (0xa1, 0x66, 0),
            (0x21, 0x67, 0), (0x21, 0x63, 0), (0xa1, 0x68, 4), (0x41, 0x66, 0), (0x80, 6, 18), (0x22, 0x66, 0),
        ]
        for (type, number, length) in cases {
            #expect(request(type, number, length: length) == nil, "\(type) \(number) \(length)")
        }
    }

    @Test("a cancellation contains its transaction")
    func cancellation() {
        let cases: [([UInt8], UInt32?)] = [
            ([0x01, 0x40, 4, 3, 2, 1], 0x0102_0304), ([0x02, 0x40, 4, 3, 2, 1], nil), ([0x01, 0x40, 4, 3, 2], nil),
            ([], nil), ([0x01, 0x40, 4, 3, 2, 1, 0], nil),
        ]
        for (bytes, transaction) in cases {
            #expect(bytes.withUnsafeBytes { USBClassRequest.cancelledTransaction($0) } == transaction)
        }
    }

    @Test("the status has a length, a code, and the endpoints that the host must clear")
    func status() {
        #expect(USBClassRequest.status(.ready) == [4, 0, 0x01, 0x20])
        #expect(USBClassRequest.status(.busy) == [4, 0, 0x19, 0x20])
        #expect(
            USBClassRequest.status(.halted([0x81, 0x02])) == [12, 0, 0x1f, 0x20, 0x81, 0, 0, 0, 0x02, 0, 0, 0])
    }

    @Test("the last event is returned with its parameters and their sizes")
    func extendedEventData() {
        #expect(
            USBClassRequest.extendedEventData(ResponderEvent(.objectAdded, transaction: 1, [0x10, 0x20])) == [
                0x02, 0x40, 1, 0, 0, 0, 2, 0, 4, 0, 0x10, 0, 0, 0, 4, 0, 0x20, 0, 0, 0,
            ])
    }
}
