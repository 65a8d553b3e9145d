import CLinuxShim
import Glibc

/// Transfers of one descriptor that wait in the kernel, several at a time, and can be canceled: Linux AIO (io_submit(2)).
///
/// For endpoints of FunctionFS, which have no other interface that can do this. Transfers end in the order of their begin.
/// - Isolation: one thread at a time.
package struct TransferQueue: ~Copyable {
    /// How a transfer ended.
    package struct End: Hashable, Sendable {
        /// The slot whose transfer ended; it is free again.
        package var slot: Int
        /// Bytes that were moved; an errno when it failed.
        package var result: Result<Int, TransferFailure>

        /// True when nothing, or not all, was moved because of an error.
        package var hasFailed: Bool {
            if case .failure = result { true } else { false }
        }

        /// The end of the transfer in a slot: the number of bytes, or the failure.
        package init(slot: Int, result: Result<Int, TransferFailure>) {
            (self.slot, self.result) = (slot, result)
        }
    }

    /// Why a transfer failed.
    package struct TransferFailure: Error, Hashable, Sendable {
        /// The kernel's error number, positive (errno(3)).
        package var code: Int32
    }

    /// Bytes of the buffer that each slot has.
    package let slotSize: Int
    /// Slots whose transfer has not ended, the oldest first.
    package private(set) var underWay: [Int]
    /// Slots without a transfer.
    package private(set) var free: [Int]
    private let context: UInt64
    private let ended: WakeSignal
    private let slots: Int
    private let records: UnsafeMutablePointer<pinhole_transfer>
    private let buffers: UnsafeMutableRawPointer

    /// A queue with room for so many transfers of so many bytes.
    package static func make(slots: Int, slotSize: Int) throws(SystemError) -> TransferQueue {
        let ended = try WakeSignal()
        var context: UInt64 = 0
        guard pinhole_transfers_create(UInt32(slots), &context) == 0 else { throw .last("create a transfer queue") }
        return TransferQueue(context: context, ended: ended, slots: slots, slotSize: slotSize)
    }

    private init(context: UInt64, ended: WakeSignal, slots: Int, slotSize: Int) {
        (self.context, self.ended, self.slots, self.slotSize) = (context, ended, slots, slotSize)
        underWay = []
        free = Array(0..<slots)
        records = .allocate(capacity: slots)
        records.initialize(repeating: pinhole_transfer(), count: slots)
        buffers = .allocate(byteCount: slots * slotSize, alignment: 4096)
    }

    deinit {
        // Waits until the kernel has released the buffers.
        pinhole_transfers_destroy(context)
        records.deallocate()
        buffers.deallocate()
    }

    /// Becomes readable when a transfer has ended.
    package var descriptor: Int32 { ended.descriptor }

    /// The buffer of a slot. While the slot is under way it is the kernel's.
    package func buffer(_ slot: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: buffers + slot * slotSize, count: slotSize)
    }

    /// Begins a transfer with a free slot.
    ///
    /// - Parameter count: bytes to write from the slot's buffer, or to read into it.
    package mutating func begin(_ slot: Int, on descriptor: Int32, writes: Bool, count: Int) throws(SystemError) {
        precondition(count <= slotSize && free.contains(slot), "slot \(slot) is under way or too small")
        let result = pinhole_transfer_begin(
            context, records + slot, descriptor, writes, buffers + slot * slotSize, count, ended.descriptor,
            UInt64(slot)
        )
        guard result == 0 else { throw .last("begin a transfer") }
        free.removeAll { $0 == slot }
        underWay.append(slot)
    }

    /// Collects the transfers that have ended. Never waits.
    package mutating func collect() -> [End] {
        ended.clear()
        var ends: [End] = []
        var batch = [pinhole_transfer_end](repeating: pinhole_transfer_end(), count: 16)
        repeat {
            let count = Int(pinhole_transfers_collect(context, &batch, Int32(batch.count)))
            for end in batch.prefix(max(0, count)) {
                let slot = Int(truncatingIfNeeded: end.token)
                underWay.removeAll { $0 == slot }
                free.append(slot)
                ends.append(
                    End(
                        slot: slot,
                        result: end.result >= 0
                            ? .success(Int(truncatingIfNeeded: end.result))
                            : .failure(TransferFailure(code: Int32(truncatingIfNeeded: -end.result)))))
            }
            // A batch that is not full has taken them all.
            if count < batch.count { return ends }
        } while true
    }

    /// Cancels every transfer under way, and waits until the kernel has released the buffers.
    ///
    /// - Returns: how each ended: one that was just done may have been in time.
    package mutating func abandon() -> [End] {
        // The newest first: canceling the oldest would begin the next one.
        for slot in underWay.reversed() { pinhole_transfer_cancel(context, records + slot) }
        var ends: [End] = []
        while !underWay.isEmpty {
            _ = WakeSignal.wait(for: [ended.descriptor])
            ends += collect()
        }
        return ends
    }
}

/// An endpoint of FunctionFS while a host has configured the device (kernel: FUNCTIONFS_ENDPOINT_DESC).
package struct USBEndpoint: Hashable, Sendable {
    /// Its address on the bus.
    package var address: UInt8
    /// Bytes of a full packet at the speed of this host.
    package var packetSize: Int

    /// An endpoint; the packet size is in bytes.
    package init(address: UInt8, packetSize: Int) {
        (self.address, self.packetSize) = (address, packetSize)
    }

    /// Asks the kernel for the endpoint of a descriptor.
    package init(descriptor: Int32) throws(SystemError) {
        var (address, packetSize): (UInt8, UInt16) = (0, 0)
        guard pinhole_usb_endpoint(descriptor, &address, &packetSize) == 0 else { throw .last("query an endpoint") }
        self.init(address: address, packetSize: Int(packetSize))
    }

    /// Discards the data in the endpoint's own memory. Not every controller can.
    package static func flush(descriptor: Int32) {
        _ = pinhole_usb_flush(descriptor)
    }
}
