import Capture

/// A library that finds cameras.
struct CameraDriver: Sendable {
    /// Its name and version, such as `libcamera v0.4.0`; nil when this program was built without one.
    var name: String?
    /// What it finds, a line for each camera.
    ///
    /// - Blocking: while it looks.
    var list: @Sendable () -> [String]
    /// The first camera; nil when there is none.
    ///
    /// - Blocking: while it looks.
    var first: @Sendable () -> (any Sensor)?

    /// The driver that this program was built with.
    static let installed = CameraDriver(name: nil, list: { [] }, first: { nil })
}
