import Foundation
import Panel
import Platform
import Testing

@Suite("A line that cannot be used")
struct MissingLineTests {
    @Test("the sentence says what keeps a line or a light away, and what to do")
    func sentences() throws {
        func sentence(_ code: Int32, path: String = "/dev/gpiochip0:3", chips: [String] = ["/dev/gpiochip0"]) -> String
        {
            MissingLine.sentence(
                "light", SystemError(code: code, operation: "drive the GPIO line", path: path), chips: chips)
        }
        #expect(sentence(EBUSY).contains("another program"))
        #expect(sentence(ENOENT, chips: []).contains("no GPIO chip"))
        #expect(sentence(ENOENT, path: "/dev/gpiochip7:3").contains("there is no /dev/gpiochip7, only /dev/gpiochip0"))
        #expect(sentence(EINVAL).contains("gpioinfo"))
        #expect(sentence(ENOENT, path: "GPIO17").contains("gpioinfo"))
        #expect(sentence(EACCES, chips: []).contains("/dev/gpiochip0"))
        #expect(sentence(ENOENT, path: "/sys/class/leds/ACT/brightness").contains("ls /sys/class/leds"))
        #expect(sentence(EROFS, path: "/sys/class/leds/ACT/brightness").contains("ReadWritePaths"))
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: URL(fileURLWithPath: "/tmp"),
            create: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let chip = folder.appendingPathComponent("gpiochip0").path
        try Data().write(to: URL(fileURLWithPath: chip))
        chmod(chip, 0o060)
        #expect(sentence(EACCES, path: "GPIO17", chips: [chip]).contains("\(chip): "))
    }
}
