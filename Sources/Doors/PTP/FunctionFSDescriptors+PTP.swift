import USBGadget

extension FunctionFSDescriptors {
    /// A camera: class still image, subclass still image capture, protocol PIMA 15740, with the additions of MTP (USB
    /// Still Image Capture Device Definition 1.0, section 4).
    ///
    /// libmtp looks for the letters of the name, Windows for those of the identifier. An event with three parameters has
    /// 24 bytes.
    package static let ptp = FunctionFSDescriptors(
        interfaceClass: Class(code: 6, subclass: 1, protocolCode: 1), name: "MTP", interruptPacketSize: 28,
        compatibleIdentifier: "MTP")
}
