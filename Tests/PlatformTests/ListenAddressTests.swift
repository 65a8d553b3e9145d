import Platform
import Testing

@Suite struct ListenAddressTests {
    @Test(
        "an address and a port are read and written the same",
        arguments: ["127.0.0.1:15740", "[::1]:15740", "0.0.0.0:0", "[fe80::1]:65535"])
    func addresses(text: String) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.description == text)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", ":", "15740", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "localhost:15740",
            "::1:15740",
            "[::1:15740", "[127.0.0.1]:1", "127.0.0.1:+5",
        ])
    func others(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
