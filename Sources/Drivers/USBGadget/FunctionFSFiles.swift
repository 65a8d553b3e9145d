import Glibc
import Platform

/// The open files of FunctionFS (kernel: Documentation/usb/functionfs.rst). Closed with the object.
final class FunctionFSFiles: Sendable {
    /// The control pipe, and what the kernel tells of the device.
    let control: Descriptor
    let bulkIn: Descriptor
    let bulkOut: Descriptor
    /// The descriptor of the pipe for events; nil when the function has none.
    let interrupt: Int32?
    private let events: Descriptor?

    /// Opens them and tells the kernel what the device is.
    ///
    /// - Parameter folder: where FunctionFS is mounted.
    init(folder: String, descriptors: FunctionFSDescriptors) throws(SystemError) {
        control = try Descriptor.open(folder + "/ep0", O_RDWR | O_NONBLOCK)
        // The kernel takes each whole or not at all.
        try control.writeAll(descriptors.descriptors)
        try control.writeAll(descriptors.strings)
        // O_NONBLOCK: an endpoint that no host has configured refuses at once, and does not wait for one.
        bulkIn = try Self.open(.bulkIn, folder)
        bulkOut = try Self.open(.bulkOut, folder)
        if descriptors.interruptPacketSize == nil {
            interrupt = nil
            events = nil
        } else {
            let events = try Self.open(.interrupt, folder)
            interrupt = events.raw
            self.events = consume events
        }
    }

    private static func open(
        _ endpoint: FunctionFSDescriptors.Endpoint, _ folder: String
    ) throws(SystemError) -> Descriptor {
        try Descriptor.open("\(folder)/ep\(endpoint.rawValue)", O_RDWR | O_NONBLOCK)
    }
}
