import Platform

/// The exposure of one frame of a bracket.
package enum BracketExposure: Hashable, Sendable {
    /// Automatic exposure, made brighter or darker by so many EV.
    case bias(Double)
    /// Exposure time and ISO speed set by hand.
    case manual(duration: Duration, iso: Int)

    /// What to ask of a sensor that is otherwise set to `controls`.
    func applied(to controls: SensorControls) -> SensorControls {
        var controls = controls
        switch self {
        case .bias(let bias):
            controls.exposureTime = nil
            controls.isoSpeed = nil
            controls.exposureBias = bias
        case .manual(let duration, let iso):
            controls.exposureTime = duration
            controls.isoSpeed = iso
        }
        return controls
    }

    /// True for a frame whose metadata shows this exposure.
    ///
    /// A sensor exposes for whole rows and amplifies in steps, so hand-set values may be a twentieth off.
    func isShown(by metadata: FrameMetadata) -> Bool {
        switch self {
        case .bias(let bias):
            return !metadata.isManualExposure && abs(metadata.exposureBias - bias) < 0.01
        case .manual(let duration, let iso):
            let difference = metadata.exposureTime - duration
            return metadata.isManualExposure
                && max(difference, .zero - difference) <= max(duration / 20, .microseconds(30))
                && abs(Double(metadata.isoSpeed - iso)) <= Double(iso) / 20
        }
    }
}
