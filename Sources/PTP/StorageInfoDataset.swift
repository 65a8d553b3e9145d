/// What a store is and has room for (StorageInfo; MTP 1.1, 5.2.2): a card with the folders of DCF.
package struct StorageInfoDataset: Hashable, Sendable {
    /// What the initiator may do to objects.
    package enum AccessCapability: UInt16, Sendable {
        case readWrite = 0x0000
        case readOnly = 0x0001
        case readOnlyWithDeletion = 0x0002
    }

    /// What the initiator may do.
    package var access: AccessCapability
    /// Room on the card.
    package var space: StoreSpace
    /// What people call it.
    package var description: String
    /// Tells it apart from other cameras' stores.
    package var volumeIdentifier: String

    /// The dataset.
    package var bytes: [UInt8] {
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
