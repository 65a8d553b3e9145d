import Imaging
import Synchronization

/// The fixed set of buffers of one configuration.
///
/// A lease returns to the set it came from; a set lives as long as its last lease, also after the sensor got another.
/// So a lease from before a restart or a new configuration stays readable and always returns to the right place.
final class FrameBuffers: Sendable {
    private struct State {
        /// The one that has been free for the longest time first.
        var free: [Int]
        /// The number of the picture that each buffer shows.
        var shown: [Int?]
    }

    private let buffers: [PictureMemory]
    private let state: Mutex<State>

    /// Allocates the buffers; nil when memory is short.
    init?(count: Int, layout: PictureLayout) {
        var buffers: [PictureMemory] = []
        for _ in 0..<count {
            guard let buffer = PictureMemory(layout: layout) else { return nil }
            buffers.append(buffer)
        }
        self.buffers = buffers
        state = Mutex(State(free: Array(buffers.indices), shown: Array(repeating: nil, count: count)))
    }

    /// The numbers of all buffers, whether free or leased.
    var indices: Range<Int> { buffers.indices }

    /// A buffer's memory, for the holder of the buffer.
    subscript(index: Int) -> PictureMemory { buffers[index] }

    /// Takes a buffer; nil when all are leased.
    func take() -> Int? {
        state.withLock { $0.free.isEmpty ? nil : $0.free.removeFirst() }
    }

    /// Gives a buffer back.
    func giveBack(_ index: Int) {
        state.withLock { $0.free.append(index) }
    }

    /// Paints a picture into a buffer that the caller has taken, unless the buffer shows it already.
    func show(_ picture: PictureMemory, number: Int, in index: Int) {
        guard state.withLock({ $0.shown[index] }) != number else { return }
        buffers[index].copy(from: picture)
        state.withLock { $0.shown[index] = number }
    }
}
