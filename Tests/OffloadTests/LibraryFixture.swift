import Foundation
import Imaging
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Offload
@testable import Photos

/// Answers every question at once.
final class FixedPrompter: AccessPrompter {
    private let answers: Mutex<AccessAnswer>
    private let questions = Mutex<[AccessQuestion]>([])

    init(_ answer: AccessAnswer) {
        answers = Mutex(answer)
    }

    var asked: [AccessQuestion] { questions.withLock { $0 } }

    func setAnswer(_ answer: AccessAnswer) { answers.withLock { $0 = answer } }

    func ask(_ question: AccessQuestion) async -> AccessAnswer {
        questions.withLock { $0.append(question) }
        return answers.withLock { $0 }
    }

    func withdraw(_ question: AccessQuestion) {}
}

/// Leaves questions unanswered until the test ends them.
final class SilentPrompter: AccessPrompter {
    private let numbers = Recorder<Int>()
    private let waiting = Mutex<[CheckedContinuation<AccessAnswer, Never>]>([])

    func ask(_ question: AccessQuestion) async -> AccessAnswer {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0.append(continuation) }
            numbers.add(question.number)
        }
    }

    func withdraw(_ question: AccessQuestion) { answer() }

    /// Waits for so many questions.
    ///
    /// - Returns: the number of the last.
    func asked(_ count: Int) async -> Int {
        await numbers.elements(count)[count - 1]
    }

    /// Whether there were so many questions when a thread had done its work.
    func isAsked(_ count: Int, after thread: WorkerThread) async -> Bool {
        await thread.run { [numbers] in numbers.elements.count >= count }
    }

    /// Ends the questions that wait without an answer.
    func answer() {
        let ended = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in ended { continuation.resume(returning: .unanswered) }
    }
}

/// A library in a folder of its own, and the store that one client has of it.
final class LibraryFixture: Sendable {
    let folder: String
    let time = ScriptedTime()
    let files = FaultyFileOperations()
    let prompter = FixedPrompter(.allowed)
    let library: LibraryStore
    let client: Client
    let store: LibraryObjectStore
    /// What a connection's thread would do: calls that block.
    let connection = WorkerThread(name: "connection")
    private let changes = Mutex<[StoreChange]>([])

    static let usb = Client.session("usb", 1)
    static let ptpip = Client.named("ptpip")

    static func policies() throws -> [ClientPolicy] {
        [
            try ClientPolicy(client: "usb", purpose: "To copy photos.", holdGivesFull: true, isRemembered: false),
            try ClientPolicy(client: "ptpip", purpose: "To copy photos."),
            try ClientPolicy(client: "all", purpose: "To see all.", level: .full),
            try ClientPolicy(client: "some", purpose: "To see some.", level: .limited),
            try ClientPolicy(client: "adder", purpose: "To add.", level: .addOnly),
            try ClientPolicy(client: "none", purpose: "Nothing.", level: .nothing),
        ]
    }

    static func open(
        _ client: Client = .named("all"), capture: @escaping LibraryObjectStore.Capture = LibraryFixture.noCapture,
        settings change: (inout LibrarySettings) -> Void = { _ in }
    ) async throws -> LibraryFixture {
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory + "/" : NSTemporaryDirectory()
        let folder = parent + "pinhole-ptp-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try await LibraryFixture(folder: folder, client: client, capture: capture, change)
    }

    private init(
        folder: String, client: Client, capture: @escaping LibraryObjectStore.Capture,
        _ change: (inout LibrarySettings) -> Void
    ) async throws {
        (self.folder, self.client) = (folder, client)
        var settings = LibrarySettings()
        settings.comparesInBackground = false
        settings.tendsWhenIdle = false
        settings.reservedBytes = 0
        change(&settings)
        library = try await LibraryStore.open(
            library: folder + "/state/library", state: folder + "/state", files: files, time: time,
            settings: settings, policies: try Self.policies(), photoReader: LibraryFileReader())
        library.setPrompter(prompter)
        if client.session != nil { library.beginSession(client) }
        store = LibraryObjectStore(
            library: library, client: client, time: time,
            capture: capture)
        store.observe { [weak self] change in self?.changes.withLock { $0.append(change) } }
    }

