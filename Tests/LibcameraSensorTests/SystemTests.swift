import Capture
import Foundation
import Testing

@testable import LibcameraSensor

@Suite("LibcameraSystem")
struct SystemTests {
    @Test("libcamera started and asked a thousand times leaves no descriptor open")
    func descriptors() throws {
        func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let first = try LibcameraSystem().cameras()
        var counts: [Int] = []
        for _ in 0..<1000 {
            let system = try LibcameraSystem()
            #expect(system.cameras() == first)
            counts.append(try open())
        }
        #expect(counts.last == counts.first)
    }
}
