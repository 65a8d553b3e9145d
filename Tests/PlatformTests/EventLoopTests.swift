import Glibc
import PinholeTesting
import Platform
import Synchronization
import Testing

/// A value that handlers and the test share.
@Suite("Event loop", .timeLimit(.minutes(10)))
struct EventLoopTests {
    /// A pipe's two ends.
    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test("a pipe is readable when bytes have been written, and hung up when its writer is gone")
    func pipeReadiness() async throws {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let (reader, writer) = try Self.pipe()
        defer { close(reader) }
        let (readings, feed) = AsyncStream.makeStream(of: EventLoop.Readiness.self)
        let registration = try loop.register(reader, .read) { readiness in
            var byte: UInt8 = 0
            _ = read(reader, &byte, 1)
            feed.yield(readiness)
        }
        var iterator = readings.makeAsyncIterator()
        _ = write(writer, "x", 1)
        #expect(await iterator.next() == .readable)
        close(writer)
        #expect(await iterator.next()?.contains(.hungUp) == true)
        loop.unregister(registration)
    }

    @Test("timers run by time and not by the order they were made in, and one that was canceled does not run")
    func timers() async throws {
        let loop = try EventLoop()
        let (names, feed) = AsyncStream.makeStream(of: String.self)
        let start = MonotonicTime.now()
        loop.schedule(at: start + .milliseconds(3)) { feed.yield("third") }
        loop.schedule(at: start) { feed.yield("first") }
        let cancelled = loop.schedule(at: start + .milliseconds(1)) { feed.yield("cancelled") }
        loop.schedule(at: start) { feed.yield("second") }
        loop.cancel(cancelled)
        try loop.start()
        defer { loop.stop() }
        var seen: [String] = []
        for await name in names {
            seen.append(name)
            if seen.count == 3 { break }
        }
        #expect(seen == ["first", "second", "third"])
        #expect(MonotonicTime.now() >= start + .milliseconds(3))
    }

    @Test("a timer can cancel the one that is due right after it")
    func timerCancelsNext() async throws {
        let loop = try EventLoop()
        let (names, feed) = AsyncStream.makeStream(of: String.self)
        let next = Mutex<EventLoop.Timer?>(nil)
        let start = MonotonicTime.now()
        loop.schedule(at: start) { next.withLock { $0.map(loop.cancel) } }
        let timer = loop.schedule(at: start) { feed.yield("cancelled") }
        next.withLock { $0 = timer }
        loop.schedule(at: start) { feed.yield("last") }
        try loop.start()
        defer { loop.stop() }
        var iterator = names.makeAsyncIterator()
        #expect(await iterator.next() == "last")
    }

    @Test("what is given to a loop that has ended is let go of")
    func afterTheEnd() throws {
        final class Held: Sendable {}
        let loop = try EventLoop()
        try loop.start()
        loop.stop()
        weak var posted: Held?
        weak var scheduled: Held?
        do {
            let (first, second) = (Held(), Held())
            (posted, scheduled) = (first, second)
            loop.post { withExtendedLifetime(first) {} }
            loop.schedule(at: .now() + .seconds(1000)) { withExtendedLifetime(second) {} }
        }
        #expect(posted == nil && scheduled == nil)
        let (reader, writer) = try Self.pipe()
        defer { _ = (close(reader), close(writer)) }
        #expect(throws: SystemError.self) { _ = try loop.register(reader, .read) { _ in } }
    }

    @Test("posts from many threads all run, on the loop's thread, each thread's in its order")
    func posts() async throws {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let seen = Recorder<[Int]>()
        let elsewhere = Recorder<Int>()
        await withTaskGroup(of: Void.self) { group in
            for poster in 0..<8 {
                group.addTask {
                    for index in 0..<200 {
                        loop.post {
                            if !loop.isCurrent { elsewhere.add(index) }
                            seen.add([poster, index])
                        }
                    }
                }
            }
        }
        await withCheckedContinuation { done in loop.post { done.resume() } }
        for poster in 0..<8 {
            #expect(seen.elements.filter { $0[0] == poster }.map { $0[1] } == Array(0..<200))
        }
        #expect(elsewhere.elements.isEmpty)
        #expect(!loop.isCurrent)
    }

