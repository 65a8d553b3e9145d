import PTP
import Platform

/// What a camera that stands still says about itself.
package struct FixedDeviceProperties: DeviceProperties {
    package var batteryLevel: Int?
    package var now: WallTime

    /// A camera of 2026-11-30, 10:15:00 in Central Europe, without a battery by default.
    package init(batteryLevel: Int? = nil) {
        self.batteryLevel = batteryLevel
        now = WallTime(unixNanoseconds: 1_796_030_100_000_000_000, offsetSeconds: 3600, isTrusted: true)
    }
}