    /// A camera that takes no photos.
    static let noCapture: LibraryObjectStore.Capture = { (client, completion) throws(OffloadError) in
        throw .busy
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func close() async {
        await connection.stop()
        await library.close()
    }

    /// Calls the store as a connection does.
    func call<T: Sendable>(
        _ body: @escaping @Sendable (LibraryObjectStore) throws(OffloadError) -> T
    ) async throws(OffloadError) -> T {
        try await connection.run { [store] () throws(OffloadError) in try body(store) }
    }

    /// What a call of the store fails with; nil when it does not.
    func failure(_ body: @escaping @Sendable (LibraryObjectStore) throws(OffloadError) -> Void) async -> OffloadError? {
        do throws(OffloadError) {
            try await call(body)
            return nil
        } catch {
            return error
        }
    }

    func table() async throws(OffloadError) -> ObjectTable {
        try await call { (store) throws(OffloadError) in try store.objects() }
    }

    /// The names of the files that the client sees.
    func names() async throws(OffloadError) -> [String] {
        try await table().objects.filter { $0.kind != .folder }.map(\.name)
    }

    /// The changes that the client received since the last call, once all were reported.
    func news() async -> [StoreChange] {
        await withCheckedContinuation { continuation in library.whenObserversKnow { continuation.resume() } }
        return changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }

    /// Expects exactly these changes since the last call.
    func expectNews(_ expected: [StoreChange], sourceLocation: SourceLocation = #_sourceLocation) async {
        let news = await news()
        #expect(news == expected, sourceLocation: sourceLocation)
    }

    /// Adds a photo as the button does, or as somebody else; its identifier.
    @discardableResult
    func add(
        _ bytes: [UInt8] = LibraryFixture.photo, raw: [UInt8]? = nil, for client: Client = .shutter
    ) async throws -> String {
        let identifier = AssetIdentifier().description
        try await PhotoLibrary(store: library, client: client).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.identifier = identifier
            request.addResource(with: .photo, data: Data(bytes), options: nil)
            if let raw { request.addResource(with: .alternatePhoto, data: Data(raw), options: nil) }
        }
        return identifier
    }

    /// A photo of ours.
    static let photo = drawn(thumbnail: true)
    static let photoWithoutThumbnail = drawn(thumbnail: false)
    /// The smallest TIFF file that counts as a photo.
    static let tiff: [UInt8] = {
        var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 6, 0]
        let entries: [(tag: Int, value: UInt8)] = [
            (0x100, 1), (0x101, 1), (0x102, 8), (0x103, 1), (0x111, 4), (0x117, 1),
        ]
        for (tag, value) in entries { file += entry(tag, value) }
        return file + [0, 0, 0, 0]
    }()

    private static func entry(_ tag: Int, _ value: UInt8) -> [UInt8] {
        [UInt8(tag & 255), UInt8(tag >> 8), 4, 0, 1, 0, 0, 0, value, 0, 0, 0]
    }

    private static func drawn(thumbnail: Bool) -> [UInt8] {
        let layout = PictureLayout(packed: .yuv420, width: 320, height: 240)
        let samples = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let metadata = PhotoMetadata(
            make: "Pinhole", model: "Pinhole camera", software: "pinhole",
            captureTime: WallTime(unixNanoseconds: 1_796_030_100_000_000_000, offsetSeconds: 3600, isTrusted: true))
        let file = try? samples.withBytes { (bytes) throws(ImagingError) in
            try PhotoEncoder().encode(
                Picture(layout: layout, bytes: bytes), metadata: metadata, quality: 80, thumbnail: thumbnail
            ).data
        }
        return Array(file ?? Data())
    }

    /// The names in the staging folder.
    func staged() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: library.layout.staging) }
}
