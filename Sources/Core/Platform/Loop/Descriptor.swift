import CLinuxShim
import Glibc

/// The single owner of a file descriptor; it is closed when the owner goes.
///
/// Interrupted calls are repeated. A bad descriptor (EBADF) is a broken invariant of ours and traps.
/// - Blocking: as the descriptor does.
package struct Descriptor: ~Copyable, Sendable {
    /// The kernel's number, valid while the owner lives.
    package let raw: Int32

    /// Takes over a descriptor that nobody else closes.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // Not repeated on EINTR: Linux has released the number by then.
        if close(raw) != 0, errno == EBADF { preconditionFailure("descriptor \(raw) was closed by somebody else") }
    }

    /// Opens a path; O_CLOEXEC is always added.
    package static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Descriptor {
        while true {
            let raw = pinhole_open(path, flags, mode)
            if raw >= 0 { return Descriptor(owning: raw) }
            if errno != EINTR { throw .last("open", path) }
        }
    }

    /// Takes a waiting connection off a listening socket; it does not block, nor does its descriptor.
    @Sendable
    package static func accept(_ listener: borrowing Descriptor) throws(SystemError) -> Descriptor {
        while true {
            let raw = pinhole_accept(listener.raw)
            if raw >= 0 { return Descriptor(owning: raw) }
            try check("accept a connection")
        }
    }

    /// A counter that another thread can wake a poll with (eventfd(2)); reads and writes are of eight bytes and do not
    /// block.
    package static func eventCounter() throws(SystemError) -> Descriptor {
        let raw = pinhole_eventfd()
        guard raw >= 0 else { throw .last("create an event descriptor") }
        return Descriptor(owning: raw)
    }

    /// A second descriptor for the same open file.
    package func duplicate() throws(SystemError) -> Descriptor {
        let copy = fcntl(raw, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("duplicate") }
        return Descriptor(owning: copy)
    }

    /// Locks the open file together with others that do, until it is closed (flock(2)).
    ///
    /// - Throws: also when somebody has it alone.
    package func lockShared() throws(SystemError) {
        while pinhole_lock_shared(raw) != 0 { try Self.check("lock") }
    }

    /// Waits until nobody else has the file locked, and locks it until it is closed.
    package func lockAlone() throws(SystemError) {
        while pinhole_lock_waiting(raw) != 0 { try Self.check("lock") }
    }

    /// Gives up ownership without closing.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    /// Reads at most the buffer's size; 0 means the end of input.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Glibc.read(raw, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            try Self.check("read")
        }
    }

    /// Reads from an offset of a file, at most the buffer's size; 0 means its end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        while true {
            let count = pread(raw, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            try Self.check("read")
        }
    }

    /// Reads at most `limit` bytes; empty means the end of input.
    package func read(upTo limit: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(SystemError) {
                count = try read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes some of the bytes and returns how many.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Glibc.write(raw, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            try Self.check("write")
        }
    }

    /// Writes some of the bytes to a socket and returns how many. A receiver that is gone is EPIPE, never SIGPIPE.
    package func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Glibc.send(raw, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return count }
            try Self.check("send")
        }
    }

    /// The same with an array.
    package func send(_ bytes: [UInt8]) throws(SystemError) -> Int {
        try bytes.withBytes { (bytes) throws(SystemError) in try send(bytes) }
    }

    /// Writes all bytes of a blocking descriptor.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try rest.withBytes { (bytes) throws(SystemError) in try write(bytes) }
            rest = rest.dropFirst(count)
        }
    }

    /// Sets or clears O_NONBLOCK, which all who share the open file see. Returns what it was.
    @discardableResult
    package func setNonblocking(_ on: Bool) throws(SystemError) -> Bool {
        let flags = fcntl(raw, F_GETFL)
        guard flags >= 0 else { throw .last("read the flags of a descriptor") }
        let wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        guard wanted == flags || fcntl(raw, F_SETFL, wanted) >= 0 else {
            throw .last("set the flags of a descriptor")
        }
        return flags & O_NONBLOCK != 0
    }

    /// Returns to repeat an interrupted call, throws any other reason.
    private static func check(_ operation: String) throws(SystemError) {
        if errno == EINTR { return }
        precondition(errno != EBADF, "\(operation) on a closed descriptor")
        throw .last(operation)
    }
}

/// Wakes a thread that waits in poll(2); it stays set until it is cleared.
///
/// - Isolation: any thread.
package final class WakeSignal: Sendable {
    private let event: Descriptor

    /// A signal that is not set.
    package init() throws(SystemError) {
        event = try Descriptor.eventCounter()
    }

    /// Becomes readable when it is set. It lives as long as the object.
    package var descriptor: Int32 { event.raw }

    /// Sets it.
    package func set() {
        var one: UInt64 = 1
        // A full counter (EAGAIN) is set as well.
        _ = withUnsafeBytes(of: &one) { Glibc.write(event.raw, $0.baseAddress, $0.count) }
    }

    /// Clears it.
    package func clear() {
        var count: UInt64 = 0
        _ = withUnsafeMutableBytes(of: &count) { Glibc.read(event.raw, $0.baseAddress, $0.count) }
    }

    /// Waits until one of the descriptors can be read or has an error.
    ///
    /// - Returns: for each whether it is so.
    package static func wait(for descriptors: [Int32]) -> [Bool] {
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polls, nfds_t(polls.count), -1) < 0, errno == EINTR {}
        return polls.map { $0.revents != 0 }
    }
}
