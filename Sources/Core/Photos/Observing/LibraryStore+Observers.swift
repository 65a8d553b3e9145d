// Registration of observers.
extension LibraryStore {
    /// Calls an observer from now on for what a client sees change.
    func register(_ observer: any PhotoLibraryChangeObserver, of library: PhotoLibrary) {
        observers.add(observer, of: library, since: shared.changeToken)
    }

    /// Calls `body` once observers have received everything that is durable now.
    ///
    /// - Isolation: the observers' thread; the caller's when the library is closed.
    package func whenObserversKnow(_ body: @escaping @Sendable () -> Void) {
        let accepted = readingThread.submit { [observers] in observers.afterCalls(body) }
        if !accepted { body() }
    }

    /// Calls an observer no more for a client.
    func unregister(_ observer: any PhotoLibraryChangeObserver, for client: Client) {
        observers.remove(observer, for: client)
    }
}
