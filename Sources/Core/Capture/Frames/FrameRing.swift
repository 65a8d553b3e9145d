import Platform

/// How a claim chooses its frame.
package enum FrameRule: Hashable, Sendable {
    /// The frame whose exposure midpoint is nearest to the moment.
    case nearest(MonotonicTime)
    /// The first frame whose exposure starts at or after the moment.
    case after(MonotonicTime)
    /// The first frame with a greater sequence number: the next one of a burst.
    case following(sequence: UInt64)
    /// The frame with this sequence number, which is held: one that fits a bracket.
    case held(sequence: UInt64)
}

/// Identifies a claim in its ring.
package struct ClaimID: Hashable, Sendable {
    let value: UInt64
}

/// The newest frames of the sensor and the claims on them. Pure: time is in the frames.
///
/// Choice is by timestamp alone, so that neither debounce nor scheduling costs lag. The ring holds at most `capacity`
/// frames, claimed ones included; the rest of the sensor's buffers stay with the sensor. A claim is admitted only while
/// its frame is sure to find room, so an admitted claim never loses its frame to memory.
package struct FrameRing {
    /// What to do after a call, outside any lock.
    package enum Action: Sendable {
        /// The claim has its frame.
        case resolved(ClaimID, Frame)
        /// The claim will never have a frame.
        case failed(ClaimID)
        /// Let go of this frame.
        case drop(Frame)
    }

    private struct Held {
        let frame: Frame
        var claims = 0
        /// False for a frame from before the last `close`: it is kept for its claims and never chosen again.
        var isCurrent = true
    }

    private struct Claim {
        let rule: FrameRule
        var sequence: UInt64?
    }

    /// Frames that may be held.
    private(set) package var capacity: Int
    private var held: [Held] = []
    private var claims: [ClaimID: Claim] = [:]
    /// Claims without a frame, oldest first.
    private var waiting: [ClaimID] = []
    private var nextClaim: UInt64 = 1

    /// An empty ring that holds at most `capacity` frames.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Frames that claims hold now, and frames that waiting claims will need at most.
    private var committed: Int {
        held.count { $0.claims > 0 } + waiting.count
    }

    /// The newest frame of the running stream; nil while the ring holds none.
    var newest: Frame? { held.last.flatMap { $0.isCurrent ? $0.frame : nil } }

    /// True while one more claim on a frame of its own would be admitted.
    package var hasRoom: Bool { committed < capacity }

    /// True while some claim waits for its frame.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// Claims a frame.
    ///
    /// - Returns: the claim, and its resolution when the ring already has the frame; nil when memory does not allow it.
    package mutating func claim(_ rule: FrameRule) -> (id: ClaimID, actions: [Action])? {
        let choice = heldChoice(rule)
        // Two claims may share a frame; a claim on a frame that is not leased, or on a future one, takes space.
        guard hasRoom || choice.map({ held[$0].claims > 0 }) == true else { return nil }
        let id = ClaimID(value: nextClaim)
        nextClaim += 1
        guard let choice else {
            claims[id] = Claim(rule: rule, sequence: nil)
            waiting.append(id)
            return (id, [])
        }
        claims[id] = Claim(rule: rule, sequence: held[choice].frame.sequence)
        held[choice].claims += 1
        return (id, [.resolved(id, held[choice].frame)])
    }

    /// Ends a claim: its picture is encoded, or it is not wanted any more. An ended or unknown claim is ignored.
    package mutating func end(_ id: ClaimID) -> [Action] {
        guard let claim = claims.removeValue(forKey: id) else { return [] }
        guard let sequence = claim.sequence else {
            waiting.removeAll { $0 == id }
            return []
        }
        if let index = held.firstIndex(where: { $0.frame.sequence == sequence }) {
            held[index].claims -= 1
        }
        return evict()
    }

    /// A frame has come: resolves what it decides, and keeps it if there is room.
    package mutating func insert(_ frame: Frame) -> [Action] {
        held.append(Held(frame: frame))
        var actions: [Action] = []
        for id in waiting {
            guard let claim = claims[id], let choice = heldChoice(claim.rule) else { continue }
            claims[id]?.sequence = held[choice].frame.sequence
            held[choice].claims += 1
            actions.append(.resolved(id, held[choice].frame))
        }
        waiting.removeAll { claims[$0]?.sequence != nil }
        return actions + evict()
    }

    /// The stream has ended: waiting claims fail, resolved ones keep their frames, unclaimed frames are dropped.
    package mutating func close(reopeningWith capacity: Int? = nil) -> [Action] {
        var actions: [Action] = waiting.map { .failed($0) }
        for id in waiting { claims[id] = nil }
        waiting = []
        actions += held.filter { $0.claims == 0 }.map { .drop($0.frame) }
        held.removeAll { $0.claims == 0 }
        for index in held.indices { held[index].isCurrent = false }
        if let capacity { self.capacity = capacity }
        return actions
    }

    /// The held frame that a rule decides for now; nil while a frame to come may be better.
    private func heldChoice(_ rule: FrameRule) -> Int? {
        let current = held.indices.filter { held[$0].isCurrent }
        switch rule {
        case .nearest(let moment):
            guard let newest = current.last, held[newest].frame.midpoint >= moment else { return nil }
            func distance(_ index: Int) -> UInt64 {
                held[index].frame.midpoint.nanoseconds.subtractingReportingOverflow(moment.nanoseconds)
                    .partialValue.magnitude
            }
            return current.min { distance($0) < distance($1) }
        case .after(let moment):
            return current.first { held[$0].frame.exposureStart >= moment }
        case .following(let sequence):
            return current.first { held[$0].frame.sequence > sequence }
        case .held(let sequence):
            return current.first { held[$0].frame.sequence == sequence }
        }
    }

    /// Drops the oldest unclaimed frames above the capacity; the newest is kept longest, since it may be the best for a
    /// waiting claim.
    private mutating func evict() -> [Action] {
        var actions: [Action] = []
        while held.count > capacity, let index = held.firstIndex(where: { $0.claims == 0 }) {
            actions.append(.drop(held.remove(at: index).frame))
        }
        return actions
    }
}

/// A frame claimed before it is certain that a photo of it is wanted: taken at the first edge of a press, given up when
/// the edge turns out to be noise.
///
/// - Ownership: the claim ends with this object, unless a capture has taken it over.
package final class FrameReservation: Sendable {
    let claim: ClaimID
    private let output: CapturePhotoOutput

    init(claim: ClaimID, output: CapturePhotoOutput) {
        self.claim = claim
        self.output = output
    }

    deinit { output.endReservation(claim) }
}
