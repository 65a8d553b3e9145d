import Capture
import Configuration
import Console
import Offload

// What the lists of doors and of drivers add to the configuration and to the commands.

extension ConfigurationSchema {
    /// The keys of the camera, of these doors and of these drivers, and the doors' clients.
    package init(doors: [any Door], drivers: [any SensorDriver]) {
        self.init(adding: doors.flatMap(\.keys) + drivers.flatMap(\.keys), clients: doors.flatMap(\.clients))
    }
}

extension CommandGrammar {
    /// The commands of the camera and of these doors; `--sensor` takes these drivers.
    package init(doors: [any Door], drivers: [any SensorDriver]) {
        var additions = Additions()
        for door in doors.map(\.additions) {
            additions.entries += door.entries
            additions.runOptions += door.runOptions
            additions.statusRows += door.statusRows
        }
        for driver in drivers {
            additions.sensors.append(SensorForm(driver.name, driver.summary))
            if let argument = driver.argument {
                additions.sensors.append(
                    SensorForm(driver.name, argument: argument.placeholder, argument.summary))
            }
        }
        self.init(adding: additions)
    }
}

extension SensorDriver {
    /// Its options as keys of the configuration.
    package var keys: [ConfigurationKey] {
        options.map { option in
            let path = optionGroup + "." + option.name
            return switch option.kind {
            case .integer(let range, let value, let unit):
                ConfigurationKey(
                    path, .integer(range, zero: nil), default: .integer(value), unit: unit, option.summary)
            case .number(let range, let value):
                ConfigurationKey(path, .number(range), default: .number(value), option.summary)
            case .choice(let words, let word):
                ConfigurationKey(path, .choice(words), default: .text(word), option.summary)
            case .text(let limit, let text):
                ConfigurationKey(path, .text(limit: limit), default: .text(text), option.summary)
            }
        }
    }

    /// What a configuration asks of it.
    package func request(_ configuration: CameraConfiguration, argument: String?) -> SensorRequest {
        var values: [String: SensorRequest.Value] = [:]
        for (option, key) in zip(options, keys) {
            switch key.value(in: configuration) {
            case .integer(let value): values[option.name] = .integer(value)
            case .number(let value): values[option.name] = .number(value)
            case .text(let value): values[option.name] = .text(value)
            case .flag, .none: break
            }
        }
        return SensorRequest(argument: argument, values: values)
    }
}
