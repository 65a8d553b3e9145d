import Glibc
import Platform

/// Explains to a person why the line of a button or light cannot be opened.
package enum MissingLine {
    /// A sentence that says what does not work and what to do.
    ///
    /// - Parameters:
    ///   - what: the button or light on the line.
    ///   - chips: the paths of the GPIO chips of this machine.
    /// - Blocking: reads device files.
    package static func sentence(_ what: String, _ error: SystemError, chips: [String] = chips) -> String {
        let path = error.path ?? ""
        let advice = path.hasPrefix("/sys/") ? advice(light: path, error) : advice(line: path, error, chips)
        return "the \(what) does not work: \(error); \(advice)"
    }

    private static func advice(light path: String, _ error: SystemError) -> String {
        switch error.code {
        case EACCES, EPERM: DeviceAccess(path: path).advice
        case ENOENT: "there is no such light; `ls /sys/class/leds` lists them, and led.name names one"
        case EROFS: "the service may not write there; `readlink -f` its folder and add that to ReadWritePaths"
        default: "look whether its driver is loaded"
        }
    }

    private static func advice(line path: String, _ error: SystemError, _ chips: [String]) -> String {
        // The path is a place (`/dev/gpiochip0:17`) or a line's name, which may be on any chip.
        let chip = path.hasPrefix("/dev/") ? String(path.prefix { $0 != ":" }) : nil
        switch error.code {
        case EACCES, EPERM:
            let closed = chip ?? chips.first { access($0, R_OK | W_OK) != 0 } ?? chips.first ?? "/dev/gpiochip0"
            return "\(closed): \(DeviceAccess(path: closed).advice)"
        case EBUSY: return "another program or driver has it; `gpioinfo` says which"
        case _ where chips.isEmpty:
            return
                "there is no GPIO chip on this machine; look whether its driver is loaded and its overlay in config.txt"
        case _ where chip.map { !chips.contains($0) } ?? false:
            return
                "there is no \(chip ?? path), only \(chips.joined(separator: " and ")); correct the line in the board's"
                + " file or the configuration, or look whether the chip's overlay is in config.txt"
        case ENOENT, EINVAL:
            return "there is no such line; `gpioinfo` lists them, and the board's file or the configuration names it"
        default: return "check its wiring"
        }
    }

    /// The paths of the GPIO chips that the kernel shows.
    ///
    /// - Blocking: reads the folder of devices.
    package static var chips: [String] {
        DeviceFolder.names(in: "/dev") { $0.hasPrefix("gpiochip") }.map { "/dev/" + $0 }
    }
}
