import Capture
import Imaging
import Platform

/// The simulated sensor: a test scene, or the photographs of a folder in turn.
package struct SimulatedDriver: SensorDriver {
    package let name = "simulated"
    package let summary = "a test picture"
    package let argument: SensorArgument? = SensorArgument("DIR", "the photos in a directory, one after another")
    package let isSimulated = true
    package let optionGroup = "simulator"

    /// A driver of the simulated sensor.
    package init() {}

    package var options: [SensorOption] {
        let usual = SimulatedSensorOptions()
        return [
            SensorOption(
                "width", .integer(160...8192, default: usual.width, unit: "pixels"), "Width of simulated frames."),
            SensorOption(
                "height", .integer(120...8192, default: usual.height, unit: "pixels"), "Height of simulated frames."),
            SensorOption(
                "frames_per_second", .number(0.1...240, default: usual.framesPerSecond),
                "Frame rate of the simulated sensor."),
            SensorOption(
                "format", .choice(PictureLayout.Format.words, default: PictureLayout.Format.yuv420.word),
                "Pixel format of simulated frames."),
            SensorOption(
                "frame_log", .text(limit: 1024, default: ""),
                "Write the timestamp of every simulated frame to this file, if set."),
        ]
    }

    package func source(_ request: SensorRequest) throws(SensorError) -> any SensorSource {
        var options = SimulatedSensorOptions()
        options.width = request.integer("width") ?? options.width
        options.height = request.integer("height") ?? options.height
        options.framesPerSecond = request.number("frames_per_second") ?? options.framesPerSecond
        options.format = request.text("format").flatMap(PictureLayout.Format.init(word:)) ?? options.format
        options.frameLog = request.text("frame_log")
        if let folder = request.argument {
            do throws(ReplayError) {
                try ReplayFolder.check(path: folder)
            } catch {
                throw .missing(error.sentence)
            }
            options.photographs = folder
        }
        return SimulatedSource(SimulatedSensor(options: options))
    }
}

/// One simulated sensor, which is always there.
package struct SimulatedSource: SensorSource {
    package let version = "simulated"
    package let absence = "the simulated camera is unplugged"
    private let sensor: SimulatedSensor

    /// A source of this sensor alone.
    package init(_ sensor: SimulatedSensor) {
        self.sensor = sensor
    }

    package func find() -> [SensorModel] { [sensor.model] }

    package func open(_ model: SensorModel) -> any Sensor { sensor }

    package func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {}
}

extension PictureLayout.Format {
    /// The words of `simulator.format`.
    fileprivate static let words = ["yuv420", "nv12"]

    /// The format by its word.
    fileprivate init?(word: String) {
        switch word {
        case "yuv420": self = .yuv420
        case "nv12": self = .nv12
        default: return nil
        }
    }

    fileprivate var word: String { self == .nv12 ? "nv12" : "yuv420" }
}