    @Test("a handler that removes itself is not called again, though bytes still wait")
    func handlerRemovesItself() async throws {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let (reader, writer) = try Self.pipe()
        defer { _ = (close(reader), close(writer)) }
        let calls = Mutex(0)
        let own = Mutex<EventLoop.Registration?>(nil)
        let (done, feed) = AsyncStream.makeStream(of: Void.self)
        let registration = try loop.register(reader, .read) { _ in
            calls.withLock { $0 += 1 }
            own.withLock { $0.map(loop.unregister) }
            feed.yield()
        }
        own.withLock { $0 = registration }
        _ = write(writer, "xy", 2)
        var iterator = done.makeAsyncIterator()
        await iterator.next()
        // Two full rounds, each of which would have found the bytes.
        for _ in 0..<2 { await withCheckedContinuation { round in loop.post { round.resume() } } }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("a handler removed by another one of the same round is not called")
    func handlerRemovesOther() async throws {
        let loop = try EventLoop()
        let (first, second) = (try Self.pipe(), try Self.pipe())
        defer { for end in [first.read, first.write, second.read, second.write] { close(end) } }
        let both = Mutex<[EventLoop.Registration]>([])
        let calls = Mutex(0)
        let (done, feed) = AsyncStream.makeStream(of: Void.self)
        for reader in [first.read, second.read] {
            let registration = try loop.register(reader, .read) { _ in
                calls.withLock { $0 += 1 }
                both.withLock { $0.forEach(loop.unregister) }
                feed.yield()
            }
            both.withLock { $0.append(registration) }
        }
        _ = (write(first.write, "x", 1), write(second.write, "x", 1))
        try loop.start()
        defer { loop.stop() }
        var iterator = done.makeAsyncIterator()
        await iterator.next()
        await withCheckedContinuation { round in loop.post { round.resume() } }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("/dev/null and files, which epoll refuses, are always ready while somebody is interested")
    func alwaysReady() async throws {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        let (readings, feed) = AsyncStream.makeStream(of: EventLoop.Readiness.self)
        let registration = try loop.register(null, .read) { feed.yield($0) }
        var iterator = readings.makeAsyncIterator()
        #expect(await iterator.next() == .readable)
        #expect(await iterator.next() == .readable)
        loop.unregister(registration)
    }

    @Test("stopping runs what was posted before and forgets the rest")
    func stopping() async throws {
        let loop = try EventLoop()
        let ran = Mutex(0)
        for _ in 0..<3 {
            loop.post {
                // Also while another thread is stopping the loop.
                loop.preconditionIsCurrent()
                ran.withLock { $0 += 1 }
            }
        }
        loop.schedule(at: .now() + .seconds(3600)) { ran.withLock { $0 += 100 } }
        try loop.start()
        loop.stop()
        loop.stop()
        loop.post { ran.withLock { $0 += 100 } }
        #expect(ran.withLock { $0 } == 3)
    }

    @Test("a loop stopped from its own thread ends")
    func stopsItself() async throws {
        let loop = try EventLoop()
        try loop.start()
        let (posts, feed) = AsyncStream.makeStream(of: String.self)
        loop.post {
            loop.stop()
            feed.yield("stopped")
        }
        var iterator = posts.makeAsyncIterator()
        #expect(await iterator.next() == "stopped")
    }

    @Test("registering a closed descriptor is an error")
    func registersClosed() throws {
        let loop = try EventLoop()
        #expect(throws: SystemError.self) { _ = try loop.register(-1, .read) { _ in } }
    }

    @Test("a blocked signal arrives as a number on the loop")
    func signals() async throws {
        let loop = try EventLoop()
        try loop.start()
        defer { loop.stop() }
        let (numbers, feed) = AsyncStream.makeStream(of: Int32.self)
        // Blocked in the loop's thread and sent to it alone, so that the other threads of the tests are left out.
        loop.post {
            do throws(SystemError) {
                try Signals([SIGUSR2]).deliver(on: loop) { feed.yield($0) }
                pthread_kill(pthread_self(), SIGUSR2)
            } catch {
                feed.finish()
            }
        }
        var iterator = numbers.makeAsyncIterator()
        #expect(await iterator.next() == SIGUSR2)
    }
}

@Suite("What belongs to an event loop")
struct LoopConfinedTests {
    @Test("is changed by posts and read by who waits for the loop")
    func changes() async throws {
        let loop = try EventLoop()
        try loop.start()
        let count = LoopConfined(0, to: loop)
        for _ in 0..<100 { loop.post { count.value += 1 } }
        #expect(await loop.run { count.value } == 100)
        loop.stop()
        #expect(await loop.run { count.value } == nil)
    }
}
