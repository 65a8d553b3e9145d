import Platform

/// How `pinhole run` is to run.
package struct RunOptions: Hashable, Sendable {
    /// Where frames come from.
    package enum Sensor: Hashable, Sendable {
        /// The first camera that is found.
        case auto
        /// The first camera that libcamera finds.
        case libcamera
        /// A test picture with the frame's number and time in it.
        case simulated
        /// The photographs in a directory, in turn.
        case replay(directory: String)
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
    /// Where PTP/IP is spoken; nil: as the configuration says.
    package var ptpip: ListenAddress?

    /// Options from their parts.
    package init(
        configuration: String? = nil, board: String? = nil, sensor: Sensor = .auto, console: ConsoleChoice? = nil,
        pressAtStart: Bool = false, ptpip: ListenAddress? = nil
    ) {
        self.configuration = configuration
        self.board = board
        self.sensor = sensor
        self.console = console
        self.pressAtStart = pressAtStart
        self.ptpip = ptpip
    }
}
