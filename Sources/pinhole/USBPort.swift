import Console
import PTP
import Photos
import Platform
import Synchronization
import USBGadget

/// The USB port: shows a computer there the camera and, once the owner allows it, a console.
///
/// - Isolation: any thread. What blocks runs on the command thread and on the thread `usb`.
final class USBPort: Sendable {
    /// A computer at the port.
    private struct Visit {
        let camera: Client
        let console: Client
    }

    private struct State {
        var device: FunctionFSDevice?
        var console: TerminalConsole?
        var follower: Broadcast<EventRecord>.Follower?
        var visit: Visit?
        /// Why the port cannot be used.
        var failure: CommandFailure?
        var isStopped = false
    }

    private let visits: HostVisits
    private let appliance: Appliance
    private let commands: any CommandHandler
    private let controller: GadgetController
    private let thread = WorkerThread(name: "usb")
    private let mutex = Mutex(State())

    /// A port that shows nothing yet.
    init(
        visits: HostVisits, appliance: Appliance, commands: any CommandHandler,
        controller: GadgetController = GadgetController()
    ) {
        self.visits = visits
        self.appliance = appliance
        self.commands = commands
        self.controller = controller
    }
}
