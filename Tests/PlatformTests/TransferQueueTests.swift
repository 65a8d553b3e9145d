import Foundation
import Glibc
import Platform
import Testing

@Suite("transfers in the kernel") struct TransferQueueTests {
    /// A queue and a file with the bytes given, in a folder of its own.
    func withFile(_ bytes: [UInt8], _ body: (borrowing Descriptor) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "/transfers-" + UUID().uuidString
        defer { unlink(path) }
        let file = try Descriptor.open(path, O_RDWR | O_CREAT, mode: 0o600)
        try file.writeAll(bytes)
        try body(file)
    }

    @Test("what is read lies in the slot's buffer, and the slot is free again")
    func reads() throws {
        try withFile([1, 2, 3]) { file in
            var queue = try TransferQueue.make(slots: 2, slotSize: 512)
            try queue.begin(1, on: file.raw, writes: false, count: 512)
            #expect(queue.underWay == [1] && queue.free == [0])
            var ends: [TransferQueue.End] = []
            while ends.isEmpty {
                _ = WakeSignal.wait(for: [queue.descriptor])
                ends += queue.collect()
            }
            #expect(ends == [TransferQueue.End(slot: 1, result: .success(3))])
            #expect(Array(queue.buffer(1).prefix(3)) == [1, 2, 3])
            #expect(queue.underWay.isEmpty && Set(queue.free) == [0, 1])
        }
    }

    @Test("a transfer that the kernel refuses leaves its slot free")
    func refused() throws {
        let path = NSTemporaryDirectory() + "/transfers-" + UUID().uuidString
        defer { unlink(path) }
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT, mode: 0o600)
        var queue = try TransferQueue.make(slots: 1, slotSize: 512)
        var code: Int32 = 0
        do throws(SystemError) {
            try queue.begin(0, on: file.raw, writes: false, count: 1)
        } catch {
            code = error.code
        }
        #expect(code == EBADF && queue.free == [0] && queue.underWay.isEmpty)
    }

    @Test("giving up leaves nothing under way")
    func abandoned() throws {
        try withFile([UInt8](repeating: 7, count: 4096)) { file in
            var queue = try TransferQueue.make(slots: 4, slotSize: 512)
            for slot in 0..<4 { try queue.begin(slot, on: file.raw, writes: false, count: 512) }
            let ends = queue.abandon()
            #expect(Set(ends.map { $0.slot }) == [0, 1, 2, 3] && queue.underWay.isEmpty)
        }
    }

    @Test("a signal stays set until it is cleared")
    func signal() throws {
        let signal = try WakeSignal()
        let other = try WakeSignal()
        signal.set()
        signal.set()
        #expect(WakeSignal.wait(for: [signal.descriptor, other.descriptor]) == [true, false])
        signal.clear()
        other.set()
        #expect(WakeSignal.wait(for: [signal.descriptor, other.descriptor]) == [false, true])
    }
}
