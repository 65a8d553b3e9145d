import Platform

/// A disk with one FAT32 volume of files, computed as it is read (Microsoft FAT
/// Specification, 2005).
///
/// Each file lies in one piece, so that its part of the FAT follows from where it begins; directories are kept as bytes, 32
/// for each file. A volume is always of FAT32: free clusters cost nothing.
package struct FATVolume: Sendable {
    /// A file of the volume.
    package struct File: Hashable, Sendable {
        /// The folders that contain it, outermost first.
        package var folders: [String]
        /// The file's name, which the volume shortens if necessary.
        package var name: String
        /// The size of the file in bytes.
        package var byteCount: UInt64
        /// When it was made; nil when that is not known.
        package var created: WallTime?
        /// When it was last changed; nil when it never was.
        package var modified: WallTime?

        /// A file with its folders, its long name, its size in bytes and its date.
        package init(
            folders: [String], name: String, byteCount: UInt64, created: WallTime? = nil, modified: WallTime? = nil
        ) {
            (self.folders, self.name, self.byteCount) = (folders, name, byteCount)
            (self.created, self.modified) = (created, modified)
        }
    }

    /// A file or directory on the disk. All of them together leave no gap.
    struct Extent: Sendable {
        /// The number of its first cluster; the others follow it.
        var cluster: UInt32
        /// The size in bytes, less than 4 GiB.
        var byteCount: UInt32
        /// Its place in the list of directories or files. Directories come first.
        var index: UInt32
    }

    /// The size of a block in bytes.
    package static let blockSize = 512

    /// The number of files that are left out: those of 4 GiB and more, and those that do not fit into a directory or
    /// the disk.
    package let omittedCount: Int
    /// The size of the disk in blocks.
    package var blockCount: UInt64 { header.layout.blockCount }

    /// In order of their clusters. An empty file has none.
    let extents: [Extent]
    /// The first cluster that belongs to nothing.
    let usedEnd: UInt64
    /// The bytes of each directory, the root's first.
    let directories: [[UInt8]]
    let header: FATHeader

    /// A disk with files at positions of a list.
    ///
    /// - Parameters:
    ///   - files: what it shows; a file is known by its place in this list. A name that is not of eight and three
    ///     characters, or is there twice, is shortened and numbered.
    ///   - serialNumber: another number for each volume, so that hosts notice a change.
    package init(files: [File], serialNumber: UInt32) {
        let label = FATName.label("PINHOLE")
        var builder = FATBuilder(label: label)
        builder.add(files)
        (extents, usedEnd, omittedCount) = (builder.extents, builder.usedEnd, builder.omittedCount)
        directories = builder.directories.map(\.bytes)
        header = FATHeader(layout: builder.layout, serialNumber: serialNumber, label: label, nextFree: usedEnd)
    }
}
