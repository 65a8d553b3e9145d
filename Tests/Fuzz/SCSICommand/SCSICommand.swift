import PinholeTesting

/// What a host says to a disk: packets of any bytes and whole commands, while the medium comes and goes.
enum SCSICommand {
    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        var conversation = DiskConversation(Array(bytes))
        if let fault = conversation.run() { Fuzz.expect(false, fault) }
        return 0
    }
}
