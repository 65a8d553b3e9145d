/// What an initiator sends. The first byte says in which form; the only one is a conversation.
enum PTPPacket {
    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard bytes.first == 0 else { return 0 }
        var conversation = PTPConversation(Array(bytes.dropFirst()))
        conversation.run()
        return 0
    }
}
