import Glibc
import Panel
import Platform

/// An LED of the kernel's LED class: `/sys/class/leds/NAME` (Documentation/leds/leds-class.rst).
///
/// - Ownership: holds the brightness file open; the LED is dark when the last reference goes.
package final class LEDClassLight: Light {
    private let descriptor: Descriptor
    private let greatest: Int

    /// Takes the LED over from whatever triggered it.
    ///
    /// - Parameter folder: where LEDs are; another one in tests.
    /// - Throws: ENOENT no such LED, EACCES not allowed.
    package init(name: String, folder: String = "/sys/class/leds") throws(SystemError) {
        let led = folder + "/" + name
        greatest = try Self.greatestBrightness(led + "/max_brightness")
        if let trigger = try? Descriptor.open(led + "/trigger", O_WRONLY) { Self.write("none", to: trigger) }
        descriptor = try Descriptor.open(led + "/brightness", O_WRONLY)
    }

    deinit { Self.write("0", to: descriptor) }

    package func set(_ brightness: Double) {
        // Any light at all is seen as light, also where the LED knows only on and off.
        let step = brightness <= 0 ? 0 : max(1, Int((min(brightness, 1) * Double(greatest)).rounded()))
        Self.write(String(step), to: descriptor)
    }

    private static func greatestBrightness(_ path: String) throws(SystemError) -> Int {
        let file = try Descriptor.open(path, O_RDONLY)
        var text = [UInt8](repeating: 0, count: 32)
        let count = try text.withMutableBytes { (bytes) throws(SystemError) in try file.read(into: bytes) }
        return Int(String(decoding: text.prefix(count).prefix { $0 > 32 }, as: UTF8.self)) ?? 1
    }

    private static func write(_ text: String, to descriptor: borrowing Descriptor) {
        let bytes = Array((text + "\n").utf8)
        _ = pwrite(descriptor.raw, bytes, bytes.count, 0)
    }
}
