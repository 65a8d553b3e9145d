import Platform

/// A kind of sensor: a library that finds cameras, or one without hardware.
///
/// `--sensor NAME[:ARGUMENT]` names a driver. A new kind is one target that has a driver, and one line in the program's
/// list of drivers.
package protocol SensorDriver: Sendable {
    /// The word that names it: lower-case letters.
    var name: String { get }
    /// One phrase for the help of `--sensor`.
    var summary: String { get }
    /// What may follow the name and a colon; nil when nothing may.
    var argument: SensorArgument? { get }
    /// True for a sensor without hardware, which `auto` never chooses.
    var isSimulated: Bool { get }
    /// The group of the configuration that holds its options.
    var optionGroup: String { get }
    /// Its options, each a key of that group.
    var options: [SensorOption] { get }
    /// Checks the request and makes the source of its sensors.
    ///
    /// - Throws: `SensorError.missing` with a sentence when the argument names nothing that is there.
    /// - Blocking: may read files.
    func source(_ request: SensorRequest) throws(SensorError) -> any SensorSource
}

extension SensorDriver {
    package var argument: SensorArgument? { nil }
    package var isSimulated: Bool { false }
    package var optionGroup: String { name }
    package var options: [SensorOption] { [] }
}

/// What may follow the name of a driver.
package struct SensorArgument: Hashable, Sendable {
    /// Stands for it in the usage: `DIR`.
    package let placeholder: String
    /// One phrase for the help.
    package let summary: String

    /// An argument with its placeholder in the usage, such as `DIR`, and its sentence in the help.
    package init(_ placeholder: String, _ summary: String) {
        self.placeholder = placeholder
        self.summary = summary
    }
}

/// An option of a driver: a key of its group in the configuration.
package struct SensorOption: Hashable, Sendable {
    /// What values it takes, and its default.
    package enum Kind: Hashable, Sendable {
        /// A whole number, with the unit that documents name.
        case integer(ClosedRange<Int>, default: Int, unit: String?)
        /// A number in the range, which may have a fraction.
        case number(ClosedRange<Double>, default: Double)
        /// One of these words.
        case choice([String], default: String)
        /// A text of at most so many bytes.
        case text(limit: Int, default: String)
    }

    /// The key's last part: `width` of `simulator.width`.
    package let name: String
    /// What values it takes.
    package let kind: Kind
    /// One sentence for the documents.
    package let summary: String

    /// An option; its configuration key is the driver's group, a dot and this name.
    package init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }
}

/// What the owner asks of a driver: the argument of `--sensor`, and the options in force.
package struct SensorRequest: Hashable, Sendable {
    /// The value of an option.
    package enum Value: Hashable, Sendable {
        case integer(Int)
        case number(Double)
        case text(String)
    }

    /// What followed the driver's name; nil for nothing.
    package var argument: String?
    /// Values by the option's name; each of its option's kind.
    package var values: [String: Value]

    /// A request with the argument after the driver's name, and a value for each option.
    package init(argument: String? = nil, values: [String: Value] = [:]) {
        self.argument = argument
        self.values = values
    }

    /// The whole number of an option, if it is set.
    package func integer(_ name: String) -> Int? { if case .integer(let value)? = values[name] { value } else { nil } }
    /// The number of an option, if it is set.
    package func number(_ name: String) -> Double? {
        if case .number(let value)? = values[name] { value } else { nil }
    }
    /// The text or word of an option, if it is set and not empty.
    package func text(_ name: String) -> String? {
        if case .text(let value)? = values[name], !value.isEmpty { value } else { nil }
    }
}

/// A driver at work: finds sensors, now and again, and opens them.
package protocol SensorSource: Sendable {
    /// Name and version of what finds them: `libcamera v0.4.0`.
    var version: String { get }
    /// Why there is no sensor, and what to do: one sentence without its full stop.
    var absence: String { get }
    /// The sensors that are there now.
    ///
    /// - Throws: `SensorError` with the library's words.
    /// - Blocking: while it looks.
    func find() throws(SensorError) -> [SensorModel]
    /// The sensor that `find` has described.
    ///
    /// - Blocking: while the driver opens it.
    func open(_ model: SensorModel) throws(SensorError) -> any Sensor
    /// Reports sensors that come and go, as soon as the driver runs. Called once.
    ///
    /// - Isolation: `changed` is called on the loop.
    func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void)
}
