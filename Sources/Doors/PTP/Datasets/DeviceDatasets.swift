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

/// What a store is and has room for (StorageInfo; MTP 1.1, 5.2.2): a card with the folders of DCF.
struct StorageInfoDataset: Hashable, Sendable {
    /// What the initiator may do to objects.
    enum AccessCapability: UInt16, Sendable {
        case readWrite = 0x0000
        case readOnly = 0x0001
        case readOnlyWithDeletion = 0x0002
    }

    /// What the initiator may do.
    var access: AccessCapability
    /// Room on the card.
    var space: StoreSpace
    /// What people call it.
    var description: String
    /// Tells it apart from other cameras' stores.
    var volumeIdentifier: String

    /// The dataset.
    var bytes: [UInt8] {
        var writer = DatasetWriter()
        writer.write(UInt16(0x0004))  // removable RAM
        writer.write(UInt16(0x0003))  // DCF
        writer.write(access.rawValue)
        writer.write(space.capacity)
        writer.write(space.free)
        writer.write(UInt32.max)  // how many objects that is, nobody can tell
        writer.write(description)
        writer.write(volumeIdentifier)
        return writer.bytes
    }
}
