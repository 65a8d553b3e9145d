import Platform

/// A directory while its entries are collected, then as the bytes that a host reads (Microsoft FAT Specification,
/// section 6).
struct FATDirectory: Sendable {
    /// What an entry is (`DIR_Attr`).
    struct Attributes: OptionSet {
        let rawValue: UInt8
        static let readOnly = Attributes(rawValue: 0x01)
        static let label = Attributes(rawValue: 0x08)
        static let directory = Attributes(rawValue: 0x10)
        static let archive = Attributes(rawValue: 0x20)
    }

    /// Bytes of an entry.
    static let entryByteCount = 32
    /// The most entries that a directory may have: it ends at 2 MiB.
    static let entryLimit = 65_536

    /// The directory that it lies in, by its place in the volume's list; nil for the root.
    let parent: Int?
    /// The name in eight and three characters.
    let name: FATName
    /// The latest date of a file in it.
    private(set) var date = FATDate.unknown
    /// How many entries it is to have: two of a directory are for itself and its parent, one of the root is the label.
    private(set) var entryCount: Int
    /// Its entries, as far as they have been written.
    private(set) var bytes: [UInt8] = []
    private var names: Set<FATName> = []
    /// The numbers last given to names that had to be shortened, by what they are shortened to.
    private var numbers: [FATName: Int] = [:]

    /// A directory without files.
    init(parent: Int?, name: FATName) {
        (self.parent, self.name) = (parent, name)
        entryCount = parent == nil ? 1 : 2
    }

    /// Its size: whole entries.
    var byteCount: Int { entryCount * Self.entryByteCount }

    /// Makes room for an entry.
    ///
    /// - Returns: the name that it has here, which nothing else in this directory has; nil when the directory is full.
    mutating func reserve(_ name: String) -> FATName? {
        guard entryCount < Self.entryLimit else { return nil }
        let short = freeName(for: name)
        names.insert(short)
        entryCount += 1
        return short
    }

    private mutating func freeName(for name: String) -> FATName {
        if let exact = FATName(name), !names.contains(exact) { return exact }
        let family = FATName(shortening: name, number: 1)
        var number = numbers[family] ?? 0
        var short = family
        repeat {
            number += 1
            short = FATName(shortening: name, number: number)
        } while names.contains(short)
        numbers[family] = number
        return short
    }

    /// Takes note of the date of something that lies in it.
    mutating func include(_ date: FATDate) {
        self.date = max(self.date, date)
    }

    /// All names are known: what found them is no longer needed.
    mutating func finishNames() {
        (names, numbers) = ([], [:])
        bytes.reserveCapacity(byteCount)
    }

    /// Writes the next entry.
    mutating func append(
        _ name: FATName, _ attributes: Attributes, cluster: UInt32 = 0, byteCount: UInt32 = 0, created: FATDate,
        modified: FATDate
    ) {
        bytes += name.bytes
        bytes += [attributes.rawValue, 0, created.hundredths]
        bytes.append(littleEndian: created.time)
        bytes.append(littleEndian: created.day)
        bytes.append(littleEndian: modified.day)  // last read
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: cluster >> 16))
        bytes.append(littleEndian: modified.time)
        bytes.append(littleEndian: modified.day)
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: cluster))
        bytes.append(littleEndian: byteCount)
    }
}
