import FoundationEssentials
import Imaging
@testable import Photos
import Platform

/// A library in its own folder, filled only through its catalog, because the benchmarks never open a photo.
struct LargeLibrary {
    let count: Int
    let folder: String
    let store: LibraryStore

    var console: PhotoLibrary { PhotoLibrary(store: store, client: .console) }

    static func open(_ count: Int, in folder: String) async throws -> LargeLibrary {
        let files = PosixFileOperations()
        let own = "\(folder)/\(count)"
        try files.createDirectory(own)
        var settings = LibrarySettings()
        settings.comparesInBackground = false
        settings.tendsWhenIdle = false
        func store() async throws -> LibraryStore {
            try await LibraryStore.open(
                library: own + "/state/library", state: own + "/state", files: files, time: SystemTime(continuing: nil),
                settings: settings, photoReader: NoReader())
        }
        let empty = try await store()
        let catalog = empty.layout.catalog
        let directory = empty.layout.directory(100)
        await empty.close()
        // A start compares the newest directory with the catalog, but the card has none of these photos.
        try files.removeDirectory(directory)
        try fill(catalog, count, files)
        return LargeLibrary(count: count, folder: own, store: try await store())
    }

    /// One asset in a hundred is a favorite, one in ten belongs to a burst of ten.
    private static func fill(_ path: String, _ count: Int, _ files: any FileOperations) throws {
        let catalog = try Catalog(writing: path, files: files)
        var random = SeededGenerator(seed: 4)
        var number = DCFNumber(directory: 100, file: 1)
        var burst = AssetIdentifier()
        for start in stride(from: 0, to: count, by: 20_000) {
            try catalog.transaction { () throws(SQLiteError) in
                for index in start..<min(count, start + 20_000) {
                    guard let own = number else { return }
                    if index % 100 == 0 { burst = AssetIdentifier() }
                    let moment = 1_700_000_000_000_000_000 + Int64(index) * 60_000_000_000
                    var record = AssetRecord(
                        newNumber: own,
                        captured: WallTime(unixNanoseconds: moment, offsetSeconds: 0, isTrusted: true),
                        bytes: Int64.random(in: 2_000_000...9_000_000, using: &random))
                    record.isFavorite = index % 100 == 50
                    record.burst = index % 100 < 10 ? burst : nil
                    try catalog.assets.insert(record)
                    number = own.successor(filesPerDirectory: 9999)
                }
            }
        }
        try catalog.checkpoint()
    }
}

extension AssetRecord {
    fileprivate init(newNumber: DCFNumber, captured: WallTime, bytes: Int64) {
        self.init(
            number: newNumber, identifier: AssetIdentifier(), captured: captured, width: 4056, height: 3040,
            resources: [Resource(type: .photo, fileExtension: "JPG", bytes: bytes, checksum: 0)])
    }
}

private struct NoReader: Photos.PhotoFileReader {
    func read(_ file: UnsafeRawBufferPointer) throws(ImagingError) -> PhotoFileInfo {
        throw .invalidFile("the benchmarks have no photo files")
    }
}
