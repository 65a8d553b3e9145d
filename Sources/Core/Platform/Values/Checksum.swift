/// XXH64 (the xxHash specification, 64-bit variant, seed 0): finds damage, proves nothing against an adversary.
package struct Checksum: Sendable {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    private var lane1 = prime1 &+ prime2
    private var lane2 = prime2
    private var lane3: UInt64 = 0
    private var lane4: UInt64 = 0 &- prime1
    private var length: UInt64 = 0
    private var pending: [UInt8] = []

    /// A sum over nothing yet.
    package init() {
        pending.reserveCapacity(32)
    }

    /// The sum of one piece of memory.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = Checksum()
        sum.add(bytes)
        return sum.value
    }

    /// Adds the next piece.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes
        if !pending.isEmpty {
            let missing = min(32 - pending.count, rest.count)
            pending.append(contentsOf: rest[..<missing])
            rest = UnsafeRawBufferPointer(rebasing: rest[missing...])
            guard pending.count == 32 else { return }
            pending.withUnsafeBytes { mix($0) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = rest.count & ~31
        mix(UnsafeRawBufferPointer(rebasing: rest[..<whole]))
        pending.append(contentsOf: rest[whole...])
    }

    /// The sum of what was added so far.
    package var value: UInt64 {
        var hash: UInt64
        if length >= 32 {
            hash =
                Self.rotated(lane1, 1) &+ Self.rotated(lane2, 7) &+ Self.rotated(lane3, 12) &+ Self.rotated(lane4, 18)
            for lane in [lane1, lane2, lane3, lane4] {
                hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
            }
        } else {
            hash = Self.prime5
        }
        hash &+= length
        pending.withUnsafeBytes { tail in
            var offset = 0
            while offset + 8 <= tail.count {
                let word = UInt64(littleEndian: tail.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                hash = Self.rotated(hash ^ Self.round(0, word), 27) &* Self.prime1 &+ Self.prime4
                offset += 8
            }
            if offset + 4 <= tail.count {
                let word = UInt32(littleEndian: tail.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                hash = Self.rotated(hash ^ (UInt64(word) &* Self.prime1), 23) &* Self.prime2 &+ Self.prime3
                offset += 4
            }
            while offset < tail.count {
                hash = Self.rotated(hash ^ (UInt64(tail[offset]) &* Self.prime5), 11) &* Self.prime1
                offset += 1
            }
        }
        hash = (hash ^ (hash >> 33)) &* Self.prime2
        hash = (hash ^ (hash >> 29)) &* Self.prime3
        return hash ^ (hash >> 32)
    }

    /// Whole stripes of 32 bytes.
    private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
        var (a, b, c, d) = (lane1, lane2, lane3, lane4)
        var offset = 0
        while offset + 32 <= bytes.count {
            a = Self.round(a, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            b = Self.round(b, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)))
            c = Self.round(c, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)))
            d = Self.round(d, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self)))
            offset += 32
        }
        (lane1, lane2, lane3, lane4) = (a, b, c, d)
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value << bits | value >> (64 - bits)
    }
}
