import Photos
import Platform

/// Receives what a person chose.
@MainActor
public protocol PickerControllerDelegate: AnyObject {
    /// The person is done or has canceled; with a continuous selection also called for each change of it.
    ///
    /// - Parameter results: the chosen photos in the order in which they were chosen. Canceled: none, or the preselected
    ///   ones with empty providers.
    func picker(_ picker: PickerController, didFinishPicking results: [PickerResult])
}

/// One picker, from its configuration to its results.
///
/// It needs no permission: a person chooses on the camera's own front, and only what is chosen comes to the program.
@MainActor
public final class PickerController {
    /// What shows the pickers of this process to a person.
    public static var front: (any PickerFront)?

    /// What is offered, and how much of it may be chosen.
    public let configuration: PickerConfiguration
    /// The object that receives the results.
    public weak var delegate: (any PickerControllerDelegate)?

    private let picker: PhotoPicker?
    private var choosing: Task<Void, Never>?
    private var isDismissed = false

    /// A picker that is not yet shown. It offers the photos of the configuration's library, else of
    /// `PhotoLibrary.shared()`.
    public init(configuration: PickerConfiguration) {
        self.configuration = configuration
        picker = nil
    }

    /// A picker of these photos.
    package init(configuration: PickerConfiguration, picker: PhotoPicker) {
        self.configuration = configuration
        self.picker = picker
    }

    /// Shows the picker. The call returns at once; the results come to the delegate.
    ///
    /// - Parameter animated: without a meaning here.
    /// - Throws: `PickerError.invalidUsage` for a configuration that makes no sense and for a picker that was shown
    ///   before, `.noFront`.
    /// - Ownership: the picker stays alive until it ends.
    public func present(animated: Bool = true) throws(PickerError) {
        try configuration.validate()
        guard choosing == nil else {
            throw PickerError(.invalidUsage, "A picker can be shown only once; create a new one.")
        }
        guard let front = Self.front else {
            throw PickerError(.noFront, "Nothing can show the picker; set PickerController.front.")
        }
        let picker = picker ?? PhotoPicker(configuration.library ?? .shared())
        choosing = Task {
            do throws(PickerError) {
                deliver(try await picker.pick(configuration, on: front) { await self.deliver($0) })
            } catch {
                deliver(PhotoPicker.unchanged(configuration))
            }
        }
    }

    /// Takes the picker away. If the person is not done yet, the delegate receives nothing more.
    ///
    /// - Parameters:
    ///   - animated: without a meaning here.
    ///   - completion: called before this returns.
    public func dismiss(animated: Bool = true, completion: (() -> Void)? = nil) {
        isDismissed = true
        choosing?.cancel()
        completion?()
    }

    /// Returns when the picker is closed and the delegate has been called.
    package func ended() async {
        await choosing?.value
    }

    private func deliver(_ results: [PickerResult]) {
        guard !isDismissed else { return }
        delegate?.picker(self, didFinishPicking: results)
    }
}
