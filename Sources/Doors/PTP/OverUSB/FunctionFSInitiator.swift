import USBGadget

/// A host that sees the camera: its link, and its requests on the control pipe (USB Still Image Capture Device
/// Definition 1.0, section 5.2).
package final class FunctionFSInitiator: FunctionFSHost {
    /// What its operations come through.
    package let link: FunctionFSLink
    private let resetNotice = ResetNotice()

    /// A host that has just configured the device.
    package init(pipes: any USBPipes) {
        link = FunctionFSLink(pipes: pipes) { [resetNotice] in resetNotice.give() }
    }

    package func answer(_ setup: USBSetupPacket, data: () -> [UInt8]) -> [UInt8]? {
        switch USBClassRequest(setup) {
        case .cancel:
            if let transaction = data().withUnsafeBytes({ USBClassRequest.cancelledTransaction($0) }) {
                link.cancel(transaction)
            }
            return []
        case .reset:
            resetNotice.wait { link.reset() }
            return []
        case .status: return USBClassRequest.status(link.status)
        case .extendedEventData: return link.lastEvent.map { USBClassRequest.extendedEventData($0) }
        case nil: return nil
        }
    }

    package func eventEnded() { link.eventEnded() }

    package func close() { link.close() }
}

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
