/// What a simulated disk holds: directories and files as a graph, as an inode table is.
package struct DiskImage: Sendable {
    /// Bytes that never change, compared by identity.
    package final class Content: Sendable, Hashable {
        /// The bytes of the whole file.
        package let bytes: [UInt8]

        /// Content of these bytes.
        package init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        package static func == (left: Content, right: Content) -> Bool { left === right }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    /// What a file holds that was created and never written.
    static let nothing = Content([])

    /// Names in each directory, with what they stand for; 0 is the root.
    var directories: [Int: [String: Int]] = [0: [:]]
    /// What each file holds.
    var contents: [Int: Content] = [:]

    /// A disk with only an empty root directory.
    package init() {}

    /// The node at a path, nil when there is none.
    func node(_ path: [Substring]) -> Int? {
        var node = 0
        for name in path {
            guard let next = directories[node]?[String(name)] else { return nil }
            node = next
        }
        return node
    }

    /// All files that a path leads to, by path.
    package var files: [String: Content] {
        var found: [String: Content] = [:]
        visit(0, "") { path, node in
            if directories[node] == nil { found[path] = contents[node] ?? Self.nothing }
        }
        return found
    }

    /// All directories that a path leads to, parents first.
    var folders: [String] {
        var found: [String] = []
        visit(0, "") { path, node in
            if directories[node] != nil { found.append(path) }
        }
        return found
    }

    /// Equal for disks that look the same from the root.
    package var fingerprint: Int {
        var hasher = Hasher()
        visit(0, "") { path, node in
            hasher.combine(path)
            if directories[node] == nil { hasher.combine(contents[node] ?? Self.nothing) }
        }
        return hasher.finalize()
    }

    private func visit(_ node: Int, _ path: String, _ body: (String, Int) -> Void) {
        for (name, next) in (directories[node] ?? [:]).sorted(by: { $0.key < $1.key }) {
            let path = path + "/" + name
            body(path, next)
            visit(next, path, body)
        }
    }
}

/// One thing that happened to a simulated disk.
package enum DiskStep: Sendable {
    /// A name in a directory.
    package struct Place: Hashable, Sendable {
        let directory: Int
        let name: String
    }

    /// A name now stands for a node, or for nothing. Durable when its directory is synced.
    ///
    /// `requires` is the step that gave the node its new name: of a rename, the old name never goes before the new one is
    /// there.
    case entry(id: Int, Place, node: Int?, requires: Int?)
    /// A directory was made; its name is a step of its own.
    case madeDirectory(Int)
    /// A file's content was handed to the kernel. Durable when the file is synced.
    case wrote(Int, DiskImage.Content)
    /// A file was synced.
    case syncedFile(Int)
    /// A directory was synced.
    case syncedDirectory(Int)
    /// Databases changed, durably and all at once: they sync by themselves.
    case databases([(Place, node: Int?, DiskImage.Content?)])
    /// The test noted something, at this place in the order of things.
    case mark(Int)
}
