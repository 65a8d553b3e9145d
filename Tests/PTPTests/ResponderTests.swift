import Offload
import PTP
import PinholeTesting
import Testing

/// Sessions, and what is asked about the camera and its store.
@Suite struct ResponderTests {
    @Test("only DeviceInfo is available without a session")
    func withoutSession() {
        var initiator = Initiator(hasSession: false)
        for operation in OperationCode.allCases where operation != .openSession {
            let answer = initiator.ask(operation, 1)
            #expect(answer.code == (operation == .getDeviceInfo ? .ok : .sessionNotOpen))
        }
        #expect(initiator.store.sessions == 0)
    }

    @Test("one session can be open at a time, and it needs a number")
    func sessions() {
        var initiator = Initiator(hasSession: false)
        #expect(initiator.ask(.openSession, 0) == .init(.invalidParameter))
        #expect(initiator.ask(.openSession, 7) == .init(.ok))
        #expect(initiator.ask(.openSession, 8) == .init(.sessionAlreadyOpen, [7]))
        #expect(initiator.ask(.closeSession) == .init(.ok))
        #expect(initiator.ask(.closeSession) == .init(.sessionNotOpen))
        #expect(initiator.ask(.openSession, 8) == .init(.ok))
        initiator.responder.reset()
        #expect(initiator.ask(.getStorageIDs) == .init(.sessionNotOpen))
        #expect(initiator.store.sessions == 2)
    }

    @Test(
        "an unknown operation is refused, with a session and without", arguments: [0, 0x1000, 0x100f, 0x9804, 0xffff])
    func unknownOperation(code: UInt16) {
        for hasSession in [false, true] {
            var initiator = Initiator(hasSession: hasSession)
            #expect(initiator.ask(code: code, []) == .init(.operationNotSupported))
        }
    }

    @Test("DeviceInfo lists exactly the supported operations, and a battery only if there is one")
    func deviceInfo() throws {
        for (level, properties) in [(nil, 3), (40, 4)] as [(Int?, UInt8)] {
            var initiator = Initiator(batteryLevel: level)
            let answer = initiator.ask(.getDeviceInfo)
            let bytes = try #require(answer.data)
            var expected = DatasetWriter()
            expected.write(OperationCode.allCases.map(\.rawValue))
            #expect(answer.code == .ok)
            #expect(Array(bytes[51..<51 + expected.bytes.count]) == expected.bytes)
            // The properties stand after ten events.
            let start = 51 + expected.bytes.count
            #expect(bytes[start] == 10)
            #expect(bytes[start + 24] == properties)
        }
    }

    @Test("there is always exactly one store")
    func storageIDs() {
        var initiator = Initiator(MemoryObjectStore(access: StoreAccess(mayAdd: false, mayRead: false)))
        #expect(initiator.ask(.getStorageIDs) == .init(.ok, data: [1, 0, 0, 0, 1, 0, 1, 0]))
        for identifier: UInt32 in [0, 0x0001_0000, 0x0002_0001, .max] {
            #expect(initiator.ask(.getStorageInfo, identifier) == .init(.invalidStorageID))
        }
    }

    @Test(
        "the store's information depends on the client's access",
        arguments: [(false, false, 1), (false, true, 2), (true, true, 0), (true, false, 0)] as [(Bool, Bool, UInt8)])
    func storageInfo(mayAdd: Bool, mayRead: Bool, capability: UInt8) throws {
        let store = MemoryObjectStore(access: StoreAccess(mayAdd: mayAdd, mayRead: mayRead))
        store.setSpace(StoreSpace(capacity: 0x0200_0000_0000, free: 0x0100_0000_0000))
        var initiator = Initiator(store)
        let answer = initiator.ask(.getStorageInfo, Responder.storage)
        let bytes = try #require(answer.data)
        #expect(Array(bytes.prefix(6)) == [4, 0, 3, 0, capability, 0])
        let free: UInt8 = mayAdd || mayRead ? 1 : 0
        #expect(Array(bytes[6..<26]) == [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, free, 0, 0, 255, 255, 255, 255])
    }

    @Test("the camera's properties can be described and read")
    func deviceProperties() throws {
        var initiator = Initiator(batteryLevel: 140)
        #expect(initiator.ask(.getDevicePropValue, .deviceProperty(.batteryLevel)) == .init(.ok, data: [100]))
        #expect(
            initiator.ask(.getDevicePropValue, .deviceProperty(.perceivedDeviceType)) == .init(.ok, data: [1, 0, 0, 0]))
        let name = try #require(initiator.ask(.getDevicePropValue, .deviceProperty(.deviceFriendlyName)).data)
        var reader = DatasetReader(name)
        #expect(try reader.text() == "Grandma's")
        let date = try #require(initiator.ask(.getDevicePropValue, .deviceProperty(.dateTime)).data)
        reader = DatasetReader(date)
        #expect(try reader.text() == "20261130T101500")
        let description = try #require(initiator.ask(.getDevicePropDesc, .deviceProperty(.perceivedDeviceType)).data)
        #expect(description == [0x07, 0xd4, 6, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0])
    }

    @Test("a property that the camera does not have is refused", arguments: [0, 0x5001, 0x5002, 0x1_d402, .max])
    func unknownDeviceProperty(code: UInt32) {
        var initiator = Initiator()
        for operation in [OperationCode.getDevicePropDesc, .getDevicePropValue] {
            #expect(initiator.ask(operation, code) == .init(.devicePropNotSupported))
        }
    }

    @Test("a client that is allowed to add photos can request a capture in a supported format")
    func capture() {
        var initiator = Initiator()
        #expect(initiator.ask(.initiateCapture) == .init(.ok))
        #expect(initiator.ask(.initiateCapture, Responder.storage, .format(.exifJPEG)) == .init(.ok))
        #expect(initiator.store.captures == [2, 3])
        #expect(initiator.ask(.initiateCapture, 9) == .init(.invalidStorageID))
        #expect(initiator.ask(.initiateCapture, 0, .format(.tiff)) == .init(.invalidObjectFormatCode))
        initiator.store.refuse(.busy)
        #expect(initiator.ask(.initiateCapture) == .init(.deviceBusy))
        initiator.store.refuse(nil)
        initiator.store.allow(StoreAccess(mayAdd: false, mayRead: true))
        #expect(initiator.ask(.initiateCapture) == .init(.accessDenied))
        #expect(initiator.store.captures == [2, 3])
    }
}
