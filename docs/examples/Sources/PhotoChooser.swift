import Foundation
import Imaging
import Photos
import Picker

/// Shows a picker and loads the picked photos, using Apple's names. On Apple's systems the last import is PhotosUI.
final class PhotoChooser: PHPickerViewControllerDelegate {
    private let checklist: Checklist

    init(_ checklist: Checklist) {
        self.checklist = checklist
    }

    func show() throws {
        var configuration = PHPickerConfiguration(photoLibrary: .shared())
        configuration.filter = .all(of: [.images, .not(.any(of: [.bursts, .timelapse]))])
        configuration.selectionLimit = 0
        configuration.selection = .ordered
        let picker = PHPickerViewController(configuration: configuration)
        picker.delegate = self
        try picker.present(animated: true)
    }

    func picker(_ picker: PHPickerViewController, didFinishPicking results: [PHPickerResult]) {
        picker.dismiss(animated: true)
        guard let result = results.first, result.assetIdentifier != nil else { return }
        checklist.check("a photo was picked")
        let provider = result.itemProvider
        if provider.canLoadObject(ofClass: PhotoImage.self) {
            provider.loadObject(ofClass: PhotoImage.self) { [checklist] image, error in
                if let image = image as? PhotoImage, image.width > 0 { checklist.check("an image was loaded") }
                if let error { print("The image was not loaded: \(error)") }
            }
        }
        if provider.hasItemConformingToTypeIdentifier("public.image") {
            provider.loadDataRepresentation(forTypeIdentifier: "public.image") { [checklist] data, _ in
                if data?.starts(with: [0xff, 0xd8]) == true { checklist.check("data was loaded") }
            }
            provider.loadFileRepresentation(forTypeIdentifier: "public.image") { [checklist] url, _ in
                guard let url, FileManager.default.fileExists(atPath: url.path) else { return }
                checklist.check("a file was loaded")
            }
        }
        Task { await load(PhotosPickerItem(result)) }
    }

    private func load(_ item: PhotosPickerItem) async {
        do {
            guard let data = try await item.loadTransferable(type: Data.self), !data.isEmpty else { return }
            checklist.check("an item was transferred")
        } catch {
            print("The item was not transferred: \(error)")
        }
    }
}
