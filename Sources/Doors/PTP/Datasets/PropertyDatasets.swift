import Offload

/// The description and value of a property of the camera (DevicePropDesc; MTP 1.1, 5.1.2). All are read-only.
struct DevicePropDescDataset: Hashable, Sendable {
    /// The values that the property can have.
    enum Form: Hashable, Sendable {
        /// Every value of the type.
        case none
        /// The values from the first to the second, in steps.
        case range(PropertyValue, PropertyValue, step: PropertyValue)
    }

    /// The code of the property.
    var code: DevicePropertyCode
    /// The value that the camera was made with.
    var factoryDefault: PropertyValue
    /// The value at the time of the request.
    var current: PropertyValue
    /// The values that the property can have.
    var form = Form.none

    /// The dataset that GetDevicePropDesc returns.
    var bytes: [UInt8] {
        var writer = DatasetWriter()
        writer.write(code.rawValue)
        writer.write(current.type.rawValue)
        writer.write(UInt8(0))  // read-only
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

/// The description of an object property (ObjectPropDesc; MTP 1.1, 5.3.2). All are read-only.
struct ObjectPropDescDataset: Hashable, Sendable {
    /// The code of the property.
    var code: ObjectPropertyCode
    /// The format that the property is described for.
    var format: ObjectFormat

    /// The dataset that GetObjectPropDesc returns; only the format has a default other than zero.
    var bytes: [UInt8] {
        var writer = DatasetWriter()
        writer.write(code.rawValue)
        writer.write(code.type.rawValue)
        writer.write(UInt8(0))  // read-only
        writer.write(code == .objectFormat ? .uint16(format.rawValue) : PropertyValue.zero(code.type))
        writer.write(UInt32(0))  // in no group
        writer.write(UInt8(code.isDate ? 3 : 0))  // a date has a form of its own
        return writer.bytes
    }
}

/// The properties of many objects (ObjectPropList; MTP 1.1, appendix E).
struct ObjectPropListDataset: Sendable {
    /// The objects to list.
    var objects: [StoredObject]
    /// The store that holds them.
    var storage: UInt32
    /// The only property to list; nil for all.
    var code: ObjectPropertyCode?

    /// The encoded dataset. It leaves out objects that lack the property.
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
