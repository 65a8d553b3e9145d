/// Gives each file of a volume its directory, its name there and its clusters.
struct FATBuilder {
    /// Where a file is shown.
    private struct Place {
        var directory: Int
        var name: FATName
    }

    /// The root and what lies below it; parents before their children.
    private(set) var directories: [FATDirectory]
    /// Directories, then files, in order of their clusters.
    private(set) var extents: [FATVolume.Extent] = []
    /// The first cluster that belongs to nothing.
    private(set) var usedEnd = FATLayout.firstCluster
    /// How many files have found no place.
    private(set) var omittedCount = 0
    private var blocksPerCluster: UInt64 = 1
    private let label: FATName
    /// The directories by their paths; nil for one that its parent has no room for.
    private var known: [[String]: Int?] = [[]: 0]

    /// A volume without files.
    init(label: FATName) {
        self.label = label
        directories = [FATDirectory(parent: nil, name: label)]
    }

    /// The layout that has room for what was added.
    var layout: FATLayout {
        FATLayout(blocksPerCluster: blocksPerCluster, clusterCount: usedEnd - FATLayout.firstCluster)
    }

    /// Adds the files of the volume; to be called once.
    mutating func add(_ files: [FATVolume.File]) {
        let places = files.map { place(for: $0) }
        for index in directories.indices.reversed() {
            if let parent = directories[index].parent { directories[parent].include(directories[index].date) }
            directories[index].finishNames()
        }
        var byteCount: UInt64 = 0
        for (file, place) in zip(files, places) where place != nil { byteCount += file.byteCount }
        blocksPerCluster = FATLayout.blocksPerCluster(forBytes: byteCount)

        extents.reserveCapacity(directories.count + files.count)
        for index in directories.indices { allocate(index, UInt64(directories[index].byteCount)) }
        writeFolders()
        for (index, file) in files.enumerated() {
            guard let place = places[index], let cluster = allocate(index, file.byteCount) else {
                omittedCount += 1
                continue
            }
            directories[place.directory].append(
                place.name, [.readOnly, .archive], cluster: cluster, byteCount: UInt32(clamping: file.byteCount),
                created: FATDate(file.created ?? file.modified), modified: FATDate(file.modified ?? file.created))
        }
    }

    private mutating func place(for file: FATVolume.File) -> Place? {
        guard
            file.byteCount <= UInt64(UInt32.max), let directory = directory(file.folders[...]),
            let name = directories[directory].reserve(file.name)
        else { return nil }
        directories[directory].include(FATDate(file.modified ?? file.created))
        return Place(directory: directory, name: name)
    }

    private mutating func directory(_ path: ArraySlice<String>) -> Int? {
        if let index = known[Array(path)] { return index }
        var made: Int?
        if let last = path.last, let parent = directory(path.dropLast()), let name = directories[parent].reserve(last) {
            made = directories.count
            directories.append(FATDirectory(parent: parent, name: name))
        }
        known[Array(path)] = .some(made)
        return made
    }

    /// Gives a directory or file the next clusters.
    ///
    /// - Returns: the first of them, 0 when it is empty; nil when there are not that many.
    @discardableResult
    private mutating func allocate(_ index: Int, _ byteCount: UInt64) -> UInt32? {
        let count = FATLayout.clusters(forBytes: byteCount, blocksPerCluster: blocksPerCluster)
        let limit = FATLayout.firstCluster + FATLayout.clusterLimit(blocksPerCluster: blocksPerCluster)
        guard count > 0 else { return 0 }
        guard count <= limit - usedEnd else { return nil }
        let cluster = UInt32(clamping: usedEnd)
        extents.append(
            FATVolume.Extent(
                cluster: cluster, byteCount: UInt32(clamping: byteCount), index: UInt32(clamping: index)))
        usedEnd += count
        return cluster
    }

    /// Writes the entries that come first in each directory: the label, itself and its parent, then its folders.
    private mutating func writeFolders() {
        let root = directories[0]
        directories[0].append(label, .label, created: root.date, modified: root.date)
        for (index, directory) in directories.enumerated() {
            guard let parent = directory.parent else { continue }
            let (own, date) = (extents[index].cluster, directory.date)
            // The root is 0 here, wherever it lies.
            let above = parent == 0 ? 0 : extents[parent].cluster
            directories[index].append(.itself, .directory, cluster: own, created: date, modified: date)
            directories[index].append(.parent, .directory, cluster: above, created: date, modified: date)
            directories[parent].append(directory.name, .directory, cluster: own, created: date, modified: date)
        }
    }
}
