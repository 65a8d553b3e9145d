import Console
import PinholeTesting
import Testing

@testable import Camera

@Suite("Starting parts and stopping them")
struct LifetimeTests {
    private static let count = 5

    /// Starts five parts, of which one may fail, and stops what has started.
    private func steps(failing failed: Int?) async -> [String] {
        let steps = Recorder<String>()
        var lifetime = Lifetime()
        do throws(CommandFailure) {
            for number in 0..<Self.count {
                let part = try await lifetime.start { () throws(CommandFailure) in
                    if number == failed { throw .unknown }
                    steps.add("start \(number)")
                    return number
                } stop: {
                    steps.add("stop \($0)")
                }
                lifetime.onStop { steps.add("after \(part)") }
            }
        } catch {
            steps.add("failed")
        }
        await lifetime.stop()
        return steps.elements
    }

    @Test(
        "what has started is stopped in reverse order, whichever part failed",
        arguments: [nil, 0, 1, 2, 3, 4] as [Int?])
    func everyStep(failed: Int?) async {
        let started = 0..<(failed ?? Self.count)
        let expected =
            started.map { "start \($0)" } + (failed == nil ? [] : ["failed"])
            + started.reversed().flatMap { ["after \($0)", "stop \($0)"] }
        #expect(await steps(failing: failed) == expected)
    }

    @Test("a second stop does nothing")
    func twice() async {
        let steps = Recorder<String>()
        var lifetime = Lifetime()
        lifetime.onStop { steps.add("stop") }
        await lifetime.stop()
        await lifetime.stop()
        #expect(steps.elements == ["stop"])
    }
}
