import Foundation
import Platform
import Synchronization
import Testing

@Suite("Worker threads")
struct WorkerThreadTests {
    @Test("jobs are done in order, one at a time, on one thread that has the name given")
    func order() async {
        let thread = WorkerThread(name: "test-worker")
        let seen = Mutex<[Int]>([])
        for index in 0..<1000 { thread.submit { seen.withLock { $0.append(index) } } }
        let name = await thread.run { () -> String in
            (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
        }
        #expect(name == "test-worker\n")
        #expect(seen.withLock { $0 } == Array(0..<1000))
        await thread.stop()
    }

    @Test("a result or an error of its own type comes back")
    func results() async {
        struct Failure: Error, Equatable { var number: Int }
        let thread = WorkerThread(name: "test")
        let sum = await thread.run { 1 + 1 }
        #expect(sum == 2)
        await #expect(throws: Failure(number: 3)) {
            try await thread.run { () throws(Failure) -> Int in throw Failure(number: 3) }
        }
        await thread.stop()
    }

    @Test("after stopping, nothing runs and callers are refused")
    func runAfterStopping() async {
        let thread = WorkerThread(name: "test")
        #expect(await thread.runUnlessStopped { 1 } == 1)
        await thread.stop()
        #expect(await thread.runUnlessStopped { 1 } == nil)
    }

    @Test("stopping does what is queued, refuses what comes later, and can be asked for twice")
    func stopping() async {
        let thread = WorkerThread(name: "test")
        let done = Mutex(0)
        for _ in 0..<100 { thread.submit { done.withLock { $0 += 1 } } }
        await thread.stop()
        #expect(done.withLock { $0 } == 100)
        #expect(!thread.submit { done.withLock { $0 += 1 } })
        await thread.stop()
        #expect(done.withLock { $0 } == 100)
    }

    @Test("maintenance runs when there is no other work, again when it requests that, and rests until there was work")
    func idling() async {
        let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
        let count = Mutex(0)
        let thread = WorkerThread(name: "test", idleAfter: .zero) {
            let call = count.withLock { count in
                count += 1
                return count
            }
            continuation.yield(call)
            return call < 3
        }
        var iterator = calls.makeAsyncIterator()
        for expected in 1...3 { #expect(await iterator.next() == expected) }
        thread.submit {}
        #expect(await iterator.next() == 4)
        await thread.stop()
        #expect(count.withLock { $0 } == 4)
    }
}
