/// Built-in clients. The configuration can override them.
enum ServedClient: String, CaseIterable {
    /// A computer at the USB port.
    case usb
    /// The console that it can open there.
    case usbConsole = "usb-console"
    /// Computers that speak PTP/IP.
    case ptpip

    /// Why it asks.
    var purpose: String {
        switch self {
        case .usb: "copies photos to the computer at the USB port"
        case .usbConsole: "gives the computer at the USB port this camera's console"
        case .ptpip: "copies photos to a computer on the network"
        }
    }

    /// True for a client that cannot be recognized again: its grant ends with its session, and a hold of the button gives it
    /// all photos.
    var isVisitor: Bool { self != .ptpip }
}
