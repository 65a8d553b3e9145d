import Platform

/// The accepted captures of an output and the frames that they claim. Pure: time is in the frames.
///
/// It decides which frame each capture gets, what exposure a bracket needs next, and in which order the delegates learn of
/// their captures. It does not call anything: its owner carries out the notices, then the actions.
struct CaptureQueue: Sendable {
    /// The running stream as the sensor granted it, and the way to ask its camera for another exposure.
    struct Stream: Sendable {
        let configuration: StreamConfiguration
        let model: SensorModel
        /// Asks the camera for an exposure of a bracket; nil asks for the device's own. Returns at once.
        let setExposure: @Sendable (BracketExposure?) -> Void
    }

    /// A frame among those of a capture.
    struct Exposure: Sendable {
        let capture: PhotoCapture
        let index: Int

        var isLast: Bool { index == capture.places.count - 1 }
    }

    /// What a change of the queue reports to a delegate or to the camera, in the order of the changes.
    enum Notice: Sendable {
        case begin(PhotoCapture)
        /// The last frame was chosen, or there will be none.
        case captured(PhotoCapture)
        case frame(PhotoCapture, sequence: UInt64)
        case photo(PhotoCapture, PhotoCapture.Place)
        case end(PhotoCapture)
        case exposure(BracketExposure?, Stream)
    }

    private(set) var stream: Stream?
    /// When the newest frame arrived; nil before the first.
    private(set) var newestArrival: MonotonicTime?
    private var ring = FrameRing(capacity: 0)
    /// The newest frame of the running stream that the ring holds.
    var newestFrame: Frame? { ring.newest }
    /// Frames of claims that no capture has taken over yet; nil while the claim waits for its frame.
    private var reservations: [ClaimID: Frame?] = [:]
    /// The claims of captures.
    private var exposures: [ClaimID: Exposure] = [:]
    /// Brackets that wait for frames; the first one controls the camera's exposure.
    private var brackets: [(capture: PhotoCapture, progress: BracketProgress)] = []
    /// The exposure that the camera was asked for last; nil for its own.
    private var requestedExposure: BracketExposure?
    /// Captures in the order in which they were accepted, until they are finished.
    private var order: [PhotoCapture] = []
    private var notices: [Notice] = []

    /// True while one more claim on a frame of its own would be admitted.
    var hasRoom: Bool { ring.hasRoom }

    /// Whether a capture would be accepted now, as far as frames decide it.
    var readiness: CapturePhotoOutput.CaptureReadiness {
        guard stream != nil else { return .sessionNotRunning }
        guard newestArrival != nil else { return .notReadyMomentarily }
        // A photo taken now would show an exposure of the bracket.
        guard brackets.isEmpty else { return .notReadyWaitingForCapture }
        guard ring.hasRoom else {
            return ring.isWaiting ? .notReadyWaitingForCapture : .notReadyWaitingForProcessing
        }
        return .ready
    }

    /// The notices since the last call.
    mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    // MARK: Stream

    /// Begins a stream with an empty ring.
    mutating func open(_ stream: Stream) -> [FrameRing.Action] {
        self.stream = stream
        newestArrival = nil
        return ring.close(reopeningWith: stream.configuration.bufferCount - 2)
    }

    /// Ends the stream: captures that have no frame fail with the reason, the others go on.
    mutating func close(_ reason: CaptureError) -> [FrameRing.Action] {
        for (capture, progress) in brackets { fail(capture, frames: progress.missing, reason) }
        brackets = []
        requestExposure()
        stream = nil
        newestArrival = nil
        return ring.close()
    }

    /// Takes a frame of the stream, which arrived at `now`.
    mutating func insert(_ frame: Frame, at now: MonotonicTime) -> [FrameRing.Action] {
        guard stream != nil else { return [] }
        newestArrival = now
        return ring.insert(frame) + offerToBracket(frame)
    }

    // MARK: Claims

    /// Claims the frame nearest to a moment for a photo that may not be taken.
    mutating func reserve(at moment: MonotonicTime) -> ClaimID? {
        guard stream != nil, let (claim, actions) = ring.claim(.nearest(moment)) else { return nil }
        var frame: Frame?
        if case .resolved(_, let resolved)? = actions.first { frame = resolved }
        reservations[claim] = .some(frame)
        return claim
    }

