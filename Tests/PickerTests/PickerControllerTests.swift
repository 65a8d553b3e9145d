import Synchronization
import Testing

@testable import Picker

@Suite(.serialized) @MainActor struct PickerControllerTests {
    @Test("the delegate gets the results")
    func results() async throws {
        try await PickerFixture.withFixture { fixture in
            let photo = try await fixture.add("a")
            var configuration = PickerConfiguration(photoLibrary: fixture.library)
            configuration.selectionLimit = 0
            let delegate = Delegate()
            PickerController.front = ScriptedFront { choices in
                _ = try? await choices.toggle(photo)
                return .done
            }
            let controller = PickerController(configuration: configuration, picker: fixture.picker)
            controller.delegate = delegate
            try controller.present()
            #expect(await delegate.next().map(\.assetIdentifier) == [photo])
        }
    }

    @Test("a continuous picker calls the delegate for each change")
    func continuous() async throws {
        try await PickerFixture.withFixture { fixture in
            let (a, b) = (try await fixture.add("a"), try await fixture.add("b"))
            var configuration = PickerConfiguration(photoLibrary: fixture.library)
            configuration.selectionLimit = 0
            configuration.selection = .continuousAndOrdered
            let delegate = Delegate()
            PickerController.front = ScriptedFront { choices in
                for photo in [b, a] { _ = try? await choices.toggle(photo) }
                return .done
            }
            let controller = PickerController(configuration: configuration, picker: fixture.picker)
            controller.delegate = delegate
            try controller.present()
            for expected in [[b], [b, a], [b, a]] {
                #expect(await delegate.next().map(\.assetIdentifier) == expected)
            }
        }
    }

    @Test("usage errors throw where the picker is shown")
    func usage() async throws {
        try await PickerFixture.withFixture { fixture in
            PickerController.front = nil
            let controller = PickerController(configuration: PickerConfiguration(), picker: fixture.picker)
            expect(.noFront) { try controller.present() }
            PickerController.front = ScriptedFront { _ in .cancelled }
            var configuration = PickerConfiguration()
            configuration.preselectedAssetIdentifiers = ["a"]
            let wrong = PickerController(configuration: configuration, picker: fixture.picker)
            expect(.invalidUsage) { try wrong.present() }
            try controller.present()
            expect(.invalidUsage) { try controller.present() }
        }
    }

    @Test("a picker that is dismissed before its end cancels the front and says nothing")
    func dismissed() async throws {
        try await PickerFixture.withFixture { fixture in
            let delegate = Delegate()
            let (cancelled, notified) = AsyncStream.makeStream(of: Void.self)
            PickerController.front = ScriptedFront { _ in
                let (endless, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in endless {}
                notified.yield()
                return .done
            }
            let controller = PickerController(configuration: PickerConfiguration(), picker: fixture.picker)
            controller.delegate = delegate
            try controller.present()
            var isCompleted = false
            controller.dismiss(animated: true) { isCompleted = true }
            #expect(isCompleted)
            var iterator = cancelled.makeAsyncIterator()
            await iterator.next()
            await controller.ended()
            #expect(delegate.count == 0)
        }
    }

    private func expect(_ code: PickerError.Code, _ body: () throws -> Void) {
        #expect(throws: PickerError.self) {
            do {
                try body()
            } catch let error as PickerError {
                #expect(error.code == code)
                throw error
            }
        }
    }
}

@MainActor
private final class Delegate: PickerControllerDelegate {
    private let (results, received) = AsyncStream.makeStream(of: [PickerResult].self)
    private lazy var iterator = results.makeAsyncIterator()
    private(set) var count = 0

    func picker(_ picker: PickerController, didFinishPicking results: [PickerResult]) {
        count += 1
        received.yield(results)
    }

    func next() async -> [PickerResult] {
        var iterator = iterator
        let results = await iterator.next(isolation: #isolation)
        self.iterator = iterator
        return results ?? []
    }
}
