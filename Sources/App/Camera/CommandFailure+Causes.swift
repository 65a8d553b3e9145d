import Capture
import Configuration
import Console
import Offload
import Photos
import Platform

// How the errors of the parts become command failures for people and programs.
extension CommandFailure {
    /// Something that should not happen happened.
    package static let unknown = CommandFailure(.internal, "something went wrong inside the camera; see `pinhole log`")

    /// The camera does nothing new any more.
    package static let stopping = CommandFailure(.stopping, "the camera is stopping; start it again")

    /// What the capture pipeline refused.
    package init(_ error: CaptureError) {
        self.init(slug: error.code, error.message, retry: error.canRetry, apple: error.appleCode)
    }

    /// Why there is no sensor.
    package init(_ error: SensorError) {
        guard case .missing(let sentence) = error else {
            self.init(CaptureError(error))
            return
        }
        self.init(.cameraMissing, sentence, retry: true)
    }

    /// What the library refused.
    package init(_ error: PhotosError) {
        self.init(slug: error.code.rawValue, error.message, retry: error.canRetry, apple: error.appleNumber)
    }

    /// Why the library could not be opened.
    package init(_ error: LibraryError) {
        self.init(slug: error.code, error.description, retry: error.canRetry)
    }

    /// Why the configuration was refused.
    package init(_ error: ConfigurationError) {
        self.init(.configuration, "\(error)")
    }

    /// What the kernel refused.
    package init(_ error: SystemError) {
        switch error.condition {
        case .full: self.init(.storageFull, "\(error); delete photos or use a larger card")
        case .readOnly: self.init(.storageReadOnly, "\(error); make it writable")
        case .offline, .other: self.init(.system, error.description)
        }
    }
}
