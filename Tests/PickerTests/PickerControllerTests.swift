import Synchronization
import Testing

@testable import Picker

@Suite(.serialized) @MainActor struct PickerControllerTests {
    @Test("the delegate gets the results")
    func results() async throws {
        try await PickerRig.withRig { rig in
            let photo = try await rig.add("a")
            var configuration = PickerConfiguration(photoLibrary: rig.library)
            configuration.selectionLimit = 0
            let delegate = Delegate()
            PickerController.front = ScriptedFront { choices in
                _ = try? await choices.toggle(photo)
                return .done
            }
            let controller = PickerController(configuration: configuration, picker: rig.picker)
            controller.delegate = delegate
            try controller.present()
            #expect(await delegate.next().map(\.assetIdentifier) == [photo])
        }
    }

    @Test("a continuous picker calls the delegate for each change")
    func continuous() async throws {
        try await PickerRig.withRig { rig in
            let (a, b) = (try await rig.add("a"), try await rig.add("b"))
            var configuration = PickerConfiguration(photoLibrary: rig.library)
            configuration.selectionLimit = 0
            configuration.selection = .continuousAndOrdered
            let delegate = Delegate()
            PickerController.front = ScriptedFront { choices in
                for photo in [b, a] { _ = try? await choices.toggle(photo) }
                return .done
            }
            let controller = PickerController(configuration: configuration, picker: rig.picker)
            controller.delegate = delegate
            try controller.present()
            for expected in [[b], [b, a], [b, a]] {
                #expect(await delegate.next().map(\.assetIdentifier) == expected)
            }
        }
    }

    @Test("usage errors throw where the picker is shown")
    func usage() async throws {
        try await PickerRig.withRig { rig in
            PickerController.front = nil
            let controller = PickerController(configuration: PickerConfiguration(), picker: rig.picker)
            expect(.noFront) { try controller.present() }
            PickerController.front = ScriptedFront { _ in .cancelled }
            var configuration = PickerConfiguration()
            configuration.preselectedAssetIdentifiers = ["a"]
            let wrong = PickerController(configuration: configuration, picker: rig.picker)
            expect(.invalidUsage) { try wrong.present() }
            try controller.present()
            expect(.invalidUsage) { try controller.present() }
        }
    }

    @Test("a picker that is dismissed before its end cancels the front and says nothing")
    func dismissed() async throws {
        try await PickerRig.withRig { rig in
            let delegate = Delegate()
            let (cancelled, told) = AsyncStream.makeStream(of: Void.self)
            PickerController.front = ScriptedFront { _ in
                let (endless, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in endless {}
                told.yield()
                return .done
            }
            let controller = PickerController(configuration: PickerConfiguration(), picker: rig.picker)
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
    private let (results, told) = AsyncStream.makeStream(of: [PickerResult].self)
    private lazy var iterator = results.makeAsyncIterator()
    private(set) var count = 0

    func picker(_ picker: PickerController, didFinishPicking results: [PickerResult]) {
        count += 1
        told.yield(results)
    }

    func next() async -> [PickerResult] {
        var iterator = iterator
        let results = await iterator.next(isolation: #isolation)
        self.iterator = iterator
        return results ?? []
    }
}
