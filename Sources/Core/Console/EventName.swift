/// The names of events.
package enum EventName: String, Codable, Sendable, CaseIterable {
    /// The camera takes presses.
    case ready
    /// A press was accepted.
    case pressed
    /// A press was refused.
    case refused
    /// A frame was taken for a photo.
    case captured
    /// A photo is durable.
    case saved
    /// A photo could not be taken or saved.
    case failed
    /// A photo went to the trash.
    case deleted
    /// A photo came back from the trash.
    case restored
    /// The trash was emptied.
    case emptied
    /// A photo's mark or burst changed.
    case changed
    /// A setting changed.
    case setting
    /// The configuration was read again.
    case configuration
    /// The clock was set or became trusted.
    case clock
    /// A client asks for access, or to delete photos.
    case prompt
    /// That question was answered, or ended without an answer.
    case promptEnded = "prompt_ended"
    /// What a client may do has changed.
    case access
    /// A computer came: its cable was plugged in, or it connected over the network.
    case connected
    /// A computer went.
    case disconnected
    /// A fault began.
    case fault
    /// A fault ended.
    case recovered
    /// The reader was too slow and missed events.
    case dropped
    /// The camera stops.
    case stopping

    /// What it means, for the documentation.
    package var meaning: String {
        switch self {
        case .ready: "the camera takes presses"
        case .pressed: "a press was accepted"
        case .refused: "a press was refused; `code` and `message` say why"
        case .captured: "a frame was taken for a photo"
        case .saved: "a photo is durable; the fields of a photo follow"
        case .failed: "a photo could not be taken or saved; `id` is that of its `pressed`, `code` and `message` say why"
        case .deleted: "a photo went to the trash"
        case .restored: "a photo came back from the trash"
        case .emptied: "the trash was emptied"
        case .changed: "a photo's favorite mark or burst changed; the fields of a photo follow"
        case .setting: "a setting changed; `key` and `value`"
        case .configuration: "the configuration was read again; `message` says with what result"
        case .clock: "the clock was set or became trusted"
        case .prompt:
            "a client asks: `client`, `level` (`add-only`, `read-write`) or `count` of photos to delete, `purpose`, `seconds` to answer, `hold_ms` of the button"
        case .promptEnded:
            "what came of it: `client`, `answer` (`allowed`, `add-only`, `limited`, `full`, `denied`, `unanswered`, `withdrawn`)"
        case .access: "what a client may do has changed: `client`, `level`, `status`"
        case .connected:
            "a computer was plugged in, or connected over the network; `client` is who it is to the library"
        case .disconnected: "it went; `client`"
        case .fault: "a fault began; `code` and `message` say what to do"
        case .recovered: "a fault ended; `code`"
        case .dropped: "this reader was too slow and missed `count` events"
        case .stopping: "the camera stops"
        }
    }

    /// True for what a console shows without being asked.
    package var isAnnounced: Bool {
        switch self {
        case .saved, .refused, .failed, .prompt, .promptEnded, .access, .connected, .disconnected, .fault, .recovered,
            .configuration:
            true
        default: false
        }
    }
}
