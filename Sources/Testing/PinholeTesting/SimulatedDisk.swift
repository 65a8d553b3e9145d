import Glibc
import Platform

/// A disk that changes as a file system changes one, and notes every step.
struct SimulatedDisk: Sendable {
    /// What the running system sees.
    private(set) var image: DiskImage
    private(set) var steps: [DiskStep] = []
    private var nextNode: Int
    private var nextStep = 0

    /// A disk that holds what another held.
    init(_ image: DiskImage) {
        self.image = image
        let nodes = Array(image.directories.keys) + image.directories.values.flatMap { Array($0.values) }
        nextNode = (nodes.max() ?? 0) + 1
    }

    /// Forgets the steps: all that was done is durable.
    mutating func settle() {
        steps = []
    }

    /// Notes what the test wants to find among the steps.
    mutating func mark(_ mark: Int) {
        steps.append(.mark(mark))
    }

    // MARK: Looking

    func list(_ path: [Substring]) throws(SystemError) -> [String] {
        guard let node = image.node(path) else { throw Self.error(ENOENT, "list", path) }
        guard let entries = image.directories[node] else { throw Self.error(ENOTDIR, "list", path) }
        return Array(entries.keys)
    }

    func metadata(_ path: [Substring]) -> FileMetadata? {
        guard let node = image.node(path) else { return nil }
        let isDirectory = image.directories[node] != nil
        let size = isDirectory ? 0 : Int64((image.contents[node] ?? DiskImage.nothing).bytes.count)
        return FileMetadata(kind: isDirectory ? .directory : .file, size: size, modifiedUnixNanoseconds: 7)
    }

    func read(_ path: [Substring]) throws(SystemError) -> [UInt8] {
        guard let node = image.node(path) else { throw Self.error(ENOENT, "open", path) }
        guard image.directories[node] == nil else { throw Self.error(EISDIR, "read", path) }
        return (image.contents[node] ?? DiskImage.nothing).bytes
    }

    // MARK: Changing

    mutating func createDirectory(_ path: [Substring]) throws(SystemError) {
        let (place, there) = try place(path)
        guard there == nil else { throw Self.error(EEXIST, "create directory", path) }
        let node = newNode()
        image.directories[node] = [:]
        steps.append(.madeDirectory(node))
        set(place, node)
    }

    mutating func writeNew(_ path: [Substring], _ bytes: [UInt8], isSynced: Bool) throws(SystemError) {
        let (place, there) = try place(path)
        guard there == nil else { throw Self.error(EEXIST, "create", path) }
        let node = newNode()
        let content = DiskImage.Content(bytes)
        image.contents[node] = content
        set(place, node)
        steps.append(.wrote(node, content))
        if isSynced { steps.append(.syncedFile(node)) }
    }

    mutating func rename(_ from: [Substring], _ to: [Substring], isReplacing: Bool) throws(SystemError) {
        let (old, node) = try place(from)
        let (new, there) = try place(to)
        guard let node else { throw Self.error(ENOENT, "rename", from) }
        guard there == nil || isReplacing else { throw Self.error(EEXIST, "rename to", to) }
        let given = set(new, node)
        set(old, nil, requires: given)
    }

    mutating func link(_ from: [Substring], _ to: [Substring]) throws(SystemError) {
        let (place, there) = try place(to)
        guard let node = image.node(from) else { throw Self.error(ENOENT, "link", from) }
        guard there == nil else { throw Self.error(EEXIST, "link", to) }
        set(place, node)
    }

    mutating func remove(_ path: [Substring]) throws(SystemError) {
        let (place, node) = try place(path)
        guard let node else { throw Self.error(ENOENT, "remove", path) }
        guard image.directories[node] == nil else { throw Self.error(EISDIR, "remove", path) }
        set(place, nil)
    }

    mutating func removeDirectory(_ path: [Substring]) throws(SystemError) {
        let (place, node) = try place(path)
        guard let node else { throw Self.error(ENOENT, "remove directory", path) }
        guard let entries = image.directories[node] else { throw Self.error(ENOTDIR, "remove directory", path) }
        guard entries.isEmpty else { throw Self.error(ENOTEMPTY, "remove directory", path) }
        set(place, nil)
    }

    mutating func syncDirectory(_ path: [Substring], isIgnored: Bool) throws(SystemError) {
        guard let node = image.node(path), image.directories[node] != nil else {
            throw Self.error(ENOENT, "sync", path)
        }
        if !isIgnored { steps.append(.syncedDirectory(node)) }
    }

    /// Takes over what databases have made of their files, by folder and name; those that are not named are gone.
    mutating func setDatabases(_ found: [(folder: [Substring], databases: [String: [UInt8]])]) {
        var changes: [(DiskStep.Place, node: Int?, DiskImage.Content?)] = []
        for (folder, databases) in found {
            guard let directory = image.node(folder), let entries = image.directories[directory] else { continue }
            for name in entries.keys.sorted() where Self.isDatabase(name) && databases[name] == nil {
                image.directories[directory]?[name] = nil
                changes.append((DiskStep.Place(directory: directory, name: name), nil, nil))
            }
            for (name, bytes) in databases.sorted(by: { $0.key < $1.key }) {
                if let known = entries[name], image.contents[known]?.bytes == bytes { continue }
                let node = entries[name] ?? newNode()
                let content = DiskImage.Content(bytes)
                image.directories[directory]?[name] = node
                image.contents[node] = content
                changes.append((DiskStep.Place(directory: directory, name: name), node, content))
            }
        }
        if !changes.isEmpty { steps.append(.databases(changes)) }
    }

    static func isDatabase(_ name: some StringProtocol) -> Bool { name.contains(".sqlite") }

    // MARK: Inside

    private mutating func newNode() -> Int {
        defer { nextNode += 1 }
        return nextNode
    }

    private func place(_ path: [Substring]) throws(SystemError) -> (DiskStep.Place, Int?) {
        guard let name = path.last, let directory = image.node(path.dropLast()),
            let entries = image.directories[directory]
        else { throw Self.error(ENOENT, "find", path) }
        return (DiskStep.Place(directory: directory, name: String(name)), entries[String(name)])
    }

    @discardableResult
    private mutating func set(_ place: DiskStep.Place, _ node: Int?, requires: Int? = nil) -> Int {
        defer { nextStep += 1 }
        image.directories[place.directory]?[place.name] = node
        steps.append(.entry(id: nextStep, place, node: node, requires: requires))
        return nextStep
    }

    private static func error(_ code: Int32, _ operation: String, _ path: [Substring]) -> SystemError {
        SystemError(code: code, operation: operation, path: "/" + path.joined(separator: "/"))
    }
}
