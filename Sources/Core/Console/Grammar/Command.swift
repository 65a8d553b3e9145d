import Platform

/// A command with its arguments read and checked.
package enum Command: Hashable, Sendable {
    /// A button of the simulated board.
    package enum Button: String, Hashable, Sendable, CaseIterable {
        /// The shutter button, which takes photos.
        case shutter
        /// The half-press, which is the first stage of the shutter button.
        case focus
    }

    /// What `clock` is to do.
    package enum Clock: Hashable, Sendable {
        /// Show the camera's time and whether it is trusted.
        case show
        /// Set the camera's time.
        case set(TimeArgument)
    }

    /// What `gadget` does with the USB gadget.
    package enum Gadget: String, Hashable, Sendable, CaseIterable {
        /// Create the gadget in the kernel; needs root.
        case up
        /// Remove the gadget from the kernel; needs root.
        case down
    }

    /// What `select` does with photos.
    package enum Selection: String, Hashable, Sendable, CaseIterable {
        /// Put them into what the client sees.
        case add
        /// Remove the photos from what the client sees.
        case remove
    }

    /// Run the camera in this process.
    case run(RunOptions)
    /// Show the camera's status.
    case status
    /// Take photos. The timer is in seconds before the first one.
    case shoot(count: Int, timer: Double)
    /// Move a button of the simulated board: held and bouncing for so many milliseconds.
    case press(Button, holdMilliseconds: Int, bounceMilliseconds: Int)
    /// List photos, newest first.
    case list(filter: PhotoFilter?, limit: Int?)
    /// Show all details of a photo.
    case show(PhotoReference)
    /// Move photos to the trash.
    case delete([PhotoReference])
    /// Move photos back from the trash.
    case restore([PhotoReference])
    /// List the trash, or empty it.
    case trash(empty: Bool)
    /// Mark a photo as favorite, or take the mark away.
    case favorite(PhotoReference, on: Bool)
    /// List the clients and their access.
    case clients
    /// Allow a client's request, or set its access.
    case allow(client: String, ClientLevel?)
    /// Deny a client access, or answer its prompt with no.
    case deny(client: String)
    /// Make a client undecided again.
    case revoke(client: String)
    /// Change what a limited client sees.
    case select(client: String, Selection, [PhotoReference])
    /// Pick photos from a list; a limit of 0 is as many as the system allows.
    case pick(filter: PhotoFilter?, limit: Int, ordered: Bool)
    /// A command that a door adds.
    case door(DoorCommand)
    /// Show one setting, or all settings.
    case get(key: String?)
    /// Change one setting of the running camera and store it.
    case set(key: String, value: String)
    /// Return one setting, or all, to what the configuration says.
    case reset(key: String?)
    /// Show or set the clock.
    case clock(Clock)
    /// Show the log; on and on when following.
    case log(follow: Bool)
    /// Show events; on and on when following.
    case events(follow: Bool)
    /// Compare every photo's file with its checksum in the catalog.
    case verify
    /// Check the machine for what the camera needs.
    case doctor
    /// Set the USB gadget up, or take it away; for root.
    case gadget(Gadget)
    /// Check a configuration file.
    case checkConfiguration(file: String)
    /// Show the version of this program.
    case version
    /// Show the commands, or the help of one command.
    case help(topic: String?)
    /// End a console's session.
    case exit

    /// True while the command runs until it is canceled.
    package var follows: Bool {
        switch self {
        case .log(let follow), .events(let follow): follow
        default: false
        }
    }
}

/// A command that a door adds, with the words and options that its entry takes. The door carries it out.
package struct DoorCommand: Hashable, Sendable {
    /// The name of the door's command, as it is typed.
    package var name: String
    /// The words after its name.
    package var words: [String]
    /// The values of each option that was given, by its name with dashes; empty texts for an option without value.
    package var options: [String: [String]]

    /// A command of a door, with its words and the values of its options.
    package init(_ name: String, words: [String] = [], options: [String: [String]] = [:]) {
        self.name = name
        self.words = words
        self.options = options
    }
}

/// How `pinhole run` is to run.
package struct RunOptions: Hashable, Sendable {
    /// Where frames come from: a driver that the executable knows by its name.
    package struct Sensor: Hashable, Sendable {
        /// The driver's name; `auto` for the first camera that is found.
        package var name: String
        /// What stands behind the colon; nil for nothing.
        package var argument: String?

        /// A sensor as `--sensor` names it: the driver, and the text after the colon.
        package init(_ name: String, argument: String? = nil) {
            self.name = name
            self.argument = argument
        }

        /// The first camera that is found.
        package static let auto = Sensor("auto")
    }

    /// A setting for this run.
    package struct Setting: Hashable, Sendable {
        /// The key as it was typed, such as `photo.quality`.
        package var key: String
        /// What was typed for its value.
        package var value: String

        /// A setting that was given as `--set KEY=VALUE`.
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
    /// The board whose configuration is used; nil means `simulated` with a simulated sensor, otherwise `generic`.
    package var board: String?
    /// The driver that the command line selects.
    package var sensor: Sensor
    /// The console; nil: none.
    package var console: ConsoleChoice?
    /// Press the shutter once when the camera is ready.
    package var pressAtStart: Bool
    /// Settings for this run, in the order in which they were given. They are not checked yet.
    package var settings: [Setting]

    /// The options of `run`; nil stands for an option that was not given.
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
