import Offload

/// The properties of many objects (ObjectPropList; MTP 1.1, appendix E).
struct ObjectPropListDataset: Sendable {
    /// The objects.
    var objects: [StoredObject]
    /// The store they lie in.
    var storage: UInt32
    /// The property that is wanted; nil for every one.
    var code: ObjectPropertyCode?

    /// The dataset. An object that does not have the property is passed over.
    var bytes: [UInt8] {
        var elements = DatasetWriter()
        var count: UInt32 = 0
        for object in objects {
            for code in ObjectPropertyCode.supported(for: ObjectFormat(object.format)) where self.code ?? code == code {
                let value = code.value(of: object, storage: storage)
                elements.write(object.handle)
                elements.write(code.rawValue)
                elements.write(value.type.rawValue)
                elements.write(value)
                count &+= 1
            }
        }
        var writer = DatasetWriter()
        writer.write(count)
        return writer.bytes + elements.bytes
    }
}
