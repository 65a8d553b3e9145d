import PinholeTesting

/// What an initiator sends. The first byte says in which form: a conversation, the bytes of a PTP/IP connection, or the
/// packets of a USB host.
enum PTPPacket {
    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case 0:
            var conversation = PTPConversation(rest)
            conversation.run()
        case 1: PTPIPStream(rest).run()
        case 2:
            var conversation = USBConversation(rest)
            let (open, trespasses) = conversation.run()
            Fuzz.expect(open == 0, "\(open) files were left open")
            Fuzz.expect(trespasses == 0, "the store was asked for what the client may not do")
        default: break
        }
        return 0
    }
}
