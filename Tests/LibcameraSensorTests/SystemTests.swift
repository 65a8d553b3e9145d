import Capture
import Foundation
import Testing

@testable import LibcameraSensor

@Suite("LibcameraSystem")
struct SystemTests {
    @Test("libcamera started and asked a thousand times does not leave a descriptor each time")
    func descriptors() throws {
        func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let cameras = try LibcameraSystem().cameras()
        let before = try open()
        for _ in 0..<1000 { #expect(try LibcameraSystem().cameras() == cameras) }
        // Other tests of this process open some as well; what a round leaves is there a thousand times.
        #expect(try open() - before < 900)
    }
}
