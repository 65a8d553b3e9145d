import Foundation
import Photos
import Picker
import SimulatedSensor

/// Runs both examples with a temporary camera and library, and checks that every callback arrives.
@main
@MainActor
struct Examples {
    static func main() async throws {
        let state = FileManager.default.temporaryDirectory.appendingPathComponent(
            "pinhole-examples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        SimulatedCamera.connect()
        PickerController.front = ScriptedFront()

        // The one line that a program must add. The prompter acts as the person at the camera.
        try await PhotoLibrary.configure(
            state: state.path, client: "examples", purpose: "Shows how photos are saved and picked.", level: nil,
            prompter: Owner())

        let isComplete = try await run()
        await PhotoLibrary.unconfigure()
        try FileManager.default.removeItem(at: state)
        exit(isComplete ? 0 : 1)
    }

    private static func run() async throws -> Bool {
        let checklist = Checklist()
        let saver = PhotoSaver(checklist)
        try saver.start()
        let isSaved = await checklist.isComplete([
            "the capture was accepted", "the exposure was about to be chosen", "the exposure was chosen",
            "the photo was ready", "the capture was over", "authorization was asked for", "the photo was saved",
        ])
        await saver.stop()
        let chooser = PhotoChooser(checklist)
        try chooser.show()
        let isPicked = await checklist.isComplete([
            "a photo was picked", "an image was loaded", "data was loaded", "a file was loaded",
            "an item was transferred",
        ])
        // The picker has only a weak reference to its delegate.
        withExtendedLifetime(chooser) {}
        return isSaved && isPicked
    }
}

/// Acts as a person who allows everything.
private struct Owner: AccessPrompter {
    func ask(_ question: AccessQuestion) async -> AccessAnswer { .granted(.full) }

    func withdraw(_ question: AccessQuestion) {}
}

/// Acts as a person who picks the newest photo.
private struct ScriptedFront: PickerFront {
    func choose(from choices: PickerChoices) async -> PickerOutcome {
        guard let newest = try? await choices.page(limit: 1).assets.first else { return .cancelled }
        _ = try? await choices.toggle(newest.localIdentifier)
        return .done
    }
}
