import Camera
import Capture
import Configuration
import Console
import LibcameraSensor
import MassStorage
import Offload
import PTP
import SimulatedSensor
import USB

/// What this program is made of. A new sensor or door is one line here.
enum Lists {
    /// The drivers of sensors, in the order in which `auto` tries those with hardware.
    static let drivers: [any SensorDriver] = [LibcameraDriver(), SimulatedDriver()]

    /// The doors, in the order in which they are opened.
    static let doors: [any Door] = [USBDoor(functions: [.camera, .disk]), PTPIPDoor()]
}

extension ConfigurationSchema {
    /// The keys and clients of this program.
    static let pinhole = ConfigurationSchema(doors: Lists.doors, drivers: Lists.drivers)
}

extension CommandGrammar {
    /// The commands of this program.
    static let pinhole = CommandGrammar(doors: Lists.doors, drivers: Lists.drivers)
}
