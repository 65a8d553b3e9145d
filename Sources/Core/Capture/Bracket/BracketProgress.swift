import Platform

/// Chooses the frames of one bracket: for each exposure the first frame whose metadata shows it. Pure.
///
/// One exposure is asked for at a time and stays asked for until its frame has come, so that neither a dropped frame nor
/// one that memory does not allow costs the bracket.
struct BracketProgress {
    /// What is to be done about a frame.
    enum Decision: Equatable {
        /// Nothing; the next one may do.
        case wait
        /// Claim it, for the exposure with this index.
        case take(Int)
        /// The exposure will not come: end the bracket.
        case giveUp(CaptureError)
    }

    private let exposures: [BracketExposure]
    private let moment: MonotonicTime
    private let frameLimit: Int
    private var index = 0
    private var framesWaited = 0
    private var hasSeen = false

    /// A bracket of which nothing is taken yet.
    ///
    /// - Parameters:
    ///   - moment: every exposure starts at or after it.
    ///   - frameLimit: how many frames may pass until an exposure shows.
    init(exposures: [BracketExposure], after moment: MonotonicTime, frameLimit: Int) {
        self.exposures = exposures
        self.moment = moment
        self.frameLimit = frameLimit
    }

    /// The exposure to ask for; nil when all are taken.
    var wanted: BracketExposure? { index < exposures.count ? exposures[index] : nil }

    /// Indices of the exposures that are not taken.
    var missing: Range<Int> { index..<exposures.count }

    /// A frame has come.
    ///
    /// - Parameter hasRoom: whether memory allows to claim it.
    mutating func handle(_ metadata: FrameMetadata, exposureStart: MonotonicTime, hasRoom: Bool) -> Decision {
        guard let wanted else { return .wait }
        let isShown = exposureStart >= moment && wanted.isShown(by: metadata)
        if isShown, hasRoom {
            defer { (index, framesWaited, hasSeen) = (index + 1, 0, false) }
            return .take(index)
        }
        hasSeen = hasSeen || isShown
        framesWaited += 1
        guard framesWaited > frameLimit else { return .wait }
        return .giveUp(hasSeen ? .outOfMemory : .deviceFailed("it did not apply the requested exposure"))
    }
}

/// The exposure of one frame of a bracket.
package enum BracketExposure: Hashable, Sendable {
    /// Automatic exposure, made brighter or darker by so many EV.
    case bias(Double)
    /// Exposure time and ISO speed set by hand.
    case manual(duration: Duration, iso: Int)

    /// What to ask of a sensor that is otherwise set to `controls`.
    func applied(to controls: SensorControls) -> SensorControls {
        var controls = controls
        switch self {
        case .bias(let bias):
            controls.exposureTime = nil
            controls.isoSpeed = nil
            controls.exposureBias = bias
        case .manual(let duration, let iso):
            controls.exposureTime = duration
            controls.isoSpeed = iso
        }
        return controls
    }

    /// True for a frame whose metadata shows this exposure.
    ///
    /// A sensor exposes for whole rows and amplifies in steps, so hand-set values may be a twentieth off.
    func isShown(by metadata: FrameMetadata) -> Bool {
        switch self {
        case .bias(let bias):
            return !metadata.isManualExposure && abs(metadata.exposureBias - bias) < 0.01
        case .manual(let duration, let iso):
            let difference = metadata.exposureTime - duration
            return metadata.isManualExposure
                && max(difference, .zero - difference) <= max(duration / 20, .microseconds(30))
                && abs(Double(metadata.isoSpeed - iso)) <= Double(iso) / 20
        }
    }
}
