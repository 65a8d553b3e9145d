@testable import Configuration

extension ConfigurationSchema {
    /// The core keys with some of a door, of each kind that doors use.
    static let withDoor = ConfigurationSchema(
        adding: [.doorMode, .doorAddress, .doorShare, .doorLimit, .doorRate], clients: [doorClient])

    private static var doorClient: ConfiguredClient {
        var client = ConfiguredClient()
        client.name = "usb"
        client.purpose = "copies photos to a computer"
        client.onHold = .full
        return client
    }
}

extension ConfigurationKey {
    static let doorMode = ConfigurationKey(
        "door.mode", .choice(["on", "mass-storage", "off"]), default: .text("on"), "What the door shows.")
    static let doorAddress = ConfigurationKey(
        "door.address", .listenAddress, default: .text(""), settable: true, "Where the door listens.")
    static let doorShare = ConfigurationKey("door.share", .flag, default: .flag(false), "Whether the door is open.")
    static let doorLimit = ConfigurationKey(
        "door.limit", .integer(1...9, zero: nil), default: nil, example: .integer(3), "How many come in.")
    static let doorRate = ConfigurationKey(
        "door.rate", .number(0...1), default: .number(0.5), unit: "s", "How fast they come in.")
}
