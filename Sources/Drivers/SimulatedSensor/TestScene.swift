import Glibc
import Imaging

/// A drawn picture with the smooth areas, edges and grain of a photograph, so that its JPEG has a photo's size.
struct TestScene: PictureSource {
    private let picture: PictureMemory

    /// Draws the scene; nil when memory is short.
    init?(layout: PictureLayout) {
        guard let picture = PictureMemory(layout: layout) else { return nil }
        Self.draw(picture)
        self.picture = picture
    }

    func picture(at elapsed: Duration) throws(ReplayError) -> (number: Int, picture: PictureMemory) { (0, picture) }

    private static func draw(_ picture: PictureMemory) {
        let layout = picture.layout
        let (width, height) = (layout.width, layout.height)
        let isInterleaved = layout.format == .nv12
        let grain = grain()
        let ripple = (0..<width).map { 18 * sin(Double($0) * 40 / Double(width)) }.map(Int.init)
        withExtendedLifetime(picture) {
            for y in 0..<height {
                let line = picture.samples(at: layout.planes[0].offset + y * layout.planes[0].stride)
                let shade = 60 + 110 * y / height + Int(14 * sin(Double(y) * 25 / Double(height)))
                var noise = (y &* 7_919) & (grain.count - 1)
                for x in 0..<width {
                    noise = (noise + 1) & (grain.count - 1)
                    line[x] = UInt8(clamping: shade + ripple[x] + grain[noise] + shape(x, y, width, height))
                }
            }
            for y in 0..<(height + 1) / 2 {
                for x in 0..<(width + 1) / 2 {
                    let cb = UInt8(clamping: 88 + 80 * x / width + (shape(2 * x, 2 * y, width, height) == 0 ? 0 : 30))
                    let cr = UInt8(clamping: 168 - 90 * y / height - (shape(2 * x, 2 * y, width, height) == 0 ? 0 : 25))
                    for (component, value) in [(1, cb), (2, cr)] {
                        let plane = layout.planes[isInterleaved ? 1 : component]
                        let place =
                            plane.offset + y * plane.stride + (isInterleaved ? 2 * x + component - 1 : x)
                        picture.bytes[place] = value
                    }
                }
            }
        }
    }

    /// Lighter and darker discs on a grid.
    private static func shape(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Int {
        let cell = max(width / 8, 16)
        let (column, row) = (x / cell, y / cell)
        let (dx, dy) = (x % cell - cell / 2, y % cell - cell / 2)
        let radius = cell / 3 - (column + row) % 3 * cell / 16
        guard dx * dx + dy * dy < radius * radius else { return 0 }
        return (column + row) % 2 == 0 ? 45 : -40
    }

    /// Values around zero as a sensor's noise has them, the same in every run.
    private static func grain() -> [Int] {
        var state: UInt32 = 2_463_534_242
        return (0..<1 << 16).map { _ in
            var sum = 0
            for _ in 0..<3 {
                state ^= state << 13
                state ^= state >> 17
                state ^= state << 5
                sum += Int(state % 5)
            }
            return sum - 6
        }
    }
}
