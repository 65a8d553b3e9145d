import Foundation
import Photos
import Synchronization
import Testing

@testable import Picker

@Suite struct PickerTests {
    @Test("results are in the order of choosing, whatever the order in the library")
    func order() async throws {
        try await PickerFixture.withFixture { fixture in
            let (a, b, c) = (try await fixture.add("a"), try await fixture.add("b"), try await fixture.add("c"))
            var configuration = PickerConfiguration(photoLibrary: fixture.library)
            configuration.selectionLimit = 3
            configuration.selection = .ordered
            let results = try await fixture.pick([b, c, a], configuration)
            #expect(results.map(\.assetIdentifier) == [b, c, a])
        }
    }

    @Test("without a library results have no identifiers, and can be loaded all the same")
    func noIdentifiers() async throws {
        try await PickerFixture.withFixture { fixture in
            let results = try await fixture.pick([try await fixture.add("a")])
            #expect(results.map(\.assetIdentifier) == [nil])
            #expect(PickerItem(try #require(results.first)).itemIdentifier == nil)
            #expect(await results.first?.itemProvider.data("public.jpeg") == .success(Data("JPEG a".utf8)))
        }
    }

    @Test("a program that may see nothing loads what was chosen, and sees nothing still")
    func noPermission() async throws {
        try await PickerFixture.withFixture { fixture in
            let chosen = try await fixture.add("a")
            let results = try await fixture.pick([chosen], PickerConfiguration(photoLibrary: fixture.library))
            #expect(await results.first?.itemProvider.data("public.jpeg") == .success(Data("JPEG a".utf8)))
            await #expect(throws: PhotosError.self) { try await fixture.library.fetchAssets() }
        }
    }

    @Test("filters combine by any, all and not")
    func filters() async throws {
        try await PickerFixture.withFixture { fixture in
            let plain = try await fixture.add("plain")
            let raw = try await fixture.add("raw", raw: true)
            let burst = try await fixture.add("burst", burst: true)
            let favorite = try await fixture.add("favorite", favorite: true)
            let rawFavorite = try await fixture.add("both", raw: true, favorite: true)
            let every = [plain, raw, burst, favorite, rawFavorite]

            #expect(try await fixture.offer(nil) == every)
            #expect(try await fixture.offer(.images) == every)
            #expect(try await fixture.offer(.raw) == [raw, rawFavorite])
            #expect(try await fixture.offer(.bursts) == [burst])
            #expect(try await fixture.offer(.favorites) == [favorite, rawFavorite])
            #expect(try await fixture.offer(.timelapse) == [])
            #expect(try await fixture.offer(.any(of: [.bursts, .favorites])) == [burst, favorite, rawFavorite])
            #expect(try await fixture.offer(.all(of: [.raw, .favorites])) == [rawFavorite])
            #expect(try await fixture.offer(.not(.raw)) == [plain, burst, favorite])
            #expect(try await fixture.offer(.all(of: [.favorites, .not(.raw)])) == [favorite])
            #expect(try await fixture.offer(.not(.any(of: [.raw, .favorites, .bursts]))) == [plain])
            #expect(try await fixture.offer(.any(of: [])) == [])
            #expect(try await fixture.offer(.all(of: [])) == every)
        }
    }

    @Test("a photo that the filter leaves out cannot be chosen, nor one that is not there")
    func notOffered() async throws {
        try await PickerFixture.withFixture { fixture in
            let (plain, favorite) = (try await fixture.add("a"), try await fixture.add("b", favorite: true))
            var configuration = PickerConfiguration()
            configuration.filter = .favorites
            configuration.selectionLimit = 0
            let front = ScriptedFront { choices in
                for identifier in [plain, "", "100-0001", "' OR 1", AssetIdentifier().description] {
                    await #expect(throws: PhotosError.self) { try await choices.toggle(identifier) }
                }
                let toggle = try? await choices.toggle(favorite)
                #expect(toggle == .selected(position: 1))
                return .done
            }
            #expect(try await fixture.picker.pick(configuration, on: front).count == 1)
        }
    }

    @Test("by default one photo is chosen; a limit is kept; limit 0 takes all there are")
    func limits() async throws {
        try await PickerFixture.withFixture { fixture in
            var photos: [String] = []
            for number in 0..<12 { photos.append(try await fixture.add("\(number)")) }
            #expect(try await fixture.pick(photos).count == 1)
            var configuration = PickerConfiguration()
            configuration.selectionLimit = 5
            #expect(try await fixture.pick(photos, configuration).count == 5)
            configuration.selectionLimit = 0
            #expect(try await fixture.pick(photos, configuration).count == 12)
        }
    }

