import CFuzzer
import Glibc

/// Gives one reader of foreign bytes to libFuzzer; FUZZ_TARGET names it, so that it holds for libFuzzer's own children.
///
/// A reader may refuse any bytes. It must not trap, leak, or break what its target checks.
@main
enum Fuzz {
    static func main() {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        // What libFuzzer calls has no context, so each target has a function of its own.
        let test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
        switch name {
        case "ConsoleLine": test = { ConsoleLine.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "SocketRequest": test = { SocketRequest.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "ConfigurationFile": test = { ConfigurationFile.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "PhotoFile": test = { PhotoFile.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "PTPPacket": test = { PTPPacket.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "SCSICommand": test = { SCSICommand.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        default:
            fatalError(
                "FUZZ_TARGET must be ConsoleLine, SocketRequest, ConfigurationFile, PhotoFile, PTPPacket or SCSICommand"
            )
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, test))
    }

    /// Stops with a sentence; libFuzzer writes the bytes to a file.
    static func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { fatalError(sentence()) }
    }
}
