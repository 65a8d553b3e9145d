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
