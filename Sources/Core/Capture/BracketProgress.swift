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
        return .giveUp(hasSeen ? .outOfMemory : .deviceFailed("it did not take the exposure that was asked for"))
    }
}
