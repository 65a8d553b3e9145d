import Console
import Platform
import Testing

@testable import Camera

@Suite("Starting a stream again")
struct StreamRecoveryTests {
    private let start = MonotonicTime(nanoseconds: 0)
    private let failure = CommandFailure(.cameraMissing, "no camera", retry: true)

    @Test("attempts come later and later, up to half a minute, and one fault is reported once")
    func backOff() {
        var recovery = StreamRecovery()
        var now = start
        #expect(recovery.handle(.failed(failure, at: now)) == [.report(failure)])
        for milliseconds in [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000] {
            #expect(recovery.nextAttempt == now + .milliseconds(milliseconds))
            now = now + .milliseconds(milliseconds)
            #expect(recovery.handle(.time(now)) == [.start])
            #expect(recovery.nextAttempt == nil)
            #expect(recovery.handle(.failed(failure, at: now)).isEmpty)
        }
    }

    @Test("a moment before the attempt is due starts nothing")
    func early() {
        var recovery = StreamRecovery()
        _ = recovery.handle(.failed(failure, at: start))
        #expect(recovery.handle(.time(start + .milliseconds(499))).isEmpty)
        #expect(recovery.handle(.time(start + .milliseconds(500))) == [.start])
    }

    @Test("a sensor that comes is tried at once, and soon again in case it was announced too early")
    func announced() {
        var recovery = StreamRecovery()
        for _ in 0..<10 { _ = recovery.handle(.failed(failure, at: start)) }
        #expect(recovery.handle(.sensorsChanged) == [.start])
        #expect(recovery.handle(.sensorsChanged).isEmpty, "one attempt is under way")
        _ = recovery.handle(.failed(failure, at: start))
        #expect(recovery.nextAttempt == start + StreamRecovery.firstDelay)
    }

    @Test("a stream that runs ends the fault and the attempts; news of sensors leave it alone")
    func recovered() {
        var recovery = StreamRecovery()
        _ = recovery.handle(.failed(failure, at: start))
        #expect(recovery.handle(.started(at: start)) == [.recovered(failure)])
        #expect(recovery.failure == nil && recovery.nextAttempt == nil)
        #expect(recovery.handle(.sensorsChanged).isEmpty)
        #expect(recovery.handle(.failed(failure, at: start)) == [.report(failure)])
        #expect(recovery.nextAttempt == start + StreamRecovery.firstDelay)
    }

    @Test("a silent stream counts as stalled after 3 seconds, a slow one after ten of its frames, a stopped one never")
    func silence() {
        var recovery = StreamRecovery()
        func watched(_ newest: Int?, interval: Duration, at seconds: Int) -> [StreamRecovery.Action] {
            recovery.handle(
                .watched(
                    newest: newest.map { start + .seconds($0) }, frameInterval: interval, at: start + .seconds(seconds))
            )
        }
        #expect(watched(nil, interval: .milliseconds(100), at: 100).isEmpty)
        _ = recovery.handle(.started(at: start))
        #expect(watched(nil, interval: .milliseconds(100), at: 3).isEmpty)
        #expect(watched(nil, interval: .milliseconds(100), at: 4) == [.stall])
        #expect(watched(2, interval: .milliseconds(100), at: 4).isEmpty)
        #expect(watched(nil, interval: .seconds(1), at: 10).isEmpty)
        #expect(watched(nil, interval: .seconds(1), at: 11) == [.stall])
        _ = recovery.handle(.stopped)
        #expect(watched(nil, interval: .seconds(1), at: 100).isEmpty)
    }

    @Test("a camera that stops starts no stream")
    func closed() {
        var recovery = StreamRecovery()
        _ = recovery.handle(.failed(failure, at: start))
        _ = recovery.handle(.closed)
        #expect(recovery.nextAttempt == nil)
        #expect(recovery.handle(.sensorsChanged).isEmpty)
        #expect(recovery.handle(.failed(failure, at: start)).isEmpty)
        #expect(recovery.nextAttempt == nil)
    }
}
