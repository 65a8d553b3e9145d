import Foundation
import Panel
import Platform
import Synchronization

@testable import Camera
@testable import pinhole

/// Noise of 10 kHz on a camera's button, each edge delivered by the event loop at its own time.
final class ButtonStorm: Sendable {
    private static let half = Duration.microseconds(50)

    private let appliance: Appliance
    private let loop: EventLoop
    private let start: MonotonicTime
    private let count: Int
    private let done = Mutex<CheckedContinuation<Void, Never>?>(nil)

    private init(_ appliance: Appliance, loop: EventLoop, seconds: Int) {
        self.appliance = appliance
        self.loop = loop
        start = appliance.parts.time.now
        count = 20_000 * seconds
    }

    /// Takes so many seconds of noise.
    static func pass(over appliance: Appliance, loop: EventLoop, seconds: Int) async {
        let storm = ButtonStorm(appliance, loop: loop, seconds: seconds)
        await withCheckedContinuation { continuation in
            storm.done.withLock { $0 = continuation }
            storm.schedule(0)
        }
    }

    private func schedule(_ number: Int) {
        guard number < count else {
            done.withLock { $0.take() }?.resume()
            return
        }
        let time = start + .nanoseconds(Self.half.wholeNanoseconds * Int64(number))
        loop.schedule(at: time) { [self] in
            appliance.panel.receive(ButtonEdge(line: .shutter, isActive: number.isMultiple(of: 2), time: time))
            schedule(number + 1)
        }
    }

    /// Nanoseconds of processor time that a loop's thread has used.
    static func processorTime(of loop: EventLoop) async -> Int64 {
        await withCheckedContinuation { continuation in
            loop.post {
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                continuation.resume(returning: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
            }
        }
    }
}
