import Configuration
import Console
import MassStorage
import Offload
import PTP
import SimulatedSensor
import USB

@testable import Camera

/// The doors of the program, as the tests open them.
let programDoors: [any Door] = [USBDoor(functions: [.camera, .disk]), PTPIPDoor()]

extension ConfigurationSchema {
    /// The keys and clients of the program, and of more doors.
    static func doors(_ more: [any Door] = []) -> ConfigurationSchema {
        ConfigurationSchema(doors: programDoors + more, drivers: [SimulatedDriver()])
    }
}
