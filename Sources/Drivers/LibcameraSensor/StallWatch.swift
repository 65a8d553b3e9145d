import Platform

/// Decides when a stream counts as stalled: no good frame for a second, or for five frames where those take longer. Pure.
struct StallWatch {
    /// Until the first frame a camera may take this long: it finds its exposure first.
    static let startLimit = Duration.seconds(5)

    private let frameInterval: Duration
    private var exposure: Duration
    private var longest: Duration
    private var newest: MonotonicTime
    private var hasFrame = false

    /// A stream that starts now.
    init(start: MonotonicTime, frameInterval: Duration, exposure: Duration?) {
        newest = start
        self.frameInterval = frameInterval
        longest = frameInterval
        self.exposure = exposure ?? .zero
    }

    /// A good frame has come.
    ///
    /// - Parameter duration: its length as the camera says; nil when it does not.
    mutating func frameDidCome(at moment: MonotonicTime, duration: Duration?) {
        // A camera that gives no lengths is judged by its pace.
        let pace = hasFrame ? moment - newest : .zero
        longest = min(max(frameInterval, duration ?? pace), .seconds(600))
        newest = max(newest, moment)
        hasFrame = true
    }

    /// Another exposure time was asked for; nil for automatic.
    mutating func exposureWillBe(_ exposure: Duration?) {
        self.exposure = min(max(exposure ?? .zero, .zero), .seconds(600))
    }

    /// When the stream counts as stalled if nothing comes.
    var deadline: MonotonicTime {
        let limit = max(.seconds(1), max(longest, exposure) * 5)
        return newest + (hasFrame ? limit : max(limit, Self.startLimit))
    }
}
