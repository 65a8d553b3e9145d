import Offload

/// What a property of the camera is, and its value (DevicePropDesc; MTP 1.1, 5.1.2). None can be set.
struct DevicePropDescDataset: Hashable, Sendable {
    /// What the values can be.
    enum Form: Hashable, Sendable {
        /// Any of the type.
        case none
        /// From the first to the second, by steps.
        case range(PropertyValue, PropertyValue, step: PropertyValue)
    }

    /// Which property.
    var code: DevicePropertyCode
    /// Its value when the camera was made.
    var factoryDefault: PropertyValue
    /// Its value now.
    var current: PropertyValue
    /// What it can be.
    var form = Form.none

    /// The dataset.
    var bytes: [UInt8] {
        var writer = DatasetWriter()
        writer.write(code.rawValue)
        writer.write(current.type.rawValue)
        writer.write(UInt8(0))  // can only be read
        writer.write(factoryDefault)
        writer.write(current)
        switch form {
        case .none:
            writer.write(UInt8(0))
        case .range(let least, let greatest, let step):
            writer.write(UInt8(1))
            for value in [least, greatest, step] { writer.write(value) }
        }
        return writer.bytes
    }
}

/// What a property of objects is (ObjectPropDesc; MTP 1.1, 5.3.2). None can be set.
struct ObjectPropDescDataset: Hashable, Sendable {
    /// Which property.
    var code: ObjectPropertyCode
    /// Format of the objects.
    var format: ObjectFormat

    /// The dataset.
    var bytes: [UInt8] {
        var writer = DatasetWriter()
        writer.write(code.rawValue)
        writer.write(code.type.rawValue)
        writer.write(UInt8(0))  // can only be read
        writer.write(code == .objectFormat ? .uint16(format.rawValue) : PropertyValue.zero(code.type))
        writer.write(UInt32(0))  // of no group
        writer.write(UInt8(code.isDate ? 3 : 0))  // a date has a form of its own
        return writer.bytes
    }
}

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
