/// What a host is told of the device before it knows any of its functions.
package struct GadgetDescription: Hashable, Sendable {
    /// Linux Foundation, whose number devices that run Linux may use.
    package static let vendor: UInt16 = 0x1d6b
    /// Release of the device in binary-coded decimal.
    ///
    /// Windows remembers for each vendor, product and release whether there are Microsoft OS descriptors, so raise it
    /// whenever a descriptor changes: here, in `GadgetPlan`, or in `FunctionFSDescriptors` and what is made of it.
    package static let release: UInt16 = 0x0100

    /// Who makes it.
    package var manufacturer: String
    /// What it is.
    package var model: String
    /// Tells cameras apart; never changes.
    package var serialNumber: String
    /// The user that runs the camera.
    package var owner: GadgetOwner

    /// A description from its parts.
    package init(manufacturer: String, model: String, serialNumber: String, owner: GadgetOwner) {
        (self.manufacturer, self.model) = (manufacturer, model)
        (self.serialNumber, self.owner) = (serialNumber, owner)
    }
}

/// A user and a group by their numbers.
package struct GadgetOwner: Hashable, Sendable {
    /// The user.
    package var user: UInt32
    /// The group.
    package var group: UInt32

    /// An owner.
    package init(user: UInt32, group: UInt32) {
        (self.user, self.group) = (user, group)
    }
}

/// What the camera is for a host, beside the serial line.
///
/// Hosts remember by the product number which drivers a device needs, so each has one of its own.
package enum GadgetProduct: UInt16, Hashable, Sendable {
    /// A camera: the Linux Foundation's number for a composite of several functions.
    case camera = 0x0104
    /// A disk: its number for mass storage with a serial line.
    case disk = 0x0106
}
