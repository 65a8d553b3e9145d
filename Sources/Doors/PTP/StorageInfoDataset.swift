import Offload

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
