/// The exit statuses of every command, after sysexits(3).
package enum ExitStatus: Int32, Sendable, CaseIterable, Codable {
    /// Done.
    case done = 0
    /// Wrong usage.
    case usage = 64
    /// Data that is damaged or missing.
    case badData = 65
    /// No such photo.
    case noSuchPhoto = 66
    /// The camera is not running or not available.
    case unavailable = 69
    /// A fault of Pinhole itself.
    case `internal` = 70
    /// The storage is full or read-only.
    case storage = 73
    /// Busy or starting: try again.
    case tryAgain = 75
    /// Not permitted.
    case notPermitted = 77
    /// The configuration is refused.
    case configuration = 78

    /// What it means, in a few words.
    package var meaning: String {
        switch self {
        case .done: "done"
        case .usage: "wrong usage"
        case .badData: "bad data: something is damaged or missing"
        case .noSuchPhoto: "no such photo"
        case .unavailable: "camera not running or not available"
        case .internal: "internal fault"
        case .storage: "storage full or read-only"
        case .tryAgain: "try again: busy or starting"
        case .notPermitted: "not permitted"
        case .configuration: "configuration refused"
        }
    }
}
