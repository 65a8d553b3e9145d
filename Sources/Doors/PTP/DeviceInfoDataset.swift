import Offload

/// What the camera is and can do (DeviceInfo; MTP 1.1, 5.1.1).
struct DeviceInfoDataset: Hashable, Sendable {
    /// Who made it, what it is, its version and number.
    var identity: DeviceIdentity
    /// Operations that it answers.
    var operations: [OperationCode]
    /// Events that it may send.
    var events: [EventCode]
    /// Properties that it has.
    var properties: [DevicePropertyCode]
    /// Formats that it makes.
    var captureFormats: [ObjectFormat]
    /// Formats that it holds or takes.
    var formats: [ObjectFormat]

    /// The dataset.
    ///
    /// The vendor's extension is Microsoft's, MTP, by which Windows and libmtp know it; `android.com` among the words
    /// would make libmtp avoid GetObjectPropList.
    var bytes: [UInt8] {
        var writer = DatasetWriter()
        writer.write(UInt16(100))  // PTP 1.00
        writer.write(UInt32(6))
        writer.write(UInt16(100))  // MTP 1.00, as every initiator expects
        writer.write("microsoft.com: 1.0;")
        writer.write(UInt16(0))  // the standard functional mode
        writer.write(operations.map(\.rawValue))
        writer.write(events.map(\.rawValue))
        writer.write(properties.map(\.rawValue))
        writer.write(captureFormats.map(\.rawValue))
        writer.write(formats.map(\.rawValue))
        writer.write(identity.manufacturer)
        writer.write(identity.model)
        writer.write(identity.version)
        writer.write(serialNumber)
        return writer.bytes
    }

    /// MTP wants 32 characters.
    private var serialNumber: String {
        let digits = identity.serialNumber.suffix(32)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
