import Offload
import Photos
import PinholeTesting
import Testing

@Suite struct ObjectTableTests {
    static func file(_ directory: Int, _ file: Int, resource: Int = 0, name: String = "") throws -> StoredObject {
        let number = try #require(DCFNumber(directory: directory, file: file))
        let handle = try #require(ObjectHandle.file(number, resource: resource))
        let parent = try #require(ObjectHandle.directory(directory))
        return StoredObject(
            handle: handle, parent: parent, kind: .file(AssetIdentifier(), resource: resource), format: .jpeg,
            name: name)
    }

    @Test("a handle says what it stands for, and nothing else does")
    func handles() throws {
        #expect(ObjectHandle.directory(100) == 0x4000_0064)
        #expect(ObjectHandle.directory(999) == 0x4000_03e7)
        #expect(ObjectHandle.directory(99) == nil)
        #expect(ObjectHandle.directory(1000) == nil)
        let first = try #require(DCFNumber(directory: 100, file: 1))
        #expect(ObjectHandle.file(first, resource: 0) == 1_000_001)
        #expect(ObjectHandle.file(.last, resource: 62) == 0x3e98_967f)
        #expect(ObjectHandle.file(first, resource: 63) == nil)
        #expect(ObjectHandle.file(first, resource: -1) == nil)
        #expect(ObjectHandle.directoryNumber(of: 0x4000_0064) == 100)
        for handle: UInt32 in [0, 100, 0x4000_0000, 0x4000_0063, 0x4000_03e8, 0x8000_0064, 0xc000_0064, .max] {
            #expect(ObjectHandle.directoryNumber(of: handle) == nil)
        }
        let file = try #require(ObjectHandle.file(of: 0x3e98_967f))
        #expect(file.number == .last && file.resource == 62)
        for handle: UInt32 in [0, 100, 999_999, 1_000_000, 0x3f98_967f, 0x4000_0000, 0x8000_0000, .max] {
            #expect(ObjectHandle.file(of: handle) == nil)
        }
    }

    @Test("folders follow from files, and stand before them")
    func order() throws {
        let files = try [Self.file(101, 3), Self.file(100, 1, resource: 1), Self.file(100, 1), Self.file(100, 2)]
        var table = ObjectTable(files: files)
        let upload = StoredObject(
            handle: ObjectHandle.firstUpload, parent: .directory(101), kind: .file(AssetIdentifier(), resource: 0),
            format: .dng, name: "PINH0004.DNG")
        table.insert([upload])
        let expected: [UInt32] = [
            ObjectHandle.dcim, .directory(100), .directory(101), .file(100, 1), .file(100, 2), .file(101, 3),
            .file(100, 1, resource: 1), 0x8000_0000,
        ]
        #expect(table.objects.map(\.handle) == expected)
        #expect(table.objects.map(\.name).prefix(3) == ["DCIM", "100PINHL", "101PINHL"])
        #expect(table.objects.map(\.parent).prefix(4) == [0, ObjectHandle.dcim, ObjectHandle.dcim, .directory(100)])
        for object in table.objects { #expect(table[object.handle] == object) }
        for handle: UInt32 in [0, 1, .file(100, 3), .directory(102), 0x8000_0001, .max] {
            #expect(table[handle] == nil)
        }
        #expect(table.children(of: 0).map(\.handle) == [ObjectHandle.dcim])
        #expect(
            table.children(of: .directory(100)).map(\.handle) == [
                .file(100, 1), .file(100, 2), .file(100, 1, resource: 1),
            ])
        #expect(table.children(of: .file(100, 1)).isEmpty)
    }

    @Test("before consent there is nothing, after it DCIM")
    func empty() {
        #expect(ObjectTable().objects.isEmpty)
        #expect(ObjectTable(files: []).objects.map(\.name) == ["DCIM"])
    }

    @Test("additions and removals are reported in the order that hosts need")
    func changes() throws {
        var table = ObjectTable()
        let (a, b, c) = try (Self.file(100, 1), Self.file(100, 2), Self.file(200, 1))
        #expect(table.insert([b]) == [ObjectHandle.dcim, .directory(100), b.handle])
        #expect(table.insert([c, a, b]) == [.directory(200), a.handle, c.handle])
        #expect(table.remove([a.handle, .directory(100), 7]) == [a.handle])
        #expect(table.remove([a.handle]).isEmpty)
        #expect(table.remove([c.handle, b.handle]) == [c.handle, b.handle, .directory(200), .directory(100)])
        #expect(table.objects.map(\.name) == ["DCIM"])
    }

    @Test("a file that is there is replaced, and one that comes twice is there once")
    func replacing() throws {
        let old = try Self.file(100, 1, name: "OLD.JPG")
        let new = try Self.file(100, 1, name: "NEW.JPG")
        var table = ObjectTable(files: [old])
        #expect(table.insert([new]).isEmpty)
        #expect(table[new.handle] == new)
        #expect(ObjectTable(files: [old, new]).objects.count == 3)
    }

    @Test("a hundred thousand photos are looked up, listed and changed")
    func many() throws {
        var files: [StoredObject] = []
        for directory in 100...110 {
            for file in 1...9999 { files.append(try Self.file(directory, file)) }
        }
        var table = ObjectTable(files: files.shuffled())
        #expect(table.objects.count == 12 + files.count)
        for file in files.prefix(1000) { #expect(table[file.handle] == file) }
        #expect(table.remove(files.prefix(9999).map(\.handle)).last == .directory(100))
        #expect(table.insert(Array(files.prefix(5))).count == 6)
        #expect(table.children(of: ObjectHandle.dcim).count == 11)
    }
}
