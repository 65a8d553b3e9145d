import Photos

/// The objects of a store at one moment: its files, and the folders that follow from them.
///
/// Parents precede their children. Copies share their memory until one changes.
package struct ObjectTable: Sendable {
    /// All objects: folders, files, then uploaded files, each in the order of their handles.
    package private(set) var objects: [StoredObject] = []

    /// A table without objects, as before consent.
    package init() {}

    /// A table with the folder `DCIM`, the files, and their directories.
    package init(files: [StoredObject]) {
        objects = [Self.dcim]
        insert(files)
    }

    /// The object with a handle; nil without one.
    package subscript(handle: UInt32) -> StoredObject? {
        let index = index(of: handle)
        return isObject(handle, at: index) ? objects[index] : nil
    }

    /// The objects directly inside a folder or the root.
    ///
    /// - Parameter parent: a folder's handle; 0 for the root.
    package func children(of parent: UInt32) -> [StoredObject] {
        objects.filter { $0.parent == parent }
    }

    /// Inserts files, and replaces those with the same handles.
    ///
    /// - Parameter files: files whose parents are directories; missing directories are inserted too.
    /// - Returns: the handles that are new; parents before children.
    @discardableResult
    package mutating func insert(_ files: [StoredObject]) -> [UInt32] {
        var fresh: [StoredObject] = []
        for file in files {
            let index = index(of: file.handle)
            if isObject(file.handle, at: index) {
                objects[index] = file
            } else {
                fresh.append(file)
            }
        }
        let parents = Set(fresh.map(\.parent))
        for parent in parents where self[parent] == nil {
            guard let number = ObjectHandle.directoryNumber(of: parent) else { continue }
            fresh.append(Self.directory(number, handle: parent))
        }
        if self[ObjectHandle.dcim] == nil, !fresh.isEmpty { fresh.append(Self.dcim) }
        fresh.sort { Self.rank($0.handle) < Self.rank($1.handle) }
        var added: [StoredObject] = []
        for object in fresh {
            if added.last?.handle == object.handle { added.removeLast() }
            added.append(object)
        }
        if let only = added.first, added.count == 1 {
            objects.insert(only, at: index(of: only.handle))
        } else if !added.isEmpty {
            // Sorting two sorted runs costs as much as merging them.
            objects += added
            objects.sort { Self.rank($0.handle) < Self.rank($1.handle) }
        }
        return added.map(\.handle)
    }

    /// Removes files, and the directories that become empty.
    ///
    /// - Returns: the removed handles; children before parents.
    @discardableResult
    package mutating func remove(_ handles: [UInt32]) -> [UInt32] {
        var leaving: Set<UInt32> = []
        var parents: Set<UInt32> = []
        for handle in handles {
            guard let object = self[handle], object.kind != .folder else { continue }
            leaving.insert(handle)
            parents.insert(object.parent)
        }
        guard !leaving.isEmpty else { return [] }
        for object in objects where parents.contains(object.parent) && !leaving.contains(object.handle) {
            parents.remove(object.parent)
        }
        leaving.formUnion(parents.filter { ObjectHandle.directoryNumber(of: $0) != nil })
        objects.removeAll { leaving.contains($0.handle) }
        return leaving.sorted { Self.rank($0) > Self.rank($1) }
    }

    /// The folder that contains all directories.
    private static let dcim = StoredObject(
        handle: ObjectHandle.dcim, parent: ObjectHandle.root, kind: .folder, format: .folder, name: "DCIM")

    private static func directory(_ number: Int, handle: UInt32) -> StoredObject {
        StoredObject(
            handle: handle, parent: ObjectHandle.dcim, kind: .folder, format: .folder,
            name: DCFNumber.directoryName(number))
    }

    /// The sort key of a handle: folders come first.
    private static func rank(_ handle: UInt32) -> UInt32 { handle ^ ObjectHandle.dcim }

    /// The index of an object, or where it would be inserted.
    private func index(of handle: UInt32) -> Int {
        let rank = Self.rank(handle)
        var range = objects.startIndex..<objects.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if Self.rank(objects[middle].handle) < rank {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    private func isObject(_ handle: UInt32, at index: Int) -> Bool {
        index < objects.endIndex && objects[index].handle == handle
    }
}
