import Synchronization

/// A volume and its files while a host may read them. One of its files may be open.
///
/// - Isolation: one thread reads; any may call `remove`.
final class Medium: Sendable {
    private struct Open {
        var index: Int
        var file: any MediumFile
    }

    private struct State {
        var isRemoved = false
        var open: Open?
    }

    let volume: FATVolume
    private let source: any MediumSource
    private let state = Mutex(State())

    init(_ volume: FATVolume, from source: any MediumSource) {
        (self.volume, self.source) = (volume, source)
    }

    /// True after `remove`, when nothing can be read.
    var isRemoved: Bool { state.withLock { $0.isRemoved } }

    /// Ends reading for good.
    func remove() {
        state.withLock { state in
            state.isRemoved = true
            state.open = nil
        }
    }

    /// Fills a buffer from a run of blocks.
    ///
    /// - Returns: how many bytes could be read: all that the buffer has room for, unless a file cannot be read or the
    ///   medium was removed.
    /// - Blocking: for files.
    func read(_ blocks: Range<UInt64>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        for piece in volume.pieces(of: blocks) {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[done...].prefix(piece.byteCount))
            guard !room.isEmpty else { break }
            switch piece {
            case .bytes(let bytes): room.copyBytes(from: bytes.prefix(room.count))
            case .zeros: room.initializeMemory(as: UInt8.self, repeating: 0)
            case .file(let index, let offset, _):
                let count = read(index, at: offset, into: room)
                guard count == room.count else { return isRemoved ? 0 : done + count }
            }
            done += room.count
        }
        // Bytes that were read while the medium was removed are discarded.
        return isRemoved ? 0 : done
    }

    private func read(_ index: Int, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let file = file(index) else { return 0 }
        return min(max(0, file.read(into: buffer, at: offset)), buffer.count)
    }

    /// The open file, or another one in its place.
    private func file(_ index: Int) -> (any MediumFile)? {
        let known: (any MediumFile)? = state.withLock { state in
            if let open = state.open, open.index == index { return open.file }
            state.open = nil
            return nil
        }
        if let known { return known }
        guard !isRemoved, let file = source.open(index) else { return nil }
        return state.withLock { state in
            guard !state.isRemoved else { return nil }
            state.open = Open(index: index, file: file)
            return file
        }
    }
}

/// The source of the bytes of a volume's files.
package protocol MediumSource: Sendable {
    /// Opens a file again for each reader.
    ///
    /// - Parameter index: its place in the volume's list.
    /// - Returns: nil when the file is gone, or the client may not read it now.
    /// - Blocking: may, on the thread of `BulkOnlyConnection.run`.
    func open(_ index: Int) -> (any MediumFile)?
}

/// An open file. It is closed when its last reference is released.
package protocol MediumFile: Sendable {
    /// Reads from an offset.
    ///
    /// - Returns: how many bytes were read: fewer than the buffer has only at the end of the file or when it cannot be
    ///   read.
    /// - Blocking: may.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int
}
