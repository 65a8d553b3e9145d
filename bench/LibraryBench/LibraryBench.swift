import FoundationEssentials
import Photos
import Platform
import Synchronization

/// Measures the library with a thousand, a hundred thousand and a million photos.
///
/// usage: LibraryBench FOLDER      no other program may use the folder
@main
enum LibraryBench {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let folder = CommandLine.arguments.last else {
            print("usage: LibraryBench FOLDER")
            return
        }
        var libraries: [LargeLibrary] = []
        for count in [1000, 100_000, 1_000_000] { libraries.append(try await LargeLibrary.open(count, in: folder)) }
        let empty = try await LargeLibrary.open(0, in: folder)
        print("| what | \(libraries.map { "\($0.count) photos" }.joined(separator: " | ")) |")
        print("|---|\(libraries.map { _ in "---|" }.joined())")
        for (name, fetch) in fetches {
            try await row(name, libraries) { library in
                _ = try await library.console.fetchAssets(with: fetch(library))
            }
        }
        try await row("count of favorites", libraries) { library in
            _ = try await library.console.countOfAssets(with: .favorites)
        }
        try await row(
            "setting a favorite durably, calling the observer, change details of a page of 100", libraries, rounds: 31
        ) { library in
            try await observe(library)
        }
        try await row("history of the last 1,000 blocks", libraries, rounds: 31, prepare: history) {
            library, token in
            _ = try await library.console.fetchPersistentChanges(since: token)
        }
        try await adding(empty, libraries[2])
        for library in libraries + [empty] { await library.store.close() }
    }

    // MARK: Fetching

    private static let fetches: [(String, @Sendable (LargeLibrary) -> FetchOptions)] = [
        ("newest page of 100", { _ in page() }),
        (
            "page of 100 in the middle, by date",
            { library in page(AssetKey.creationDate < date(library, 0.5), .by(AssetKey.creationDate, ascending: false))
            }
        ),
        ("page of 100 favorites", { _ in page(.favorites) }),
        ("page of 100 of all bursts, by date", { _ in page(.bursts, .by(AssetKey.creationDate)) }),
        (
            "page of 100 of one day (1,440 photos)",
            { library in page(.created(in: date(library, 0.5)..<date(library, 0.5).addingTimeInterval(86_400))) }
        ),
        (
            "lookup of 100 unknown identifiers",
            { _ in page(.identifiers((0..<100).map { _ in AssetIdentifier().description })) }
        ),
        ("page of 100, largest first (no index)", { _ in page(nil, .by(AssetKey.bytes, ascending: false)) }),
    ]

    private static func page(
        _ filter: FetchOptions.Filter? = nil, _ order: FetchOptions.Order = .newestFirst
    ) -> FetchOptions {
        var options = FetchOptions()
        options.filter = filter
        options.order = order
        options.fetchLimit = 100
        return options
    }

    private static func date(_ library: LargeLibrary, _ part: Double) -> Date {
        Date(timeIntervalSince1970: 1_700_000_000 + 60 * Double(library.count) * part)
    }

    // MARK: Observing

    private final class Witness: PhotoLibraryChangeObserver {
        private let waiting = Mutex<CheckedContinuation<PhotoLibraryChange, Never>?>(nil)

        func photoLibraryDidChange(_ changeInstance: PhotoLibraryChange) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: changeInstance)
        }

        func next(after body: () -> Void) async -> PhotoLibraryChange {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0 = continuation }
                body()
            }
        }
    }

    private static func observe(_ library: LargeLibrary) async throws {
        let witness = Witness()
        let console = library.console
        let before = try await console.fetchAssets(with: page())
        guard let asset = before.last else { return }
        console.register(witness)
        let change = await witness.next {
            console.performChanges({ AssetChangeRequest(for: asset).isFavorite.toggle() })
        }
        guard try await change.changeDetails(for: before)?.changedIndexes == [99] else {
            print("the details are wrong")
            return
        }
        console.unregisterChangeObserver(witness)
    }

    private static func history(_ library: LargeLibrary) async throws -> PersistentChangeToken {
        let token = try library.console.currentChangeToken
        let page = try await library.console.fetchAssets(with: page())
        for index in 0..<1000 {
            let asset = page[index % page.count]
            try await library.console.performChanges { AssetChangeRequest(for: asset).isFavorite = index % 200 < 100 }
        }
        return token
    }

    // MARK: Adding

    /// Adds photos alternately to the empty and to the large library.
    private static func adding(_ empty: LargeLibrary, _ large: LargeLibrary) async throws {
        var (small, big) = (Measured(), Measured())
        for round in 0..<101 {
            for (index, library) in (round % 2 == 0 ? [0, 1] : [1, 0]).map({ ($0, $0 == 0 ? empty : large) }) {
                let data = Data(repeating: UInt8(round), count: 100_000)
                let took = try await measured {
                    try await library.console.performChanges {
                        AssetCreationRequest.forAsset().addResource(with: .photo, data: data, options: nil)
                    }
                }
                // The first round includes one-time costs of the process.
                guard round > 0 else { continue }
                if index == 0 { small.add(took) } else { big.add(took) }
                if round % 25 == 24 { await library.store.tend() }
            }
        }
        let ratio = zip(big.milliseconds, small.milliseconds).map { $0 / $1 }.sorted()[small.milliseconds.count / 2]
        print(
            "\nAdding a photo of 100 kB, medians of \(small.milliseconds.count) interleaved pairs: "
                + "empty \(text(small.median)) ms, \(large.count) photos \(text(big.median)) ms; "
                + "median ratio of large to empty: \(text(ratio)).")
    }

    // MARK: Printing

    private static func row(
        _ name: String, _ libraries: [LargeLibrary], rounds: Int = 101,
        body: @Sendable (LargeLibrary) async throws -> Void
    ) async throws {
        try await row(name, libraries, rounds: rounds, prepare: { _ in }) { library, _ in try await body(library) }
    }

    private static func row<T: Sendable>(
        _ name: String, _ libraries: [LargeLibrary], rounds: Int, prepare: @Sendable (LargeLibrary) async throws -> T,
        body: @Sendable (LargeLibrary, T) async throws -> Void
    ) async throws {
        var cells: [String] = []
        for library in libraries {
            let prepared = try await prepare(library)
            var times = Measured()
            // Slow operations need fewer rounds.
            for round in 0..<rounds where round < 9 || times.milliseconds.reduce(0, +) < 5000 {
                let took = try await measured { try await body(library, prepared) }
                if round > 0 { times.add(took) }
            }
            cells.append("\(text(times.median)) (\(text(times.quantile(0.95))))")
        }
        print("| \(name) | \(cells.joined(separator: " | ")) |")
    }

    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let digits = String(hundredths % 100)
        return "\(hundredths / 100)." + (digits.count < 2 ? "0" : "") + digits
    }
}
