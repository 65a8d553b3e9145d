import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Fetching")
struct FetchTests {
    @Test("filters select, also combined; pages join without gap or overlap")
    func filtersAndPages() async throws {
        let fixture = try TestLibrary()
        let store = try await fixture.open()
        let burst = newIdentifier()
        for index in 0..<7 {
            try await store.add(burst: index < 3 ? burst : nil, bytes: 100, captured: Int64(index) * 1_000_000_000)
        }
        for number in ["100-0002", "100-0005"] { try await store.setFavorite(number, true, for: .console) }
        try await store.delete(["100-0007"], for: .console)
        func numbers(_ filter: FetchOptions.Filter) async throws -> [Int] {
            try await store.all(filter).compactMap { Int($0.number.suffix(1)) }
        }
        let later = FetchOptions.Filter.since(
            WallTime(unixNanoseconds: 3_000_000_000, offsetSeconds: 0, isTrusted: true))
        #expect(try await numbers(.images) == [1, 2, 3, 4, 5, 6])
        #expect(try await numbers(.favorites) == [2, 5])
        #expect(try await numbers(.bursts) == [1, 2, 3])
        #expect(try await numbers(later) == [4, 5, 6])
        #expect(try await numbers(.not(.bursts)) == [4, 5, 6])
        #expect(try await numbers(.any([.favorites, .bursts])) == [1, 2, 3, 5])
        #expect(try await numbers(.all([.favorites, later])) == [5])
        #expect(try await numbers(.all([.not(.any([.favorites, later])), .bursts])) == [1, 3])
        #expect(try await numbers(.any([])) == [])
        #expect(try await numbers(.all([])) == [1, 2, 3, 4, 5, 6])
        #expect(try await store.all(.bursts).allSatisfy { $0.burstIdentifier == burst })

        for order in [FetchOptions.Order.newestFirst, .oldestFirst] {
            var options = FetchOptions()
            options.order = order
            options.fetchLimit = 4
            var pages: [[String]] = []
            repeat {
                let result = try await store.fetch(options, for: .console)
                pages.append(result.assets.map { String($0.number.suffix(1)) })
                options.cursor = result.next
            } while options.cursor != nil
            #expect(
                pages
                    == (order == .newestFirst
                        ? [["6", "5", "4", "3"], ["2", "1"]] : [["1", "2", "3", "4"], ["5", "6"]]))
        }
        await store.close()
    }

    @Test("a filter nested beyond reason is an error, not a crash")
    func deepFilter() async throws {
        let fixture = try TestLibrary()
        let store = try await fixture.open()
        var filter = FetchOptions.Filter.favorites
        for _ in 0..<3000 { filter = .not(filter) }
        let deep = filter
        await #expect {
            try await store.all(deep)
        } throws: { error in
            (error as? PhotosError)?.code == .invalidFilter
        }
        try await store.add()
        #expect(try await store.all().count == 1)
        await store.close()
    }

    @Test("every filter that is not nested beyond reason, however wide, is answered")
    func wideAndDeepFilters() async throws {
        let fixture = try TestLibrary()
        let store = try await fixture.open()
        let identifier = try await store.add()
        let deep = (2..<FetchOptions.deepestFilter / 2).reduce(FetchOptions.Filter.images) { filter, _ in
            .not(.any([.favorites, .all([.raw, .bursts]), filter]))
        }
        #expect(try await store.all(.any([.images, deep])).count == 1)
        let wide = (0..<3000).map { AssetKey.pixelWidth == $0 }
        #expect(try await store.all(.any(wide)).map(\.localIdentifier) == [identifier])
        #expect(try await store.all(.all(wide.map { .not($0) })).isEmpty)
        await store.close()
    }
}
