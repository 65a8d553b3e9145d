/// The values of `state` in `status`.
package enum CameraState: String, Codable, Sendable, CaseIterable {
    /// Opening the library and the sensor.
    case starting
    /// A press is taken at once.
    case ready
    /// A photo is being taken or made durable; more presses are taken.
    case saving
    /// The card is full or read-only: presses are refused.
    case full
    /// Something is wrong that stops photos; the last `fault` event says what.
    case fault
    /// Finishing what is in flight.
    case stopping

    /// What it means, for the documentation.
    package var meaning: String {
        switch self {
        case .starting: "opening the library and the sensor"
        case .ready: "a press is taken at once"
        case .saving: "a photo is being taken or made durable; more presses are taken"
        case .full: "the card is full or read-only: presses are refused"
        case .fault: "something stops photos; the last `fault` event says what"
        case .stopping: "finishing what is in flight"
        }
    }
}
