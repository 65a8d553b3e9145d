import Platform

/// What the camera says about its own state.
///
/// - Isolation: any thread.
/// - Blocking: never.
package protocol DeviceProperties: Sendable {
    /// How full the battery is, in percent; nil without one: then there is no such property.
    var batteryLevel: Int? { get }
    /// The camera's date and time.
    var now: WallTime { get }
}
