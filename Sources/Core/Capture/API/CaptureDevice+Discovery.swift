// Finding cameras, and whether they may be used.
extension CaptureDevice {
    /// What a device delivers.
    public struct MediaType: RawRepresentable, Hashable, Sendable {
        /// Apple's four-letter code of the type, such as `vide`.
        public let rawValue: String

        /// A media type by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Pictures, which every camera here delivers.
        public static let video = MediaType(rawValue: "vide")
        /// Sound; there is no microphone.
        public static let audio = MediaType(rawValue: "soun")
    }

    /// How a camera is built. A kind that is not there is not found.
    public struct DeviceType: RawRepresentable, Hashable, Sendable {
        /// Apple's name for the kind, such as `AVCaptureDeviceTypeBuiltInWideAngleCamera`.
        public let rawValue: String

        /// A kind by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// One sensor behind one lens: every camera here.
        public static let builtInWideAngleCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInWideAngleCamera")
        /// A wide and a telephoto camera that work together.
        public static let builtInDualCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInDualCamera")
        /// An ultra-wide and a wide camera that work together.
        public static let builtInDualWideCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInDualWideCamera")
        /// Three cameras that work together.
        public static let builtInTripleCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInTripleCamera")
    }

    /// Whether this program may use devices of a media type.
    public enum AuthorizationStatus: Int, Sendable {
        /// The user has not been asked.
        case notDetermined = 0
        /// It may not, and the user cannot be asked.
        case restricted = 1
        /// The user denied it.
        case denied = 2
        /// The program may use them.
        case authorized = 3
    }

    /// The cameras that fit, as they were when the session was made.
    public final class DiscoverySession: Sendable {
        /// In the order of the kinds asked for.
        public let devices: [CaptureDevice]

        /// Looks for cameras.
        ///
        /// - Parameters:
        ///   - mediaType: nil for any.
        ///   - position: `.unspecified` for any.
        public init(deviceTypes: [DeviceType], mediaType: MediaType?, position: Position) {
            devices = deviceTypes.flatMap { type in
                CaptureDevice.devices.filter { device in
                    device.deviceType == type && mediaType.map { device.hasMediaType($0) } ?? true
                        && (position == .unspecified || device.position == position)
                }
            }
        }
    }

    /// How the camera is built.
    public var deviceType: DeviceType { .builtInWideAngleCamera }

    /// True for `.video`, the only type that cameras here deliver.
    public func hasMediaType(_ mediaType: MediaType) -> Bool { mediaType == .video }

    /// True when there is a flash: none is wired.
    public var hasFlash: Bool { false }

    /// True when a flash would fire now.
    public var isFlashAvailable: Bool { false }

    /// The first connected camera; nil when there is none, or for anything but pictures.
    public static func `default`(for mediaType: MediaType) -> CaptureDevice? {
        devices.first { $0.hasMediaType(mediaType) }
    }

    /// The first connected camera of a kind that looks where asked; nil when there is none.
    ///
    /// - Parameters:
    ///   - mediaType: nil for any.
    ///   - position: `.unspecified` for any.
    public static func `default`(
        _ deviceType: DeviceType, for mediaType: MediaType?, position: Position
    ) -> CaptureDevice? {
        DiscoverySession(deviceTypes: [deviceType], mediaType: mediaType, position: position).devices.first
    }

    /// Whether this program may use such devices. A camera always may use its sensor; sound it cannot have.
    public static func authorizationStatus(for mediaType: MediaType) -> AuthorizationStatus {
        mediaType == .video ? .authorized : .restricted
    }

    /// Asks for the use of such devices. No question is necessary, so the answer comes at once.
    ///
    /// - Parameter completionHandler: called exactly once, before the call returns, with whether the program may.
    public static func requestAccess(
        for mediaType: MediaType, completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        completionHandler(authorizationStatus(for: mediaType) == .authorized)
    }

    /// Asks for the use of such devices.
    ///
    /// - Returns: whether the program may.
    public static func requestAccess(for mediaType: MediaType) async -> Bool {
        authorizationStatus(for: mediaType) == .authorized
    }
}
