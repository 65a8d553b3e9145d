/// How `pinhole run` is to run.
package struct RunOptions: Hashable, Sendable {
    /// Where frames come from: a driver that the executable knows by its name.
    package struct Sensor: Hashable, Sendable {
        /// The driver's name; `auto` for the first camera that is found.
        package var name: String
        /// What stands behind the colon; nil for nothing.
        package var argument: String?

        /// A sensor from its parts.
        package init(_ name: String, argument: String? = nil) {
            self.name = name
            self.argument = argument
        }

        /// The first camera that is found.
        package static let auto = Sensor("auto")
    }

    /// A setting for this run.
    package struct Setting: Hashable, Sendable {
        /// Its key.
        package var key: String
        /// What was typed for its value.
        package var value: String

        /// A setting from its parts.
        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// Which console the camera opens itself.
    package enum ConsoleChoice: Hashable, Sendable {
        /// This terminal or pipe.
        case stdio
        /// None; the control socket is always there.
        case none
        /// A terminal device, such as a serial line.
        case terminal(path: String)
    }

    /// Configuration file; nil: the usual place.
    package var configuration: String?
    /// The board whose facts are used; nil: `simulated` with a simulated sensor, else `generic`.
    package var board: String?
    /// The sensor.
    package var sensor: Sensor
    /// The console; nil: none.
    package var console: ConsoleChoice?
    /// Press the shutter once when the camera is ready.
    package var pressAtStart: Bool
    /// Settings for this run, in the order in which they were given. They are not checked yet.
    package var settings: [Setting]

    /// Options from their parts.
    package init(
        configuration: String? = nil, board: String? = nil, sensor: Sensor = .auto, console: ConsoleChoice? = nil,
        pressAtStart: Bool = false, settings: [Setting] = []
    ) {
        self.configuration = configuration
        self.board = board
        self.sensor = sensor
        self.console = console
        self.pressAtStart = pressAtStart
        self.settings = settings
    }
}
