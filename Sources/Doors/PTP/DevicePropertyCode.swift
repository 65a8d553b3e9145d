/// What an initiator can read about the camera (PTP, ISO 15740, clause 13; MTP 1.1, appendix C).
package enum DevicePropertyCode: UInt16, CaseIterable, Sendable {
    /// How full the battery is, in percent.
    case batteryLevel = 0x5001
    /// The camera's clock.
    case dateTime = 0x5011
    /// What its owner calls it.
    case deviceFriendlyName = 0xd402
    /// What kind of device it is, for an icon.
    case perceivedDeviceType = 0xd407
}
