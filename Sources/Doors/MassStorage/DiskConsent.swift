import Photos
import Platform

/// Asks the owner for access when a computer looks for a medium in the disk, and again while the question stays
/// unanswered: the computer asks once and then only waits for a medium.
///
/// The library decides how soon a question may be repeated. Asking ends with the object.
/// - Isolation: any thread.
final class DiskConsent: Sendable {
    /// Shortest time between two questions.
    private static let interval = Duration.seconds(10)

    private let client: Client
    private let library: LibraryStore
    private let loop: EventLoop
    private let time: any TimeSource

    /// Asks nothing yet.
    init(client: Client, library: LibraryStore, loop: EventLoop, time: any TimeSource) {
        (self.client, self.library, self.loop, self.time) = (client, library, loop, time)
    }

    /// Asks if the owner has not decided. Returns at once.
    func ask() {
        guard library.authorizationStatus(for: .readWrite, client: client) == .notDetermined else { return }
        PhotoLibrary(store: library, client: client).requestAuthorization(for: .readWrite) { [weak self] status in
            guard let self, status == .notDetermined else { return }
            _ = loop.schedule(at: time.now + Self.interval) { [weak self] in self?.ask() }
        }
    }
}
