import Camera
import Capture
import Configuration
import Console

/// The sensor driver that `--sensor` selects, with its argument.
struct SensorSelection {
    /// The driver; nil for `auto`.
    let driver: (any SensorDriver)?
    /// What followed its name and a colon.
    let argument: String?

    /// Looks the name up in the list of drivers.
    ///
    /// - Throws: a usage error for a name that is not there.
    init(_ option: RunOptions.Sensor) throws(CommandFailure) {
        argument = option.argument
        driver = Lists.drivers.first { $0.name == option.name }
        guard driver == nil, option.name != RunOptions.Sensor.auto.name else { return }
        throw .usage("run: there is no sensor \"\(TerminalText.escaped(option.name))\"; `help run` lists them.")
    }

    /// True for a sensor without hardware.
    var isSimulated: Bool { driver?.isSimulated == true }

    /// Finds the camera's sensor with the options of a configuration.
    ///
    /// - Parameter hasTerminal: true when a person sits at this terminal, who may be offered a simulated camera.
    /// - Throws: when the argument names nothing that is there.
    /// - Blocking: may read files.
    func finder(_ configuration: CameraConfiguration, hasTerminal: Bool) throws(CommandFailure) -> SensorFinder {
        let drivers = driver.map { [$0] } ?? Lists.drivers.filter { !$0.isSimulated }
        var sources: [any SensorSource] = []
        for driver in drivers {
            do throws(SensorError) {
                sources.append(try driver.source(driver.request(configuration, argument: argument)))
            } catch {
                guard case .missing(let sentence) = error else { throw CommandFailure(error) }
                throw CommandFailure(.cameraMissing, sentence)
            }
        }
        return SensorFinder(
            sources,
            advice: hasTerminal && !isSimulated ? "to try Pinhole without a camera, use --sensor simulated" : nil)
    }
}