    @Test("canceling gives nothing")
    func cancel() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a")
            #expect(try await fixture.pick([photo], outcome: .cancelled) == [])
            #expect(fixture.grants.count == 0)
        }
    }

    @Test("preselected photos come back with empty providers: all of them when canceled, the kept ones when done")
    func preselection() async throws {
        try await PickerFixture.withFixture { fixture in
            let (a, b, c) = (try await fixture.add("a"), try await fixture.add("b"), try await fixture.add("c"))
            var configuration = PickerConfiguration(photoLibrary: fixture.library)
            configuration.selectionLimit = 0
            configuration.preselectedAssetIdentifiers = [b, a, b]

            let cancelled = try await fixture.pick([a, c], configuration, outcome: .cancelled)
            #expect(cancelled.map(\.assetIdentifier) == [b, a])
            #expect(cancelled.allSatisfy { $0.itemProvider.registeredTypeIdentifiers.isEmpty })

            let done = try await fixture.pick([a, c], configuration)
            #expect(done.map(\.assetIdentifier) == [b, c])
            #expect(done.map(\.itemProvider.registeredTypeIdentifiers) == [[], ["public.jpeg"]])
            #expect(await code(done[0].itemProvider.data("public.jpeg")) == .unsupportedType)
        }
    }

    @Test("a preselected photo that was let go and chosen again can be loaded")
    func chosenAgain() async throws {
        try await PickerFixture.withFixture { fixture in
            let a = try await fixture.add("a")
            var configuration = PickerConfiguration(photoLibrary: fixture.library)
            configuration.selectionLimit = 2
            configuration.selection = .continuous
            configuration.preselectedAssetIdentifiers = [a]
            let results = try await fixture.pick([a, a], configuration)
            #expect(results.map(\.itemProvider.registeredTypeIdentifiers) == [["public.jpeg"]])
        }
    }

    @Test("a configuration that makes no sense is refused before anything is shown")
    func usage() async throws {
        try await PickerFixture.withFixture { fixture in
            let a = try await fixture.add("a")
            var withoutLibrary = PickerConfiguration()
            withoutLibrary.selectionLimit = 0
            withoutLibrary.preselectedAssetIdentifiers = [a]
            var single = PickerConfiguration(photoLibrary: fixture.library)
            single.preselectedAssetIdentifiers = [a]
            var tooMany = PickerConfiguration(photoLibrary: fixture.library)
            tooMany.selectionLimit = 2
            tooMany.preselectedAssetIdentifiers = ["1", "2", "3"]
            var negative = PickerConfiguration()
            negative.selectionLimit = -1
            for configuration in [withoutLibrary, single, tooMany, negative] {
                let front = ScriptedFront { _ in
                    Issue.record("the picker was shown")
                    return .cancelled
                }
                await #expect { try await fixture.picker.pick(configuration, on: front) } throws: { error in
                    (error as? PickerError)?.code == .invalidUsage
                }
            }
        }
    }

    @Test("a continuous picker gives each change, then the end; a choice that lasts is the same result")
    func continuous() async throws {
        try await PickerFixture.withFixture { fixture in
            let (a, b) = (try await fixture.add("a"), try await fixture.add("b"))
            var configuration = PickerConfiguration(photoLibrary: fixture.library)
            configuration.selectionLimit = 0
            configuration.selection = .continuous
            let changes = Mutex<[[PickerResult]]>([])
            let front = ScriptedFront { choices in
                for identifier in [a, b, a] { _ = try? await choices.toggle(identifier) }
                return .done
            }
            let end = try await fixture.picker.pick(configuration, on: front) { change in
                changes.withLock { $0.append(change) }
            }
            let seen = changes.withLock { $0 }
            #expect(seen.map { $0.map(\.assetIdentifier) } == [[a], [a, b], [b]])
            #expect(seen.last == end)
            #expect(seen[1].last == end.last)
            #expect(fixture.grants.count == 2)
        }
    }

    @Test("after the end a front that goes on choosing changes nothing")
    func tooLate() async throws {
        try await PickerFixture.withFixture { fixture in
            let a = try await fixture.add("a")
            let kept = Mutex<PickerChoices?>(nil)
            let front = ScriptedFront { choices in
                kept.withLock { $0 = choices }
                return .done
            }
            #expect(try await fixture.picker.pick(PickerConfiguration(), on: front) == [])
            let choices = try #require(kept.withLock { $0 })
            #expect(try await choices.toggle(a) == .over)
            #expect(fixture.grants.count == 0)
        }
    }

    @Test("pages go through all photos, the newest first, each once")
    func paging() async throws {
        try await PickerFixture.withFixture { fixture in
            var photos: [String] = []
            for number in 0..<7 { photos.append(try await fixture.add("\(number)")) }
            let seen = Mutex<[[String]]>([])
            let front = ScriptedFront { choices in
                var cursor: FetchOptions.Cursor?
                repeat {
                    guard let page = try? await choices.page(after: cursor, limit: 3) else { break }
                    seen.withLock { $0.append(page.assets.map(\.localIdentifier)) }
                    cursor = page.next
                } while cursor != nil
                return .done
            }
            _ = try await fixture.picker.pick(PickerConfiguration(), on: front)
            #expect(seen.withLock { $0.map(\.count) } == [3, 3, 1])
            #expect(seen.withLock { $0.flatMap { $0 } } == photos.reversed())
        }
    }
}
