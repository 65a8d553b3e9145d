import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Resource data")
struct ResourceDataTests {
    private let fixture: TestLibrary
    private let store: LibraryStore
    private let manager: AssetResourceManager
    private let raw = Data((0..<(3 << 20) + 123).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    init() async throws {
        fixture = try TestLibrary()
        store = try await fixture.open()
        manager = AssetResourceManager(library: PhotoLibrary(store: store, client: .console))
    }

    private func stream(
        _ resource: AssetResource
    ) async -> (pieces: [Data], progress: [Double], error: PhotosError?) {
        let pieces = Recorder<Data>()
        let progress = Recorder<Double>()
        let options = AssetResourceRequestOptions()
        options.progressHandler = { progress.add($0) }
        let error = await withCheckedContinuation { continuation in
            manager.requestData(for: resource, options: options) {
                pieces.add($0)
            } completionHandler: {
                continuation.resume(returning: $0)
            }
        }
        return (pieces.elements, progress.elements, error as? PhotosError)
    }

    private func write(_ resource: AssetResource, _ path: String) async -> PhotosError? {
        let error = await withCheckedContinuation { continuation in
            manager.writeData(for: resource, toFile: URL(fileURLWithPath: path), options: nil) {
                continuation.resume(returning: $0)
            }
        }
        return error as? PhotosError
    }

    @Test("the bytes of each resource come whole, in order, in pieces of at most 1 MiB")
    func pieces() async throws {
        let bytes = try photograph(64, 48)
        let asset = try await store.add(photograph: bytes, raw: raw)
        let resources = AssetResource.assetResources(for: asset)
        #expect(resources.map(\.type) == [.photo, .alternatePhoto])
        #expect(resources.allSatisfy { $0.assetLocalIdentifier == asset.localIdentifier })
        let photo = await stream(resources[0])
        #expect(photo.error == nil && photo.pieces == [bytes] && photo.progress == [1])
        let (pieces, progress, error) = await stream(resources[1])
        #expect(error == nil)
        #expect(pieces.map(\.count) == [1 << 20, 1 << 20, 1 << 20, 123])
        #expect(pieces.reduce(Data(), +) == raw)
        #expect(progress == progress.sorted() && progress.count == 4 && progress.last == 1)
        #expect(openFiles(below: fixture.layout.photos).isEmpty)
        await store.close()
    }

    @Test("a request canceled in the middle gives no further piece and ends once, with an error")
    func cancel() async throws {
        let asset = try await store.add(photograph: try photograph(64, 48), raw: raw)
        let pieces = Recorder<Data>()
        let ends = Recorder<Int>()
        let cancelled = Semaphore()
        let error = await withCheckedContinuation { continuation in
            let id = manager.requestData(for: asset.resources[1], options: nil) { piece in
                pieces.add(piece)
                cancelled.wait()
            } completionHandler: { error in
                ends.add(1)
                continuation.resume(returning: error as? PhotosError)
            }
            manager.cancelDataRequest(id)
            cancelled.signal()
        }
        #expect(error?.code == .operationInterrupted)
        #expect(pieces.elements.count <= 1)
        // The thread takes requests in order: after this one nothing more can come of the first.
        #expect(await stream(asset.resources[1]).pieces.count == 4)
        #expect(pieces.elements.count <= 1 && ends.elements.count == 1)
        #expect(openFiles(below: fixture.layout.photos).isEmpty)
        await store.close()
    }

    @Test("a photo deleted meanwhile, and one that may not be seen, give an error and no piece")
    func refused() async throws {
        let asset = try await store.add(photograph: try photograph(64, 48))
        let adding = AssetResourceManager(library: PhotoLibrary(store: store, client: .shutter))
        let denied = await withCheckedContinuation { continuation in
            adding.requestData(for: asset.resources[0], options: nil) { _ in
                Issue.record("a piece was given")
            } completionHandler: {
                continuation.resume(returning: $0 as? PhotosError)
            }
        }
        #expect(denied?.code == .accessUserDenied)
        try await store.delete([asset.localIdentifier], for: .console)
        let deleted = await stream(asset.resources[0])
        #expect(deleted.error?.code == .identifierNotFound && deleted.pieces.isEmpty)
        let copy = fixture.folder + "/copy"
        #expect(await write(asset.resources[0], copy)?.code == .identifierNotFound)
        #expect(!FileManager.default.fileExists(atPath: copy))
        await store.close()
    }

    @Test("a resource is written to a new file; one that is there is left alone")
    func write() async throws {
        let asset = try await store.add(photograph: try photograph(64, 48), raw: raw)
        let copy = fixture.folder + "/copy.dng"
        #expect(await write(asset.resources[1], copy) == nil)
        #expect(FileManager.default.contents(atPath: copy) == raw)
        let refusal = await write(asset.resources[0], copy)
        #expect(refusal?.code == .changeNotSupported)
        #expect(FileManager.default.contents(atPath: copy) == raw)
        #expect(await write(asset.resources[0], fixture.folder + "/nowhere/copy")?.code == .storageFailed)
        #expect(FileManager.default.fileExists(atPath: asset.path))
        await store.close()
    }

    @Test("copies and pieces read only as far as they are wanted")
    func wanted() throws {
        let files = PosixFileOperations()
        let path = fixture.folder + "/raw"
        try fixture.put(raw, at: path)
        var counts: [Int] = []
        try files.readWhile(path) { piece in
            counts.append(piece.count)
            return counts.count < 2
        }
        #expect(counts == [1 << 20, 1 << 20])
        _ = try files.copyNew(path, to: path + ".copy") { _ in }
        #expect(FileManager.default.contents(atPath: path + ".copy") == raw)
        #expect(throws: SystemError.self) { try files.copyNew(path, to: path + ".copy") { _ in } }
        #expect(throws: SystemError.self) { try files.copyNew(path + ".none", to: path + ".other") { _ in } }
        #expect(!FileManager.default.fileExists(atPath: path + ".other"))
    }

    @Test("a copy of a photo that has gone leaves a file alone that was there before")
    func goneSource() async throws {
        let asset = try await store.add(photograph: try photograph(64, 48), raw: raw)
        let target = fixture.folder + "/mine.dng"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.removeItem(atPath: asset.resources[1].path)
        #expect(await write(asset.resources[1], target) != nil)
        #expect(FileManager.default.contents(atPath: target) == Data("mine".utf8))
        await store.close()
    }
}
