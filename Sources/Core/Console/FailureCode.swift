/// Every error code a command can end with, with its exit status.
package enum FailureCode: String, Sendable, CaseIterable {
    /// The command line is wrong.
    case usage
    /// The sensor cannot do what the settings ask for.
    case captureSettings = "capture-settings"
    /// Something in the library is damaged or missing.
    case damaged
    /// A file given is empty or of a kind that cannot be stored.
    case invalidResource = "invalid-resource"
    /// A remembered place in the library's history is not known any more.
    case tokenExpired = "token-expired"
    /// A photo lacks its picture.
    case missingResource = "missing-resource"
    /// A later version of Pinhole made the catalogue.
    case newerCatalogue = "newer-catalogue"
    /// The catalogue is another program's.
    case foreignCatalogue = "foreign-catalogue"
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
    /// The sensor failed.
    case cameraFailed = "camera-failed"
    /// A button's line cannot be read.
    case buttonUnavailable = "button-unavailable"
    /// The light cannot be driven.
    case lightUnavailable = "light-unavailable"
    /// A fault of Pinhole itself.
    case `internal`
    /// A capture call was wrong.
    case captureUsage = "capture-usage"
    /// A change of the library was asked for in the wrong place.
    case changeNotSupported = "change-not-supported"
    /// A picture could not be compressed.
    case encodingFailed = "encoding-failed"
    /// The kernel refused an operation.
    case system
    /// The state folder is missing or is no folder.
    case noState = "no-state"
    /// The card is full.
    case storageFull = "storage-full"
    /// The card or the state folder is read-only.
    case storageReadOnly = "storage-read-only"
    /// The card is gone.
    case storageOffline = "storage-offline"
    /// A read or write of the card failed.
    case storageFailed = "storage-failed"
    /// The catalogue cannot be opened.
    case catalogueFailed = "catalogue-failed"
    /// Every number up to 999-9999 is taken.
    case numberingExhausted = "numbering-exhausted"
    /// Too much is waiting.
    case busy
    /// There is no room for one more photo in memory just now.
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
    /// The command was cancelled.
    case cancelled
    /// The system does not let you.
    case notPermitted = "not-permitted"
    /// A person refused, or gave the choice up.
    case userCancelled = "user-cancelled"
    /// The configuration forbids it.
    case accessRestricted = "access-restricted"
    /// This client may not do it.
    case accessDenied = "access-denied"
    /// The configuration is refused.
    case configuration

    /// What it means, for the documentation.
    package var meaning: String {
        switch self {
        case .usage: "the command line is wrong"
        case .captureSettings: "the sensor cannot do what the settings ask for"
        case .damaged: "something in the library is damaged or missing"
        case .invalidResource: "a file given is empty or of a kind that cannot be stored"
        case .tokenExpired: "a remembered place in the library's history is not known any more: read everything anew"
        case .missingResource: "a photo lacks its picture"
        case .newerCatalogue: "a later version of Pinhole made the catalogue"
        case .foreignCatalogue: "the catalogue is another program's"
        case .noSuchPhoto: "no photo has this identifier or number"
        case .notRunning: "no camera runs on this state folder"
        case .unavailable: "the camera cannot be reached, or ended in the middle of an answer"
        case .unsupported: "this board or sensor cannot do it"
        case .cameraNotRunning: "the sensor does not run"
        case .cameraInUse: "another program uses the sensor"
        case .cameraMissing: "no sensor is connected"
        case .cameraStalled: "the sensor stopped delivering frames"
        case .cameraFailed: "the sensor failed"
        case .buttonUnavailable: "a button's line cannot be read"
        case .lightUnavailable: "the light cannot be driven"
        case .internal: "a fault of Pinhole itself"
        case .captureUsage: "a capture call was wrong"
        case .changeNotSupported: "a change of the library was asked for in the wrong place"
        case .encodingFailed: "a picture could not be compressed"
        case .system: "the kernel refused an operation"
        case .noState: "the state folder is missing or is no folder"
        case .storageFull: "the card is full"
        case .storageReadOnly: "the card or the state folder is read-only"
        case .storageOffline: "the card is gone"
        case .storageFailed: "a read or write of the card failed"
        case .catalogueFailed: "the catalogue cannot be opened"
        case .numberingExhausted: "every number up to 999-9999 is taken"
        case .busy: "too much is waiting"
        case .captureRefused: "there is no room for one more photo in memory just now"
        case .captureInterrupted: "the sensor was stopped before the photo was taken"
        case .interrupted: "the library was closed before the change was made"
        case .starting: "the camera is still starting"
        case .stopping: "the camera is stopping"
        case .inUse: "another camera runs on this state folder"
        case .cancelled: "the command was cancelled"
        case .notPermitted: "the system does not let you"
        case .userCancelled: "a person refused, or gave the choice up"
        case .accessRestricted: "the configuration forbids it"
        case .accessDenied: "this client may not do it"
        case .configuration: "the configuration is refused"
        }
    }

    /// The status that belongs to the code.
    package var exit: ExitStatus {
        switch self {
        case .usage, .captureSettings: .usage
        case .damaged, .invalidResource, .tokenExpired, .missingResource, .newerCatalogue, .foreignCatalogue: .badData
        case .noSuchPhoto: .noSuchPhoto
        case .notRunning, .unavailable, .unsupported, .cameraNotRunning, .cameraInUse, .cameraMissing,
            .cameraStalled, .cameraFailed, .buttonUnavailable, .lightUnavailable:
            .unavailable
        case .internal, .captureUsage, .changeNotSupported, .encodingFailed, .system: .internal
        case .noState, .storageFull, .storageReadOnly, .storageOffline, .storageFailed, .catalogueFailed,
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
