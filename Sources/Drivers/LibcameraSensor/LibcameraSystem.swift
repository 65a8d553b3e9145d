import CCameraShim
import Capture
import Glibc
import Platform

/// The cameras that libcamera finds, and news of those that come and go.
///
/// A process has one libcamera, which runs while there is a system or a sensor of it.
package final class LibcameraSystem: Sendable {
    /// As many as one board is ever asked about.
    private static let mostCameras = 16

    /// The address of the shim's system as a number, so that the class is checked `Sendable`; any thread may use it.
    private let address: UInt

    /// Starts libcamera unless it runs.
    ///
    /// - Throws: `SensorError.refused` with libcamera's words.
    /// - Blocking: while it looks for cameras.
    package init() throws(SensorError) {
        guard let system = pinhole_camera_begin() else { throw .refused(LibcameraPort.lastError) }
        address = UInt(bitPattern: system)
    }

    deinit { pinhole_camera_end(system) }

    private var system: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// libcamera's version, such as `v0.4.0`.
    package static var version: String { String(cString: pinhole_camera_version()) }

    /// A descriptor that is readable after a camera came or went, until `clearChanges`. It belongs to the system.
    package var changes: Int32 { pinhole_camera_changes(system) }

    /// Makes `changes` wait for the next change.
    package func clearChanges() {
        var count: UInt64 = 0
        _ = read(changes, &count, MemoryLayout.size(ofValue: count))
    }

    /// The cameras there are now.
    ///
    /// - Blocking: some milliseconds for each camera, to query its properties.
    package func cameras() -> [SensorModel] {
        var properties = [pinhole_camera_properties](repeating: pinhole_camera_properties(), count: Self.mostCameras)
        let count = pinhole_camera_list(system, &properties, properties.count)
        return properties.prefix(min(count, properties.count)).compactMap(SensorModel.init)
    }

    /// The sensor of a camera that `cameras` has found. It is not taken from other programs before it is configured.
    ///
    /// - Throws: `SensorError.refused` with libcamera's words.
    package func sensor(of model: SensorModel) throws(SensorError) -> LibcameraSensor {
        LibcameraSensor(model: model, port: try LibcameraPort(identifier: model.identifier))
    }
}

extension SensorModel {
    /// Sensors that expose all rows at once; libcamera does not report this.
    private static let globalShutters: Set<String> = [
        "ar0144", "imx296", "imx297", "ov2311", "ov7251", "ov9281", "ov9282", "ov9782",
    ]

    /// What the shim says; nil for a camera that gives no picture.
    init?(_ properties: pinhole_camera_properties) {
        let model = withUnsafeBytes(of: properties.model) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let identifier = withUnsafeBytes(of: properties.identifier) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            identifier: identifier, model: model, location: properties.location, width: properties.width,
            height: properties.height,
            exposures: (properties.shortest_exposure, properties.longest_exposure),
            gains: (properties.least_gain, properties.greatest_gain), raw: GrantedStream.Raw(properties.raw))
    }

    /// Properties of a camera, checked; nil for one that gives no picture.
    ///
    /// - Parameters:
    ///   - location: 0 front, 1 back, anything else unknown.
    ///   - exposures: shortest and longest in microseconds; zeros when they cannot be set.
    ///   - gains: least and greatest; zeros when they cannot be set.
    init?(
        identifier: String, model: String, location: Int32, width: UInt32, height: UInt32,
        exposures: (shortest: Int64, longest: Int64), gains: (least: Float, greatest: Float), raw: GrantedStream.Raw?
    ) {
        guard GrantedStream.sides.contains(Int(width)), GrantedStream.sides.contains(Int(height)) else { return nil }
        let shortest = min(max(exposures.shortest, 0), 3_600_000_000)
        let longest = min(max(exposures.longest, shortest), 3_600_000_000)
        func isoSpeed(_ gain: Float) -> Int {
            gain.isFinite ? Int((min(max(Double(gain), 0), 100_000) * 100).rounded()) : 0
        }
        let (least, greatest) = (isoSpeed(gains.least), isoSpeed(gains.greatest))
        self.init(
            identifier: identifier, name: model.isEmpty ? identifier : model,
            position: location == 0 ? .front : location == 1 ? .back : .unspecified, width: Int(width),
            height: Int(height), hasGlobalShutter: Self.globalShutters.contains(model),
            exposureTimes: .microseconds(shortest)...(.microseconds(longest)),
            isoSpeeds: least...max(least, greatest), rawLayout: raw?.layout(isAllocated: false))
    }
}
