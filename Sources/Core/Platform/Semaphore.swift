import CLinuxShim
import Glibc

/// A counting semaphore (sem_overview(7)) for a thread that waits for work.
///
/// - Blocking: `wait` blocks its thread; never call it on Swift's pool.
package final class Semaphore: Sendable {
    /// The address of the `sem_t` as a number, so that the class is checked `Sendable`; it lives as long as the object.
    private let address: UInt

    /// A semaphore at zero.
    package init() {
        let place = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        place.initialize(to: sem_t())
        sem_init(place, 0, 0)
        address = UInt(bitPattern: place)
    }

    deinit {
        sem_destroy(place)
        place.deallocate()
    }

    private var place: UnsafeMutablePointer<sem_t> { UnsafeMutablePointer(bitPattern: address)! }

    /// Adds one.
    package func signal() {
        sem_post(place)
    }

    /// Waits until the count is above zero and takes one.
    package func wait() {
        while sem_wait(place) != 0 {}  // interrupted by a signal
    }

    /// Waits until the count is above zero and takes one, or until the moment has come.
    ///
    /// - Returns: false when the moment came first.
    package func wait(until moment: MonotonicTime) -> Bool {
        pinhole_semaphore_wait_until(place, moment.nanoseconds)
    }
}
