import Imaging

/// Why a capture call was refused or a photo was not taken.
public enum CaptureError: Error, Hashable, Sendable {
    /// The call breaks the rules of the interface; the sentence says which.
    case invalidUsage(String)
    /// The settings ask for something this output cannot do; the sentence says what.
    case unsupportedSettings(String)
    /// There is no room for one more photo in memory just now.
    case outOfMemory
    /// The session does not run.
    case sessionNotRunning
    /// The session was stopped or changed before the photo was taken.
    case sessionConfigurationChanged
    /// The camera is used by another session or program.
    case deviceInUse
    /// The camera was unplugged.
    case deviceDisconnected
    /// The camera stopped delivering frames.
    case deviceStalled
    /// The camera refused, with its own words.
    case deviceFailed(String)
    /// The picture could not be compressed.
    case encodingFailed(ImagingError)

    /// A stable name for programs.
    public var code: String {
        switch self {
        case .invalidUsage: "capture-usage"
        case .unsupportedSettings: "capture-settings"
        case .outOfMemory: "capture-refused"
        case .sessionNotRunning: "camera-not-running"
        case .sessionConfigurationChanged: "capture-interrupted"
        case .deviceInUse: "camera-in-use"
        case .deviceDisconnected: "camera-missing"
        case .deviceStalled: "camera-stalled"
        case .deviceFailed: "camera-failed"
        case .encodingFailed: "encoding-failed"
        }
    }

    /// One sentence for a person that says what is wrong and what to do.
    public var message: String {
        switch self {
        case .invalidUsage(let sentence), .unsupportedSettings(let sentence): sentence
        case .outOfMemory: "the camera is still busy with earlier photos; press again in a moment"
        case .sessionNotRunning: "the camera is not running yet; try again when the light is solid"
        case .sessionConfigurationChanged: "the camera was stopped before the photo was taken; take it again"
        case .deviceInUse: "another program uses the camera; stop it first"
        case .deviceDisconnected: "no camera is connected; check its ribbon cable"
        case .deviceStalled: "the camera stopped delivering pictures; it is being restarted"
        case .deviceFailed(let words): "the camera failed: \(words)"
        case .encodingFailed(let reason): "the picture could not be compressed: \(reason)"
        }
    }

    /// True when the same call may succeed later without any other change.
    public var canRetry: Bool {
        switch self {
        case .outOfMemory, .sessionNotRunning, .sessionConfigurationChanged, .deviceInUse, .deviceStalled: true
        case .invalidUsage, .unsupportedSettings, .deviceDisconnected, .deviceFailed, .encodingFailed: false
        }
    }

    /// The number of the same error in Apple's AVError, where there is one.
    public var appleCode: Int? {
        switch self {
        case .outOfMemory: -11801
        case .sessionNotRunning: -11803
        case .deviceInUse: -11815
        case .sessionConfigurationChanged: -11806
        case .deviceDisconnected: -11808
        case .invalidUsage, .unsupportedSettings, .deviceStalled, .deviceFailed, .encodingFailed: nil
        }
    }

    /// What a sensor refused.
    package init(_ error: SensorError) {
        self =
            switch error {
            case .disconnected: .deviceDisconnected
            case .inUse: .deviceInUse
            case .outOfMemory:
                .deviceFailed("there is no memory for its frames; set capture.buffers lower")
            case .refused(let words): .deviceFailed(words)
            case .missing: .deviceDisconnected
            }
    }

    init(_ failure: SensorFailure) {
        self =
            switch failure {
            case .stalled: .deviceStalled
            case .disconnected: .deviceDisconnected
            }
    }
}
