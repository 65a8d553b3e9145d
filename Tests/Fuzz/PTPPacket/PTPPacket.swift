/// What an initiator sends. The first byte says in which form: a conversation, or the bytes of a PTP/IP connection.
enum PTPPacket {
    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case 0:
            var conversation = PTPConversation(rest)
            conversation.run()
        case 1: PTPIPStream(rest).run()
        default: break
        }
        return 0
    }
}
