import Foundation
import PinholeTesting
import Platform
import Testing

@Suite("Whole conversations with the disk")
struct DiskConversationTests {
    @Test("whatever a host sends, it gets what it asks for and nothing else", arguments: 1...20)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let bytes = (0..<Int.random(in: 0...600, using: &random)).map { _ -> UInt8 in
                // Packets of any bytes seldom are commands.
                Int.random(in: 0..<4, using: &random) == 0
                    ? UInt8.random(in: 0xf0...0xff, using: &random) : UInt8.random(in: 0...255, using: &random)
            }
            var conversation = DiskConversation(bytes)
            let fault = conversation.run()
            #expect(fault == nil, "\(bytes)")
        }
    }
}
