import Glibc
import Imaging

/// Memory for one picture, aligned to pages as a sensor's buffers are.
///
/// - Ownership: owns the memory, freed with the last reference. Whoever writes to it must be alone with it.
package final class PictureMemory: Sendable {
    /// Where the samples lie.
    package let layout: PictureLayout
    /// The address as a number, so that the class is checked `Sendable`.
    private let address: UInt

    /// Memory of undefined content; nil when there is none.
    package init?(layout: PictureLayout) {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 4096, layout.byteCount) == 0, let memory else { return nil }
        self.layout = layout
        address = UInt(bitPattern: memory)
    }

    deinit { free(UnsafeMutableRawPointer(bitPattern: address)) }

    /// The samples; valid while this object lives.
    package var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: layout.byteCount)
    }

    /// Takes over another picture of the same layout.
    func copy(from other: PictureMemory) {
        precondition(layout == other.layout, "pictures of different layouts")
        bytes.copyMemory(from: UnsafeRawBufferPointer(other.bytes))
        withExtendedLifetime(other) {}
    }
}
