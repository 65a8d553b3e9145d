import Foundation
import Imaging
import Platform

/// A picture that stands for a photograph: soft shapes in strong colors, drawn from a formula, so that it can be
/// computed again at any size.
struct DrawnPhotograph {
    let width: Int
    let height: Int
    let hue: Double

    /// Luma and chroma at a place from 0 to 1, as JPEG has them.
    private func sample(_ x: Double, _ y: Double) -> (Double, Double, Double) {
        let luma = 128 + 60 * sin(6 * x + hue) * cos(5 * y) + 40 * x - 20 * y
        let blue = 128 + 60 * cos(4 * x + 2 * hue) * sin(3 * y + 1)
        let red = 128 + 60 * sin(3 * x * y + hue + 1)
        return (luma, blue, red)
    }

    /// The picture as a JPEG file.
    func jpeg() throws -> Data {
        let layout = PictureLayout(packed: .yuv420, width: width, height: height)
        var bytes = [UInt8](repeating: 0, count: layout.byteCount)
        for (index, plane) in layout.planes.enumerated() {
            for row in 0..<plane.rows {
                for column in 0..<plane.rowBytes {
                    let (luma, blue, red) = sample(
                        (Double(column) + 0.5) / Double(plane.rowBytes), (Double(row) + 0.5) / Double(plane.rows))
                    let value = [luma, blue, red][index]
                    bytes[plane.offset + row * plane.stride + column] = UInt8(min(255, max(0, value.rounded())))
                }
            }
        }
        let metadata = PhotoMetadata(
            make: "Test", model: "Drawn", software: "test",
            captureTime: WallTime(unixNanoseconds: 1_796_030_100_000_000_000, offsetSeconds: 0, isTrusted: true))
        return try bytes.withUnsafeBytes { bytes in
            try PhotoEncoder().encode(
                Picture(layout: layout, bytes: bytes), metadata: metadata, quality: 95, thumbnail: false
            ).data
        }
    }

    /// How alike a photo is to this picture shown fitted and centered.
    struct Likeness {
        /// Peak signal to noise of the luma, in decibels.
        var signalToNoise: Double
        /// The greatest difference between the means of a channel.
        var greatestMeanDifference: Double
    }

    /// Compares with a photo that was decoded small; the numbered strip at the bottom is left out.
    func likeness(in photo: DecodedPicture) -> Likeness {
        let scale = min(Double(photo.width) / Double(width), Double(photo.height) / Double(height))
        let (shownWidth, shownHeight) = (Double(width) * scale, Double(height) * scale)
        let left = (Double(photo.width) - shownWidth) / 2
        let top = (Double(photo.height) - shownHeight) / 2
        var squares = 0.0
        var means: [Double] = []
        photo.withUnsafeBytes { bytes in
            for (index, plane) in photo.planes.enumerated() {
                let (across, down) = (
                    Double(plane.width) / Double(photo.width), Double(plane.height) / Double(photo.height)
                )
                var (count, sum, expectedSum, squareSum) = (0.0, 0.0, 0.0, 0.0)
                for row in 0..<(plane.height - plane.height * 40 / 3040) {
                    for column in 0..<plane.width {
                        let x = ((Double(column) + 0.5) / across - left) / shownWidth
                        let y = ((Double(row) + 0.5) / down - top) / shownHeight
                        // The outermost samples are mixed with the black around the picture.
                        guard x > 0.01, x < 0.99, y > 0.01, y < 0.99 else { continue }
                        let (luma, blue, red) = sample(x, y)
                        let expected = min(255, max(0, [luma, blue, red][index]))
                        let found = Double(bytes[plane.offset + row * plane.stride + column])
                        count += 1
                        sum += found
                        expectedSum += expected
                        squareSum += (found - expected) * (found - expected)
                    }
                }
                means.append(abs(sum - expectedSum) / count)
                if index == 0 { squares = squareSum / count }
            }
        }
        return Likeness(
            signalToNoise: 10 * log10(255 * 255 / max(squares, 1e-9)), greatestMeanDifference: means.max() ?? .infinity)
    }
}
