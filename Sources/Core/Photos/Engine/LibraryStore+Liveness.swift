extension LibraryStore {
    /// Calls back when the library's thread has come to it: proof that the thread is not stuck. A closed library has none
    /// and calls back at once.
    package func whenReached(_ body: @escaping @Sendable () -> Void) {
        if !worker.submit(body) { body() }
    }
}
