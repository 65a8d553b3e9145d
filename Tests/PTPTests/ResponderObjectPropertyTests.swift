import Offload
import PinholeTesting
import Testing

@testable import PTP

/// What is asked about objects by MTP's operations.
@Suite struct ResponderObjectPropertyTests {
    private static func initiator() -> Initiator {
        let store = MemoryObjectStore()
        store.add(2)
        return Initiator(store)
    }

    /// The objects of a list of their sizes.
    private static func handles(_ answer: Initiator.Answer) -> [UInt32] {
        var reader = DatasetReader(answer.data ?? [])
        guard let count = try? reader.number(UInt32.self) else { return [] }
        return (0..<count).compactMap { _ in
            let handle = try? reader.number(UInt32.self)
            _ = try? (reader.number(UInt16.self), reader.number(UInt16.self), reader.number(UInt64.self))
            return handle
        }
    }

    @Test("every format has properties, and each is described")
    func descriptions() {
        var initiator = Self.initiator()
        for format in ObjectFormat.allCases {
            let answer = initiator.ask(.getObjectPropsSupported, UInt32(format.rawValue))
            var expected = DatasetWriter()
            expected.write(ObjectPropertyCode.supported(for: format).map(\.rawValue))
            #expect(answer == .init(.ok, data: expected.bytes))
            for code in ObjectPropertyCode.allCases {
                let answer = initiator.ask(.getObjectPropDesc, UInt32(code.rawValue), UInt32(format.rawValue))
                if ObjectPropertyCode.supported(for: format).contains(code) {
                    #expect(answer == .init(.ok, data: ObjectPropDescDataset(code: code, format: format).bytes))
                } else {
                    #expect(answer == .init(.objectPropNotSupported))
                    #expect(format == .association && code.isDate)
                }
            }
        }
    }

    @Test("the properties that libmtp needs are supported")
    func needed() {
        let needed: Set<ObjectPropertyCode> = [
            .storageID, .objectFormat, .protectionStatus, .objectSize, .objectFileName, .dateCreated, .dateModified,
            .parentObject, .persistentUniqueObjectIdentifier, .name,
        ]
        #expect(needed.isSubset(of: ObjectPropertyCode.supported(for: .exifJPEG)))
    }

    @Test("an unknown format or property is refused", arguments: [0, 0x3804, 0x1_3801, .max])
    func unknown(code: UInt32) {
        var initiator = Self.initiator()
        #expect(initiator.ask(.getObjectPropsSupported, code) == .init(.invalidObjectFormatCode))
        #expect(initiator.ask(.getObjectPropDesc, .property(.storageID), code) == .init(.invalidObjectFormatCode))
        #expect(initiator.ask(.getObjectPropDesc, code, .format(.exifJPEG)) == .init(.invalidObjectPropCode))
        #expect(initiator.ask(.getObjectPropValue, .file(100, 1), code) == .init(.invalidObjectPropCode))
    }

    @Test("one property of one object can be read")
    func value() {
        var initiator = Self.initiator()
        #expect(
            initiator.ask(.getObjectPropValue, .file(100, 1), .property(.objectFormat))
                == .init(.ok, data: [0x01, 0x38]))
        #expect(
            initiator.ask(.getObjectPropValue, ObjectHandle.dcim, .property(.parentObject))
                == .init(.ok, data: [0, 0, 0, 0]))
        #expect(
            initiator.ask(.getObjectPropValue, ObjectHandle.dcim, .property(.dateCreated))
                == .init(.objectPropNotSupported))
        #expect(initiator.ask(.getObjectPropValue, 5, .property(.objectFormat)) == .init(.invalidObjectHandle))
    }

    @Test("a property list reaches to the requested depth")
    func depths() {
        var initiator = Self.initiator()
        let all: [UInt32] = [ObjectHandle.dcim, .directory(100), .file(100, 1), .file(100, 2)]
        let questions: [(handle: UInt32, depth: UInt32, [UInt32])] = [
            (.max, 0, all), (.max, 1, all), (.max, .max, all), (0, .max, all), (0, 0, [ObjectHandle.dcim]),
            (0, 1, [ObjectHandle.dcim]), (ObjectHandle.dcim, 0, [ObjectHandle.dcim]),
            (ObjectHandle.dcim, 1, [ObjectHandle.dcim, .directory(100)]),
            (ObjectHandle.dcim, .max, all), (.directory(100), .max, Array(all.dropFirst())),
            (.file(100, 2), 0, [.file(100, 2)]),
            (.file(100, 2), .max, [.file(100, 2)]),
        ]
        for (handle, depth, expected) in questions {
            let answer = initiator.ask(.getObjectPropList, handle, 0, .property(.objectSize), 0, depth)
            #expect(Self.handles(answer) == expected)
        }
        let folders = initiator.ask(.getObjectPropList, .max, .format(.association), .property(.objectSize), 0, .max)
        #expect(Self.handles(folders) == [ObjectHandle.dcim, .directory(100)])
    }

    @Test("a list of all properties has each property of each object")
    func everyProperty() throws {
        var initiator = Self.initiator()
        let answer = initiator.ask(.getObjectPropList, .max, 0, .max, 0, .max)
        let objects = try initiator.store.objects().objects
        let expected = ObjectPropListDataset(objects: objects, storage: Responder.storage, code: nil)
        #expect(answer == .init(.ok, data: expected.bytes))
        #expect(answer.data?.first == 36)
    }

    @Test("a list by group, to an unsupported depth, of an unknown property or of no object is refused")
    func refusedLists() {
        let associationType: UInt32 = 0xdc05
        var initiator = Self.initiator()
        #expect(initiator.ask(.getObjectPropList, .max, 0, 0, 1) == .init(.specificationByGroupUnsupported))
        #expect(initiator.ask(.getObjectPropList, .max, 0, .max, 1) == .init(.specificationByGroupUnsupported))
        #expect(initiator.ask(.getObjectPropList, .max, 0, 0, 0) == .init(.specificationByGroupUnsupported))
        #expect(initiator.ask(.getObjectPropList, .max, 0, .max, 0, 2) == .init(.specificationByDepthUnsupported))
        #expect(initiator.ask(.getObjectPropList, .max, 0, associationType) == .init(.invalidObjectPropCode))
        #expect(initiator.ask(.getObjectPropList, 5, 0, .max) == .init(.invalidObjectHandle))
    }
}
