import Glibc
import Imaging

/// Memory for one picture, aligned to pages as a sensor's buffers are.
///
/// - Ownership: owns the memory and frees it with the last reference. Only one thread may use it while it is written.
package final class PictureMemory: Sendable {
    /// Where the samples lie.
    package let layout: PictureLayout
    // The address never changes, and the memory lives as long as the object; the owner rule above orders the writes.
    /// The first byte; valid while this object lives.
    nonisolated(unsafe) package let base: UnsafeMutableRawPointer

    /// Memory of undefined content; nil when there is none.
    package init?(layout: PictureLayout) {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 4096, layout.byteCount) == 0, let memory else { return nil }
        self.layout = layout
        base = memory
    }

    deinit { free(base) }

    /// The samples; valid while this object lives.
    package var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base, count: layout.byteCount)
    }

    /// The samples from an offset on; valid while this object lives.
    func samples(at offset: Int) -> UnsafeMutablePointer<UInt8> {
        base.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
    }

    /// Copies the samples of another picture of the same layout.
    func copy(from other: PictureMemory) {
        precondition(layout == other.layout, "pictures of different layouts")
        bytes.copyMemory(from: UnsafeRawBufferPointer(other.bytes))
        withExtendedLifetime(other) {}
    }
}
