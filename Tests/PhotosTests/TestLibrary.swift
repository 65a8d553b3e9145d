import Foundation
import Imaging
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

/// A folder of one test, gone with it. In memory where that is possible: these tests do not ask what a disk does.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory + "/" : NSTemporaryDirectory()
        path = parent + "pinhole-photos-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A library in a folder of its own, with maintenance and comparison only when a test requests them.
final class TestLibrary: Sendable {
    private let testFolder: TestFolder
    let time = ScriptedTime()
    let events = Mutex<[LibraryEvent]>([])

    init() throws {
        testFolder = try TestFolder()
    }

    var folder: String { testFolder.path }
    var state: String { folder + "/state" }
    var layout: LibraryLayout { LibraryLayout(library: state + "/library", state: state) }

    static var settings: LibrarySettings {
        var settings = LibrarySettings()
        settings.comparesInBackground = false
        settings.tendsWhenIdle = false
        return settings
    }

    func open(
        _ files: any FileOperations = PosixFileOperations(), _ settings: LibrarySettings = TestLibrary.settings,
        policies: [ClientPolicy] = []
    ) async throws(LibraryError) -> LibraryStore {
        try await LibraryStore.open(
            library: layout.library, state: state, files: files, time: time, settings: settings,
            policies: policies, photoReader: FakePhotoReader(),
            report: { [self] event in events.withLock { $0.append(event) } })
    }

    /// Every file under DCIM, relative to it, with its size.
    func photoFiles() throws -> [String: Int] {
        var found: [String: Int] = [:]
        for directory in (try? FileManager.default.contentsOfDirectory(atPath: layout.photos)) ?? [] {
            for name in try FileManager.default.contentsOfDirectory(atPath: layout.photos + "/" + directory) {
                let path = layout.photos + "/" + directory + "/" + name
                found[directory + "/" + name] = try #require(FileManager.default.contents(atPath: path)).count
            }
        }
        return found
    }

    func put(_ bytes: Data, at path: String) throws {
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    func removeCatalog(withBackup: Bool) throws {
        for path in [layout.catalog, layout.catalog + "-wal", layout.catalog + "-shm"] {
            try? FileManager.default.removeItem(atPath: path)
        }
        if withBackup { try FileManager.default.removeItem(atPath: layout.backup) }
    }
}

/// A photo as the tests write them: `PHOTO <identifier>`, filling, and `END`.
func photo(_ identifier: String, bytes: Int = 3000) -> Data {
    let head = "PHOTO \(identifier) "
    return Data((head + String(repeating: "·", count: max(0, (bytes - head.utf8.count - 3) / 2)) + "END").utf8)
}

/// A new identifier.
func newIdentifier() -> String { AssetIdentifier().description }

/// A raw file as the tests write them: `RAW <identifier>`, filling, and `END`.
func raw(_ identifier: String, bytes: Int = 3000) -> Data {
    Data("RAW \(identifier) ".utf8) + Data(repeating: 0x2E, count: max(0, bytes - 40)) + Data("END".utf8)
}

/// Reads what `photo` and `raw` write; `TIFF` is the third kind it knows.
struct FakePhotoReader: Photos.PhotoFileReader {
    func read(_ file: UnsafeRawBufferPointer) throws(ImagingError) -> PhotoFileInfo {
        let kinds: [(head: String, kind: PhotoFileKind)] = [("PHOTO ", .jpeg), ("RAW", .dng), ("TIFF ", .tiff)]
        guard let (head, kind) = kinds.first(where: { file.starts(with: Array($0.head.utf8)) }) else { return .unknown }
        // The shortest raw file of the tests has nothing but its head.
        guard file.count == 3 || file.suffix(3).elementsEqual(Array("END".utf8)) else {
            throw .invalidFile("its end is missing")
        }
        let identifier = file.dropFirst(head == "RAW" ? 4 : head.utf8.count).prefix(32)
        return PhotoFileInfo(
            kind: kind, width: 40, height: 30, orientation: 6,
            captureTime: WallTime(unixNanoseconds: 5, offsetSeconds: 3600, isTrusted: true),
            imageUniqueID: String(decoding: identifier, as: UTF8.self))
    }
}

extension LibraryStore {
    /// Adds one photo as the shutter does and returns its identifier.
    @discardableResult
    func add(
        _ identifier: String = newIdentifier(), raw: Bool = false, burst: String? = nil, bytes: Int = 3000,
        captured: Int64? = nil, moment: MonotonicTime? = nil
    ) async throws(PhotosError) -> String {
        try await PhotoLibrary(store: self, client: .shutter).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.identifier = identifier
            request.setPixelSize(width: 40, height: 30)
            request.burstIdentifier = burst
            request.moment = moment
            if let captured {
                request.captured = WallTime(unixNanoseconds: captured, offsetSeconds: 3600, isTrusted: true)
            }
            request.addResource(with: .photo, data: photo(identifier, bytes: bytes), options: nil)
            if raw { request.addResource(with: .alternatePhoto, data: Data("RAW".utf8), options: nil) }
        }
        return identifier
    }

    /// Moves files into the library as one asset, the photo first, its raw file second.
    func moveIn(_ paths: [String], identifier: String = newIdentifier()) async throws(PhotosError) {
        try await PhotoLibrary(store: self, client: .console).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.identifier = identifier
            for (path, type) in zip(paths, [AssetResourceType.photo, .alternatePhoto]) {
                let options = AssetResourceCreationOptions()
                options.shouldMoveFile = true
                request.addResource(with: type, fileURL: URL(fileURLWithPath: path), options: options)
            }
        }
    }

    /// Everything the console sees, in order of numbers.
    func all(_ filter: FetchOptions.Filter? = nil) async throws(PhotosError) -> [Asset] {
        var options = FetchOptions()
        options.filter = filter
        options.order = .oldestFirst
        return try await fetch(options, for: .console).assets
    }

    /// One page of assets, as a client sees them.
    func fetch(_ options: FetchOptions, for client: Client) async throws(PhotosError) -> FetchResult<Asset> {
        try await PhotoLibrary(store: self, client: client).fetchAssets(with: options)
    }
}
