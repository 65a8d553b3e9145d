import Platform

/// The durations of repeated runs of one operation.
struct Measured {
    private(set) var milliseconds: [Double] = []

    mutating func add(_ duration: Duration) {
        milliseconds.append(Double(duration.wholeNanoseconds) / 1e6)
    }

    var median: Double { quantile(0.5) }

    func quantile(_ part: Double) -> Double {
        let sorted = milliseconds.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }
}

/// Runs an operation and returns its duration.
func measured(_ body: () async throws -> Void) async rethrows -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return clock.now - start
}
