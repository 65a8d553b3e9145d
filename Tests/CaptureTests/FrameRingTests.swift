import Capture
import Platform
import PinholeTesting
import Testing

private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 10_000_000_000 + milliseconds * 1_000_000)
}

@Suite("The ring of frames")
struct FrameRingTests {
    private let sensor = FakeSensor()

    /// Delivers frames 1…count, one every 100 ms from 0 ms.
    private func fill(_ ring: inout FrameRing, _ count: UInt64) {
        for sequence in 1...count {
            _ = ring.insert(sensor.frame(sequence: sequence, midpoint: at(Int64(sequence - 1) * 100)))
        }
    }

    private func claim(
        _ ring: inout FrameRing, _ rule: FrameRule
    ) throws -> (id: ClaimID, actions: [FrameRing.Action]) {
        let claim = ring.claim(rule)
        return try #require(claim)
    }

    private func resolutions(_ actions: [FrameRing.Action]) -> [UInt64] {
        actions.compactMap { if case .resolved(_, let frame) = $0 { frame.sequence } else { nil } }
    }

    @Test("a moment that the ring covers gets the nearest frame at once", arguments: [(140, 2), (160, 3), (100, 2)])
    func nearestHeld(moment: Int64, expected: UInt64) throws {
        var ring = FrameRing(capacity: 4)
        fill(&ring, 4)
        let claim = try claim(&ring, .nearest(at(moment)))
        #expect(resolutions(claim.actions) == [expected])
    }

    @Test("a moment after the newest frame waits, because the next may be nearer")
    func waitsForTheNextFrame() throws {
        var ring = FrameRing(capacity: 4)
        fill(&ring, 2)
        let early = try claim(&ring, .nearest(at(130)))
        let late = try claim(&ring, .nearest(at(170)))
        #expect(early.actions.isEmpty && late.actions.isEmpty)
        let actions = ring.insert(sensor.frame(sequence: 3, midpoint: at(200)))
        #expect(resolutions(actions) == [2, 3])
    }

    @Test("a moment older than the ring gets the oldest frame still held")
    func passedMoment() throws {
        var ring = FrameRing(capacity: 2)
        fill(&ring, 5)
        let claim = try claim(&ring, .nearest(at(0)))
        #expect(resolutions(claim.actions) == [4])
    }

    @Test("after a moment means the first exposure that starts after it")
    func afterRule() throws {
        var ring = FrameRing(capacity: 4)
        fill(&ring, 2)
        // Frame 2 has its midpoint at 100 ms and starts at 95 ms.
        let inside = try claim(&ring, .after(at(94)))
        #expect(resolutions(inside.actions) == [2])
        let claim = try claim(&ring, .after(at(96)))
        #expect(claim.actions.isEmpty)
        let actions = ring.insert(sensor.frame(sequence: 3, midpoint: at(200)))
        #expect(resolutions(actions) == [3])
    }

    @Test("two claims may share a frame, and it is kept until both have ended")
    func sharing() throws {
        var ring = FrameRing(capacity: 2)
        fill(&ring, 2)
        let first = try claim(&ring, .nearest(at(90)))
        let second = try claim(&ring, .nearest(at(95)))
        #expect(resolutions(first.actions) == resolutions(second.actions))
        _ = ring.end(first.id)
        fill(&ring, 3)
        let again = try claim(&ring, .nearest(at(100)))
        #expect(resolutions(again.actions) == [2])
    }

    @Test("a claim is refused when its frame would not be sure of room")
    func admission() throws {
        var ring = FrameRing(capacity: 2)
        fill(&ring, 2)
        _ = try claim(&ring, .nearest(at(0)))
        let waiting = try claim(&ring, .nearest(at(170)))
        #expect(!ring.hasRoom)
        let another = ring.claim(.nearest(at(190)))
        #expect(another == nil)
        let unheld = ring.claim(.nearest(at(100)))
        #expect(unheld == nil, "frame 2 is nobody's yet and may be needed by the waiting claim")
        let shared = ring.claim(.nearest(at(10)))
        #expect(shared != nil, "frame 1 is held anyway")
        _ = ring.end(waiting.id)
        let later = ring.claim(.nearest(at(190)))
        #expect(later != nil)
    }

    @Test("closing fails waiting claims, keeps claimed frames, and never offers them again")
    func closing() throws {
        var ring = FrameRing(capacity: 3)
        fill(&ring, 2)
        _ = try claim(&ring, .nearest(at(0)))
        let waiting = try claim(&ring, .nearest(at(150)))
        var failed: [ClaimID] = []
        for case .failed(let id) in ring.close(reopeningWith: 3) { failed.append(id) }
        #expect(failed == [waiting.id])
        #expect(sensor.outstandingFrames == 1)
        let later = try claim(&ring, .nearest(at(0)))
        #expect(later.actions.isEmpty)
    }

    @Test("whatever happens, a claim gets the best of all frames and no frame is lost or kept too long")
    func randomHistories() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let sensor = FakeSensor(width: 2, height: 2)
            let capacity = Int.random(in: 1...5, using: &random)
            var ring = FrameRing(capacity: capacity)
            var midpoints: [UInt64: MonotonicTime] = [:]
            var open: [ClaimID: MonotonicTime] = [:]
            var held: [ClaimID: UInt64] = [:]
            var now: Int64 = 0
            func note(_ actions: [FrameRing.Action]) {
                for case .resolved(let id, let frame) in actions {
                    let moment = open[id]!
                    held[id] = frame.sequence
                    let chosen = abs((frame.midpoint - moment).wholeNanoseconds)
                    let best = midpoints.values.map { abs(($0 - moment).wholeNanoseconds) }.min()!
                    #expect(chosen == best)
                }
            }
            for sequence in 1...UInt64(60) {
                now += Int64.random(in: 80...120, using: &random)
                let frame = sensor.frame(sequence: sequence, midpoint: at(now))
                midpoints[sequence] = frame.midpoint
                note(ring.insert(frame))
                if Int.random(in: 0..<2, using: &random) == 0 {
                    // Recent enough that the ring cannot have passed it.
                    let moment = at(now + Int64.random(in: -30...70, using: &random))
                    if let (id, actions) = ring.claim(.nearest(moment)) {
                        open[id] = moment
                        note(actions)
                    }
                }
                if let (id, _) = held.randomElement(using: &random), Bool.random(using: &random) {
                    held[id] = nil
                    _ = ring.end(id)
                }
            }
            #expect(sensor.outstandingFrames <= capacity)
            for id in open.keys { _ = ring.end(id) }
            _ = ring.close()
            #expect(sensor.outstandingFrames == 0)
        }
    }
}
