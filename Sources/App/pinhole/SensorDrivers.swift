import Camera
import Capture
import Configuration
import Console
import LibcameraSensor
import SimulatedSensor

/// The drivers of sensors. This list is all that names them.
enum SensorDrivers {
    /// In the order in which `auto` tries those with hardware.
    static let all: [any SensorDriver] = [LibcameraDriver(), SimulatedDriver()]

    /// What `--sensor` names.
    struct Selection {
        /// The driver; nil for `auto`.
        let driver: (any SensorDriver)?
        /// What followed its name and a colon.
        let argument: String?

        /// Finds the camera's sensor with the options of a configuration.
        ///
        /// - Parameter hasTerminal: true when a person sits at this terminal, who may be offered a simulated camera.
        /// - Throws: when the argument names nothing that is there.
        /// - Blocking: may read files.
        func finder(_ configuration: CameraConfiguration, hasTerminal: Bool) throws(CommandFailure) -> SensorFinder {
            let drivers = driver.map { [$0] } ?? all.filter { !$0.isSimulated }
            var sources: [any SensorSource] = []
            for driver in drivers {
                do throws(SensorError) {
                    sources.append(try driver.source(configuration.request(of: driver, argument: argument)))
                } catch {
                    guard case .missing(let sentence) = error else { throw CommandFailure(error) }
                    throw CommandFailure(.cameraMissing, sentence)
                }
            }
            let isSimulated = drivers.contains { $0.isSimulated }
            return SensorFinder(
                sources,
                advice: hasTerminal && !isSimulated ? "to try Pinhole without a camera, give --sensor simulated" : nil)
        }
    }
}

extension SensorDrivers {
    /// The driver that a name means; `auto` is any with hardware.
    ///
    /// - Throws: a usage error for a name that no driver has, or an argument that the driver does not take.
    static func driver(_ choice: RunOptions.Sensor) throws(CommandFailure) -> Selection {
        if choice.name == "auto", choice.argument == nil { return Selection(driver: nil, argument: nil) }
        guard let driver = all.first(where: { $0.name == choice.name }) else {
            let names = (["auto"] + all.map(\.name)).joined(separator: ", ")
            throw .usage("run: there is no sensor \"\(TerminalText.escaped(choice.name))\"; give one of \(names).")
        }
        return Selection(driver: driver, argument: choice.argument)
    }
}

extension CameraConfiguration {
    /// What this configuration asks of a driver.
    fileprivate func request(of driver: any SensorDriver, argument: String?) -> SensorRequest {
        guard driver.optionGroup == "simulator" else { return SensorRequest(argument: argument) }
        return SensorRequest(
            argument: argument,
            values: [
                "width": .integer(simulator.width), "height": .integer(simulator.height),
                "frames_per_second": .number(simulator.framesPerSecond), "format": .text(simulator.format.rawValue),
                "frame_log": .text(simulator.frameLog),
            ])
    }
}
