import Capture
import Configuration
import Console
import Photos
import Platform

/// What the camera offers its doors.
///
/// - Isolation: any thread.
package struct DoorContext: Sendable {
    /// The thread for descriptors and timers.
    package let loop: EventLoop
    /// Blocking work of short duration: opening devices, reading settings.
    package let worker: WorkerThread
    /// The clock of the camera, which tests replace.
    package let time: any TimeSource
    /// The camera's one log, for people.
    package let log: Log
    /// The sessions of clients, through which they see the library and take photos.
    package let sessions: ClientSessions
    /// What happens to the camera, as `events` shows it.
    package let events: Broadcast<EventRecord>
    /// Carries out any command of the console, with the console's rights.
    package let commands: any CommandHandler
    /// The settings in force.
    package let settings: @Sendable () -> CameraConfiguration
    /// The camera's names for clients.
    package let identity: @Sendable () -> DeviceIdentity
    /// The newest frame of the stream, for live view; nil before the first frame. It occupies one of the sensor's buffers, so
    /// release it before requesting the next one.
    package let newestFrame: @Sendable () -> Frame?
    /// Shows on the light that the cable may be pulled.
    package let showSafeToUnplug: @Sendable () -> Void

    /// The context that all doors of one camera share.
    package init(
        loop: EventLoop, worker: WorkerThread, time: any TimeSource, log: Log, sessions: ClientSessions,
        events: Broadcast<EventRecord>, commands: any CommandHandler,
        settings: @escaping @Sendable () -> CameraConfiguration, identity: @escaping @Sendable () -> DeviceIdentity,
        newestFrame: @escaping @Sendable () -> Frame?, showSafeToUnplug: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.worker = worker
        self.time = time
        self.log = log
        self.sessions = sessions
        self.events = events
        self.commands = commands
        self.settings = settings
        self.identity = identity
        self.newestFrame = newestFrame
        self.showSafeToUnplug = showSafeToUnplug
    }

    /// The library as a client sees it.
    package func library(as client: Client) -> PhotoLibrary { PhotoLibrary(store: sessions.library, client: client) }

    /// Reports that the computer of a client has come or gone.
    package func report(_ change: ClientSessions.Change, _ client: Client, _ message: String) {
        sessions.report(change, client, message)
    }

    /// Runs blocking work and waits for it.
    ///
    /// - Throws: `.stopping` once the camera has stopped.
    package func run<Success: Sendable>(
        _ work: @escaping @Sendable () throws(CommandFailure) -> Success
    ) async throws(CommandFailure) -> Success {
        guard let success = try await worker.runUnlessStopped(work) else {
            throw CommandFailure(.stopping, "the camera is stopping; start it again")
        }
        return success
    }
}
