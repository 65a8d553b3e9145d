import Photos

/// The objects of a store at one moment: files as they were put in, and the folders that follow from them.
///
/// Parents stand before their children. Copies share their memory until one is changed.
package struct ObjectTable: Sendable {
    /// All of them: folders, files, then uploaded files, each in order of their handles.
    package private(set) var objects: [StoredObject] = []

    /// A table without objects, as before consent.
    package init() {}

    /// The folder `DCIM` and the files, with the directories that they lie in.
    package init(files: [StoredObject]) {
        objects = [Self.dcim]
        insert(files)
    }

    /// The object with a handle.
    package subscript(handle: UInt32) -> StoredObject? {
        let index = index(of: handle)
        return isObject(handle, at: index) ? objects[index] : nil
    }

    /// The objects of a folder, or of the root.
    ///
    /// - Parameter parent: a folder's handle; 0 for the root.
    package func children(of parent: UInt32) -> [StoredObject] {
        objects.filter { $0.parent == parent }
    }

    /// Puts files in, in place of those with the same handles.
    ///
    /// - Parameter files: files whose parents are directories; a missing directory comes with them.
    /// - Returns: the handles that were not there before; parents before children.
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
            // Two sorted runs: that costs as much as merging them.
            objects += added
            objects.sort { Self.rank($0.handle) < Self.rank($1.handle) }
        }
        return added.map(\.handle)
    }

    /// Takes files out, and directories that are empty without them.
    ///
    /// - Returns: the handles that are no longer there; children before parents.
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

    /// The folder that every photo lies in.
    private static let dcim = StoredObject(
        handle: ObjectHandle.dcim, parent: ObjectHandle.root, kind: .folder, format: .folder, name: "DCIM")

    private static func directory(_ number: Int, handle: UInt32) -> StoredObject {
        StoredObject(
            handle: handle, parent: ObjectHandle.dcim, kind: .folder, format: .folder,
            name: DCFNumber.directoryName(number))
    }

    /// What the objects are sorted by: folders come first.
    private static func rank(_ handle: UInt32) -> UInt32 { handle ^ ObjectHandle.dcim }

    /// Where an object is, or where it would be put.
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
