import Glibc

/// Resamples one plane with a Lanczos filter of three lobes, widened when the plane becomes smaller so that nothing
/// aliases. Horizontal first; only as many filtered rows are kept as one result row needs.
struct PlaneScaler {
    /// The plane to resample: samples of one byte next to each other, `stride` bytes from row to row.
    struct Source {
        var base: UnsafePointer<UInt8>
        var stride: Int
        var width: Int
        var height: Int
    }

    /// Where the result goes.
    struct Destination {
        var base: UnsafeMutablePointer<UInt8>
        var stride: Int
        /// Bytes from one sample to the next.
        var step: Int
        var columns: Range<Int>
        var rows: Range<Int>
    }

    /// The weights of one axis.
    struct Axis {
        /// First source sample of each result sample.
        private(set) var starts: [Int] = []
        private(set) var counts: [Int] = []
        /// Weights of all result samples one after another, `capacity` for each.
        private(set) var weights: [Float] = []
        /// Most source samples of any result sample.
        let capacity: Int

        /// - Parameters:
        ///   - count: number of result samples.
        ///   - samples: number of source samples.
        ///   - step: source samples from one result sample to the next.
        ///   - position: the place of a result sample's middle, where source sample `i` reaches from `i` to `i + 1`.
        init(count: Int, samples: Int, step: Double, position: (Int) -> Double) {
            let scale = max(1, step)
            let support = 3 * scale
            capacity = min(Int((2 * support).rounded(.up)) + 1, samples)
            for index in 0..<count {
                let center = min(max(position(index), 0), Double(samples))
                let start = min(max(Int((center - support).rounded(.down)), 0), samples - 1)
                let end = min(max(Int((center + support).rounded(.up)), start + 1), samples, start + capacity)
                var taps = (start..<end).map { Self.lanczos((Double($0) + 0.5 - center) / scale) }
                let sum = taps.reduce(0, +)
                // With a single sample at the edge the sum may vanish; that sample is then the result.
                taps = abs(sum) > 1e-6 ? taps.map { $0 / sum } : taps.indices.map { $0 == 0 ? 1 : 0 }
                starts.append(start)
                counts.append(taps.count)
                weights += taps.map(Float.init) + [Float](repeating: 0, count: capacity - taps.count)
            }
        }

        private static func lanczos(_ x: Double) -> Double {
            guard x != 0 else { return 1 }
            guard abs(x) < 3 else { return 0 }
            let angle = Double.pi * x
            return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
        }
    }

    let across: Axis
    let down: Axis

    /// Fills the destination; its columns and rows match the axes.
    func scale(_ source: Source, to destination: Destination) {
        let width = destination.columns.count
        var rows = [Float](repeating: 0, count: down.capacity * width)
        var held = [Int](repeating: -1, count: down.capacity)
        var sums = [Float](repeating: 0, count: width)
        rows.withUnsafeMutableBufferPointer { rows in
            sums.withUnsafeMutableBufferPointer { sums in
                for (index, row) in destination.rows.enumerated() {
                    sums.update(repeating: 0)
                    for tap in 0..<down.counts[index] {
                        let sourceRow = down.starts[index] + tap
                        let slot = sourceRow % down.capacity
                        let filtered = UnsafeMutableBufferPointer(rebasing: rows[slot * width..<(slot + 1) * width])
                        if held[slot] != sourceRow {
                            filter(source.base + sourceRow * source.stride, into: filtered)
                            held[slot] = sourceRow
                        }
                        let weight = down.weights[index * down.capacity + tap]
                        for column in 0..<width { sums[column] += weight * filtered[column] }
                    }
                    let line = destination.base + row * destination.stride
                    for column in 0..<width {
                        let value = min(max(sums[column] + 0.5, 0), 255)
                        line[(destination.columns.lowerBound + column) * destination.step] = UInt8(value)
                    }
                }
            }
        }
    }

    private func filter(_ line: UnsafePointer<UInt8>, into result: UnsafeMutableBufferPointer<Float>) {
        across.weights.withUnsafeBufferPointer { weights in
            for column in 0..<result.count {
                let (start, first) = (across.starts[column], column * across.capacity)
                var sum: Float = 0
                for tap in 0..<across.counts[column] { sum += weights[first + tap] * Float(line[start + tap]) }
                result[column] = sum
            }
        }
    }
}
