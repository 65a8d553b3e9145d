import Capture
import Foundation
import Testing

@testable import LibcameraSensor

@Suite("LibcameraSystem")
struct SystemTests {
    @Test("libcamera started and asked a thousand times leaves no descriptor open")
    func descriptors() throws {
        func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let cameras = try LibcameraSystem().cameras()
        var counts: [Int] = []
        for _ in 0..<1000 {
            let system = try LibcameraSystem()
            #expect(system.cameras() == cameras)
            counts.append(try open())
        }
        // What else this process has closed meanwhile is no leak.
        let (first, last) = (try #require(counts.first), try #require(counts.last))
        #expect(last <= first)
    }
}
