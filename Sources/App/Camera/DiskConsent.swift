import Photos
import Platform

/// Asks the owner for a computer that looks for a medium in the disk, and again when nobody has answered: the computer
/// asks once and then only waits for one.
///
/// How soon that is, the prompts decide. It ends with the object.
/// - Isolation: any thread.
final class DiskConsent: Sendable {
    /// How often an unanswered question is put again, at most.
    private static let interval = Duration.seconds(10)

    private let client: Client
    private let library: LibraryStore
    private let loop: EventLoop
    private let time: any TimeSource

    /// Asks nothing yet.
    init(client: Client, appliance: Appliance) {
        self.client = client
        (library, loop, time) = (appliance.parts.store, appliance.parts.loop, appliance.parts.time)
    }

    /// Asks, if nothing is decided. Returns at once.
    func ask() {
        guard library.authorizationStatus(for: .readWrite, client: client) == .notDetermined else { return }
        PhotoLibrary(store: library, client: client).requestAuthorization(for: .readWrite) { [weak self] status in
            guard let self, status == .notDetermined else { return }
            _ = loop.schedule(at: time.now + Self.interval) { [weak self] in self?.ask() }
        }
    }
}
