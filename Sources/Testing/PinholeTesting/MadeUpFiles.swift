import MassStorage
import Synchronization

/// The files of a volume, whose bytes are made up from their places.
package final class MadeUpFiles: MediumSource {
    /// What has happened, and what is to.
    package struct State {
        /// Files that cannot be opened.
        package var missing: Set<Int> = []
        /// Where files can be read no further.
        package var ends: [Int: UInt64] = [:]
        /// What happens before a read of a file.
        package var beforeRead: (@Sendable (_ index: Int, _ offset: UInt64) -> Void)?
        /// Files that were opened, in order.
        package var opened: [Int] = []
    }

    fileprivate let openCounter = Atomic<Int>(0)
    /// What a test sets and reads, behind one lock.
    package let state = Mutex(State())

    /// Files that can all be read.
    package init() {}

    /// How many files are open.
    package var openCount: Int { openCounter.load(ordering: .relaxed) }

    /// A byte of a file.
    package static func byte(_ index: Int, at offset: UInt64) -> UInt8 {
        var value = offset &+ UInt64(truncatingIfNeeded: index) &* 0x9e37_79b9_7f4a_7c15
        value = (value ^ (value >> 29)) &* 0xbf58_476d_1ce4_e5b9
        return UInt8(truncatingIfNeeded: value >> 56)
    }

    /// Bytes of a file.
    package static func bytes(_ index: Int, at offset: UInt64, count: Int) -> [UInt8] {
        (0..<UInt64(count)).map { byte(index, at: offset + $0) }
    }

    /// Bytes that pieces of a volume stand for.
    package static func bytes(of pieces: [FATVolume.Piece]) -> [UInt8] {
        pieces.flatMap { piece in
            switch piece {
            case .bytes(let bytes): bytes
            case .zeros(let count): [UInt8](repeating: 0, count: count)
            case .file(let index, let offset, let count): bytes(index, at: offset, count: count)
            }
        }
    }

    package func open(_ index: Int) -> (any MediumFile)? {
        let isThere = state.withLock { state in
            state.opened.append(index)
            return !state.missing.contains(index)
        }
        return isThere ? MadeUpFile(index, self) : nil
    }
}

private final class MadeUpFile: MediumFile {
    private let index: Int
    private let files: MadeUpFiles

    init(_ index: Int, _ files: MadeUpFiles) {
        (self.index, self.files) = (index, files)
        files.openCounter.add(1, ordering: .relaxed)
    }

    deinit { files.openCounter.subtract(1, ordering: .relaxed) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        files.state.withLock { $0.beforeRead }?(index, offset)
        let end = files.state.withLock { $0.ends[index] } ?? .max
        let count = min(buffer.count, Int(clamping: end - min(offset, end)))
        for place in 0..<count { buffer[place] = MadeUpFiles.byte(index, at: offset + UInt64(place)) }
        return count
    }
}
