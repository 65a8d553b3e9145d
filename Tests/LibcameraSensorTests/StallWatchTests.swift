import Platform
import Testing

@testable import LibcameraSensor

@Suite("StallWatch")
struct StallWatchTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func watch(_ interval: Duration, _ exposure: Duration? = nil) -> StallWatch {
        StallWatch(start: start, frameInterval: interval, exposure: exposure)
    }

    @Test("the first frame may take five seconds, or five frames")
    func first() {
        #expect(watch(.milliseconds(33)).deadline == start + .seconds(5))
        #expect(watch(.milliseconds(33), .seconds(10)).deadline == start + .seconds(50))
    }

    @Test("later ones a second, or five frames by what the camera says or by its pace")
    func later() {
        var watch = watch(.milliseconds(33))
        watch.frameDidCome(at: start + .seconds(4), duration: nil)
        #expect(watch.deadline == start + .seconds(5))
        watch.frameDidCome(at: start + .seconds(5), duration: .milliseconds(500))
        #expect(watch.deadline == start + .milliseconds(7500))
        watch.frameDidCome(at: start + .seconds(6), duration: nil)
        #expect(watch.deadline == start + .seconds(11))
        watch.frameDidCome(at: start + .milliseconds(6100), duration: nil)
        #expect(watch.deadline == start + .milliseconds(7100))
    }

    @Test("an exposure asked for moves the moment until it is taken back")
    func exposure() {
        var watch = watch(.milliseconds(33))
        watch.frameDidCome(at: start, duration: .milliseconds(33))
        watch.exposureWillBe(.seconds(6))
        #expect(watch.deadline == start + .seconds(30))
        watch.exposureWillBe(nil)
        #expect(watch.deadline == start + .seconds(1))
    }
}
