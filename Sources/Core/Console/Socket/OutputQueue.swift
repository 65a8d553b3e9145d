import Glibc
import Platform

/// Bytes that wait until their receiver takes them, and the records of a stream that wait behind them.
///
/// Plain bytes are all kept, up to the owner's limit. Of streamed records the newest 1,000 are kept.
struct OutputQueue {
    static let recordLimit = 1000
    /// Records are turned into bytes only below this, so that old ones can still be dropped.
    private static let lowWater = 64 << 10

    private var bytes: [UInt8] = []
    private var start = 0
    /// A ring would save moving a thousand references once the receiver is slow; it is not worth its code.
    private var records: [Record] = []
    private var dropped = 0

    /// Bytes that are not written yet.
    var count: Int { bytes.count - start }
    /// True when nothing waits.
    var isEmpty: Bool { count == 0 && records.isEmpty }

    /// Adds bytes behind everything that waits.
    mutating func append(_ more: some Sequence<UInt8>, format: (Record) -> String) {
        convert(all: true, format)
        bytes.append(contentsOf: more)
    }

    /// Adds a record of a stream.
    mutating func offer(_ record: Record, format: (Record) -> String) {
        records.append(record)
        convert(all: false, format)
        if records.count > Self.recordLimit {
            records.removeFirst()
            dropped += 1
        }
    }

    /// Writes until everything is gone (true) or the receiver takes no more (false).
    mutating func flush(
        format: (Record) -> String, _ write: (UnsafeRawBufferPointer) throws(SystemError) -> Int
    ) throws(SystemError) -> Bool {
        while true {
            convert(all: false, format)
            guard count > 0 else { return true }
            do throws(SystemError) {
                consume(try bytes[start...].withBytes { (bytes) throws(SystemError) in try write(bytes) })
            } catch {
                if error.code == EAGAIN { return false }
                throw error
            }
        }
    }

    private mutating func consume(_ written: Int) {
        start += written
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.count <= Self.lowWater)
            start = 0
        } else if start > 1 << 20 {
            bytes.removeFirst(start)
            start = 0
        }
    }

    private mutating func convert(all: Bool, _ format: (Record) -> String) {
        var used = 0
        while used < records.count, all || count < Self.lowWater {
            let record = records[used]
            if dropped > 0 {
                let notice = EventRecord(
                    .dropped, time: record.time, fields: ["count": .integer(Int64(dropped))])
                dropped = 0
                bytes.append(contentsOf: (format(.event(notice)) + "\n").utf8)
            }
            bytes.append(contentsOf: (format(record) + "\n").utf8)
            used += 1
        }
        records.removeFirst(used)
    }
}

extension Record {
    /// The time of a record that belongs to a stream.
    fileprivate var time: String {
        switch self {
        case .event(let event): event.time
        case .log(let line): line.time
        default: ""
        }
    }
}
