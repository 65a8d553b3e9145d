/// Knows what every client may do.
///
/// - Isolation: any thread; never blocks.
package final class Authority: Sendable {
    /// An authority that knows the built-in clients.
    package init() {}

    /// What a client may do now.
    package func rights(of client: Client) -> Rights {
        switch client {
        case .shutter: .addOnly
        case .console: .full
        default: .none
        }
    }
}
