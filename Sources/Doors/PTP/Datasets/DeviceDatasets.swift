import Offload

/// The camera's identity and abilities (DeviceInfo; MTP 1.1, 5.1.1).
struct DeviceInfoDataset: Hashable, Sendable {
    /// Manufacturer, model, version and serial number.
    var identity: DeviceIdentity
    /// The operations that the responder answers.
    var operations: [OperationCode]
    /// The events that the responder or a link may send.
    var events: [EventCode]
    /// The properties that this camera has.
    var properties: [DevicePropertyCode]
    /// The formats of photos that the camera takes.
    var captureFormats: [ObjectFormat]
    /// The formats of files that it holds or accepts.
    var formats: [ObjectFormat]

    /// The encoded dataset.
    ///
    /// The vendor extension is Microsoft's, because Windows and libmtp recognize MTP by it; with `android.com` in it,
    /// libmtp would avoid GetObjectPropList.
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

    /// The serial number as MTP requires it: 32 characters.
    private var serialNumber: String {
        let digits = identity.serialNumber.suffix(32)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

/// The kind of a store and its free space (StorageInfo; MTP 1.1, 5.2.2): a card with the folders of DCF.
struct StorageInfoDataset: Hashable, Sendable {
    /// The permissions that StorageInfo can state.
    enum AccessCapability: UInt16, Sendable {
        case readWrite = 0x0000
        case readOnly = 0x0001
        case readOnlyWithDeletion = 0x0002
    }

    /// What the initiator may do in this store at the moment.
    var access: AccessCapability
    /// Size and free space of the card.
    var space: StoreSpace
    /// The name that computers show.
    var description: String
    /// A text that no other camera's store has.
    var volumeIdentifier: String

    /// The dataset that GetStorageInfo returns; it leaves open how many objects still fit.
    var bytes: [UInt8] {
        var writer = DatasetWriter()
        writer.write(UInt16(0x0004))  // removable RAM
        writer.write(UInt16(0x0003))  // DCF
        writer.write(access.rawValue)
        writer.write(space.capacity)
        writer.write(space.free)
        writer.write(UInt32.max)  // the number of objects that still fit is unknown
        writer.write(description)
        writer.write(volumeIdentifier)
        return writer.bytes
    }
}
