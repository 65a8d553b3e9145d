import Capture
import Configuration
import Console
import Photos
import Platform

// How the errors of the parts become what a person or a program is told.
extension CommandFailure {
    /// Something that should not happen happened.
    static let unknown = CommandFailure(.internal, "something went wrong inside the camera; see pinhole log")

    /// What the capture pipeline refused.
    init(_ error: CaptureError) {
        let code: FailureCode =
            switch error {
            case .outOfMemory: .busy
            case .sessionNotRunning: .starting
            case .deviceInUse, .deviceDisconnected, .deviceStalled, .deviceFailed: .sensorUnavailable
            case .sessionConfigurationChanged, .encodingFailed: .captureFailed
            case .unsupportedSettings: .unsupported
            case .invalidUsage: .internal
            }
        self.init(code, error.message, retry: error.canRetry, apple: error.appleCode)
    }

    /// What the library refused.
    init(_ error: PhotosError) {
        let code: FailureCode =
            switch error.code {
            case .internalError, .changeNotSupported: .internal
            case .libraryVolumeOffline, .storageFailed: .storageFailed
            case .identifierNotFound: .noSuchPhoto
            case .operationInterrupted: .stopping
            case .invalidResource, .missingResource: .invalidResource
            case .notEnoughSpace: .storageFull
            case .storageReadOnly: .storageReadOnly
            case .numberingExhausted: .numbersExhausted
            case .accessRestricted, .accessUserDenied: .notPermitted
            }
        self.init(code, error.message, retry: error.canRetry, apple: error.appleNumber)
    }

    /// Why the library could not be opened.
    init(_ error: LibraryError) {
        let code: FailureCode =
            switch error {
            case .missingParent, .missing, .notADirectory, .system: .storageFailed
            case .readOnly: .storageReadOnly
            case .locked: .alreadyRunning
            case .newerCatalogue, .foreignCatalogue, .catalogue: .catalogDamaged
            }
        self.init(code, error.description, retry: error.canRetry)
    }

    /// Why the configuration was refused.
    init(_ error: ConfigurationError) {
        self.init(.configuration, "\(error)")
    }

    /// What the kernel refused.
    init(_ error: SystemError) {
        self.init(.system, error.description)
    }
}
