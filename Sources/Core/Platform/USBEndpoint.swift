import CLinuxShim

/// An endpoint of FunctionFS while a host has configured the device (kernel: FUNCTIONFS_ENDPOINT_DESC).
package struct USBEndpoint: Hashable, Sendable {
    /// Its address on the bus.
    package var address: UInt8
    /// Bytes of a full packet at the speed of this host.
    package var packetSize: Int

    /// An endpoint from its parts.
    package init(address: UInt8, packetSize: Int) {
        (self.address, self.packetSize) = (address, packetSize)
    }

    /// Asks the kernel.
    package init(descriptor: Int32) throws(SystemError) {
        var (address, packetSize): (UInt8, UInt16) = (0, 0)
        guard pinhole_usb_endpoint(descriptor, &address, &packetSize) == 0 else { throw .last("ask an endpoint") }
        self.init(address: address, packetSize: Int(packetSize))
    }

    /// Throws away what waits in the endpoint's own memory. Not every controller can.
    package static func flush(descriptor: Int32) {
        _ = pinhole_usb_flush(descriptor)
    }
}