    /// Gives up a reservation that no capture has taken over.
    ///
    /// - Returns: what to let go of outside the lock.
    mutating func endReservation(_ claim: ClaimID) -> (actions: [FrameRing.Action], frame: Frame?) {
        guard let frame = reservations.removeValue(forKey: claim) else { return ([], nil) }
        return (ring.end(claim), frame)
    }

    /// The claim of a capture that is not a bracket: its reservation, or a new claim.
    mutating func claim(
        reserved: ClaimID?, orBy rule: FrameRule
    ) -> (id: ClaimID, actions: [FrameRing.Action])? {
        if let reserved, let frame = reservations.removeValue(forKey: reserved) {
            return (reserved, frame.map { [.resolved(reserved, $0)] } ?? [])
        }
        return ring.claim(rule)
    }

    /// Accepts a capture with the claim on its frame.
    mutating func accept(_ capture: PhotoCapture, _ claim: ClaimID) {
        order.append(capture)
        notices.append(.begin(capture))
        exposures[claim] = Exposure(capture: capture, index: 0)
    }

    /// Accepts a bracket, which claims its frames as they come.
    mutating func accept(_ capture: PhotoCapture, _ bracket: BracketProgress) {
        order.append(capture)
        notices.append(.begin(capture))
        brackets.append((capture, bracket))
        requestExposure()
    }

    /// Notes the frame of a claim.
    ///
    /// - Returns: the exposure to encode; nil for a reservation.
    mutating func resolve(_ claim: ClaimID, _ frame: Frame) -> Exposure? {
        if reservations[claim] != nil { reservations[claim] = .some(frame) }
        guard let exposure = exposures[claim] else { return nil }
        if exposure.isLast { markCaptured(exposure.capture) }
        notices.append(.frame(exposure.capture, sequence: frame.sequence))
        return exposure
    }

    /// Fails a claim that will never have a frame.
    mutating func fail(_ claim: ClaimID, _ failure: CaptureError) {
        reservations[claim] = nil
        guard let exposure = exposures.removeValue(forKey: claim) else { return }
        fail(exposure.capture, frames: exposure.index..<exposure.capture.places.count, failure)
    }

    /// Ends the claim of a frame whose photos are stored.
    ///
    /// - Returns: what to let go of outside the lock.
    mutating func finish(_ claim: ClaimID) -> [FrameRing.Action] {
        exposures[claim] = nil
        deliver()
        return ring.end(claim)
    }

    // MARK: Brackets

    /// Asks the camera for the exposure that the first bracket needs now, or for its own.
    private mutating func requestExposure() {
        let wanted = brackets.first?.progress.wanted
        guard wanted != requestedExposure else { return }
        requestedExposure = wanted
        if let stream { notices.append(.exposure(wanted, stream)) }
    }

    /// Claims the frame for the first bracket if it shows the exposure that the bracket needs.
    private mutating func offerToBracket(_ frame: Frame) -> [FrameRing.Action] {
        guard !brackets.isEmpty else { return [] }
        let capture = brackets[0].capture
        let decision = brackets[0].progress.handle(
            frame.metadata, exposureStart: frame.exposureStart, hasRoom: ring.hasRoom)
        var actions: [FrameRing.Action] = []
        switch decision {
        case .wait: return []
        case .take(let index):
            guard let (claim, resolution) = ring.claim(.held(sequence: frame.sequence)) else { return [] }
            exposures[claim] = Exposure(capture: capture, index: index)
            actions = resolution
            if brackets[0].progress.wanted == nil { brackets.removeFirst() }
        case .giveUp(let error):
            let missing = brackets.removeFirst().progress.missing
            fail(capture, frames: missing, error)
        }
        requestExposure()
        return actions
    }

    // MARK: Ends

    /// Fails the frames of a capture that will not come.
    private mutating func fail(_ capture: PhotoCapture, frames: Range<Int>, _ error: CaptureError) {
        for place in capture.places[frames].joined() { capture.store(.failure(error), at: place) }
        markCaptured(capture)
        deliver()
    }

    private mutating func markCaptured(_ capture: PhotoCapture) {
        if capture.markCaptured() { notices.append(.captured(capture)) }
    }

    /// Delivers every photo whose predecessors are delivered.
    private mutating func deliver() {
        while let first = order.first {
            for place in first.handOver() { notices.append(.photo(first, place)) }
            guard first.isComplete else { return }
            order.removeFirst()
            notices.append(.end(first))
        }
    }
}
