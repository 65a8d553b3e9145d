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
        case ENOENT: "there is no such light; `ls /sys/class/leds` lists the lights; set led.name to one of them"
        case EROFS: "the service cannot write there; add the folder that `readlink -f` prints to ReadWritePaths"
        default: "check that its driver is loaded"
        }
    }

    private static func advice(line path: String, _ error: SystemError, _ chips: [String]) -> String {
        // The path is a place (`/dev/gpiochip0:17`) or a line's name, which may be on any chip.
        let chip = path.hasPrefix("/dev/") ? String(path.prefix { $0 != ":" }) : nil
        switch error.code {
        case EACCES, EPERM:
            let closed = chip ?? chips.first { access($0, R_OK | W_OK) != 0 } ?? chips.first ?? "/dev/gpiochip0"
            return "\(closed): \(DeviceAccess(path: closed).advice)"
        case EBUSY: return "another program or driver uses it; `gpioinfo` shows which"
        case _ where chips.isEmpty:
            return
                "there is no GPIO chip on this machine; check that its driver is loaded and config.txt has its overlay"
        case _ where chip.map { !chips.contains($0) } ?? false:
            return
                "there is no \(chip ?? path), only \(chips.joined(separator: " and ")); correct the line in the board's"
                + " file or the configuration, or add the chip's overlay to config.txt"
        case ENOENT, EINVAL:
            return
                "there is no such line; `gpioinfo` lists the lines; correct it in the board's file or the configuration"
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
