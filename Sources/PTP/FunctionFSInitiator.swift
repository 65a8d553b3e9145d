import Platform
import USBGadget

/// A host that sees the camera: its link, and its requests on the control pipe (USB Still Image Capture Device
/// Definition 1.0, section 5.2).
package final class FunctionFSInitiator: FunctionFSHost {
    /// How long a host waits for a reset to be noticed: a thread that reads a photo notices it later.
    private static let resetPatience = Duration.milliseconds(500)

    /// What its operations come through.
    package let link: FunctionFSLink
    private let resetNoticed: Semaphore

    /// A host that has just configured the device.
    package init(pipes: any USBPipes) {
        let resetNoticed = Semaphore()
        self.resetNoticed = resetNoticed
        link = FunctionFSLink(pipes: pipes) { resetNoticed.signal() }
    }

    package func answer(_ setup: USBSetupPacket, data: () -> [UInt8]) -> [UInt8]? {
        switch USBClassRequest(setup) {
        case .cancel:
            if let transaction = data().withUnsafeBytes({ USBClassRequest.cancelledTransaction($0) }) {
                link.cancel(transaction)
            }
            return []
        case .reset:
            while resetNoticed.wait(until: .now()) {}  // one that came too late
            link.reset()
            // Else the next operation, sent as soon as this is answered, would be taken for one from before.
            _ = resetNoticed.wait(until: MonotonicTime.now() + Self.resetPatience)
            return []
        case .status: return USBClassRequest.status(link.status)
        case .extendedEventData: return link.lastEvent.map { USBClassRequest.extendedEventData($0) }
        case nil: return nil
        }
    }

    package func eventEnded() { link.eventEnded() }

    package func close() { link.close() }
}
