/// Every error code a command can end with, with its exit status.
package enum FailureCode: String, Sendable, CaseIterable {
    /// The command line is wrong.
    case usage
    /// The sensor does not support the settings.
    case captureSettings = "capture-settings"
    /// Something in the library is damaged or missing.
    case damaged
    /// A file given is empty or of a kind that cannot be stored.
    case invalidResource = "invalid-resource"
    /// A saved position in the library's history has expired.
    case tokenExpired = "token-expired"
    /// A photo has no image file.
    case missingResource = "missing-resource"
    /// A newer version of Pinhole created the catalog.
    case newerCatalog = "newer-catalogue"
    /// The catalog belongs to another program.
    case foreignCatalog = "foreign-catalogue"
    /// No photo has this identifier or number.
    case noSuchPhoto = "no-such-photo"
    /// No camera runs on this state folder.
    case notRunning = "not-running"
    /// The camera cannot be reached, or ended in the middle of an answer.
    case unavailable
    /// This board or sensor cannot do it.
    case unsupported
    /// The sensor does not run.
    case cameraNotRunning = "camera-not-running"
    /// Another program uses the sensor.
    case cameraInUse = "camera-in-use"
    /// No sensor is connected.
    case cameraMissing = "camera-missing"
    /// The sensor stopped delivering frames.
    case cameraStalled = "camera-stalled"
    /// The sensor or its driver failed while the camera used it.
    case cameraFailed = "camera-failed"
    /// A button's line cannot be read.
    case buttonUnavailable = "button-unavailable"
    /// The light cannot be driven.
    case lightUnavailable = "light-unavailable"
    /// A bug in Pinhole.
    case `internal`
    /// A capture call was wrong.
    case captureUsage = "capture-usage"
    /// A library change was requested outside a change block.
    case changeNotSupported = "change-not-supported"
    /// A picture could not be compressed.
    case encodingFailed = "encoding-failed"
    /// The kernel refused an operation.
    case system
    /// The state folder is missing or is not a folder.
    case noState = "no-state"
    /// The card is full.
    case storageFull = "storage-full"
    /// The card or the state folder is read-only.
    case storageReadOnly = "storage-read-only"
    /// The card is gone.
    case storageOffline = "storage-offline"
    /// A read or write of the card failed.
    case storageFailed = "storage-failed"
    /// The catalog cannot be opened.
    case catalogFailed = "catalogue-failed"
    /// All numbers up to 999-9999 are used.
    case numberingExhausted = "numbering-exhausted"
    /// The camera has too much to do.
    case busy
    /// There is no memory for another photo at the moment.
    case captureRefused = "capture-refused"
    /// The sensor was stopped before the photo was taken.
    case captureInterrupted = "capture-interrupted"
    /// The library was closed before the change was made.
    case interrupted
    /// The camera is still starting.
    case starting
    /// The camera is stopping.
    case stopping
    /// Another camera runs on this state folder.
    case inUse = "in-use"
    /// The command was canceled.
    case cancelled
    /// The system does not permit it.
    case notPermitted = "not-permitted"
    /// A person refused or canceled.
    case userCancelled = "user-cancelled"
    /// The configuration does not permit it.
    case accessRestricted = "access-restricted"
    /// This client does not have access.
    case accessDenied = "access-denied"
    /// The configuration is invalid.
    case configuration

    /// What it means, for the documentation.
    package var meaning: String {
        switch self {
        case .usage: "the command line is wrong"
        case .captureSettings: "the sensor does not support the settings"
        case .damaged: "something in the library is damaged or missing"
        case .invalidResource: "the given file is empty or of an unsupported type"
        case .tokenExpired: "a saved position in the library's history has expired: read everything again"
        case .missingResource: "a photo has no image file"
        case .newerCatalog: "a newer version of Pinhole created the catalog"
        case .foreignCatalog: "the catalog belongs to another program"
        case .noSuchPhoto: "there is no photo with this identifier or number"
        case .notRunning: "no camera runs on this state folder"
        case .unavailable: "the camera is unreachable, or stopped while answering"
        case .unsupported: "this board or sensor does not support it"
        case .cameraNotRunning: "the sensor is not running"
        case .cameraInUse: "another program is using the sensor"
        case .cameraMissing: "no sensor is connected"
        case .cameraStalled: "the sensor stopped delivering frames"
        case .cameraFailed: "the sensor failed"
        case .buttonUnavailable: "a button's line cannot be read"
        case .lightUnavailable: "the light cannot be controlled"
        case .internal: "a bug in Pinhole"
        case .captureUsage: "a call of the capture API was wrong"
        case .changeNotSupported: "a library change was requested outside a change block"
        case .encodingFailed: "an image could not be compressed"
        case .system: "the kernel refused an operation"
        case .noState: "the state folder is missing or is not a folder"
        case .storageFull: "the card is full"
        case .storageReadOnly: "the card or the state folder is read-only"
        case .storageOffline: "the card was removed"
        case .storageFailed: "reading or writing the card failed"
        case .catalogFailed: "the catalog cannot be opened"
        case .numberingExhausted: "all numbers up to 999-9999 are used"
        case .busy: "the camera has too much to do"
        case .captureRefused: "there is no memory for another photo at the moment"
        case .captureInterrupted: "the sensor was stopped before the photo was taken"
        case .interrupted: "the library was closed before the change was made"
        case .starting: "the camera is still starting"
        case .stopping: "the camera is stopping"
        case .inUse: "another camera runs on this state folder"
        case .cancelled: "the command was canceled"
        case .notPermitted: "the system does not permit it"
        case .userCancelled: "a person refused or canceled"
        case .accessRestricted: "the configuration does not permit it"
        case .accessDenied: "this client does not have access"
        case .configuration: "the configuration is invalid"
        }
    }

    /// The status that belongs to the code.
    package var exit: ExitStatus {
        switch self {
        case .usage, .captureSettings: .usage
        case .damaged, .invalidResource, .tokenExpired, .missingResource, .newerCatalog, .foreignCatalog: .badData
        case .noSuchPhoto: .noSuchPhoto
        case .notRunning, .unavailable, .unsupported, .cameraNotRunning, .cameraInUse, .cameraMissing,
            .cameraStalled, .cameraFailed, .buttonUnavailable, .lightUnavailable:
            .unavailable
        case .internal, .captureUsage, .changeNotSupported, .encodingFailed, .system: .internal
        case .noState, .storageFull, .storageReadOnly, .storageOffline, .storageFailed, .catalogFailed,
            .numberingExhausted:
            .storage
        case .busy, .captureRefused, .captureInterrupted, .interrupted, .starting, .stopping, .inUse,
            .cancelled:
            .tryAgain
        case .notPermitted, .userCancelled, .accessRestricted, .accessDenied: .notPermitted
        case .configuration: .configuration
        }
    }
}
