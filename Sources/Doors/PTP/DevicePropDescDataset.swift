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
