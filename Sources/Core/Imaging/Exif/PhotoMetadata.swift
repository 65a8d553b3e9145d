import Platform

/// What a photo's Exif says, in units a photographer would use. `nil` means not known, and the tag is left out.
public struct PhotoMetadata: Hashable, Sendable {
    /// Who built the camera (Exif Make).
    public var make: String
    /// A person's name for the camera (Exif Model), never a device path.
    public var model: String
    /// Program and version (Exif Software).
    public var software: String
    /// The Exif orientation value 1…8 (TIFF 6.0 Orientation).
    public var orientation: Int = 1
    /// Moment of exposure (Exif DateTimeOriginal), with its zone offset and fraction of a second.
    public var captureTime: WallTime
    /// The asset's identifier: 32 hexadecimal digits (Exif ImageUniqueID).
    public var imageUniqueID: String?
    /// Exposure time in seconds.
    public var exposureTime: Double?
    /// ISO speed (Exif PhotographicSensitivity and ISOSpeed); written only when positive.
    public var isoSpeed: Int?
    /// Exposure compensation in EV.
    public var exposureBias: Double?
    /// True when exposure was set by hand (ExposureMode, ExposureProgram).
    public var isManualExposure = false
    /// True when white balance was set by hand.
    public var isManualWhiteBalance = false
    /// Exif MeteringMode: 1 average, 2 center-weighted, 3 spot, 5 pattern.
    public var meteringMode = 5
    /// Distance to the subject in meters; infinity is allowed.
    public var subjectDistance: Double?
    /// Digital zoom, 1 for none.
    public var digitalZoomRatio: Double = 1
    /// The lens, where the board knows it.
    public var lens: Lens?
    /// Serial number of the camera's body.
    public var bodySerialNumber: String?
    /// Free text of the owner (Exif ImageDescription).
    public var imageDescription: String?
    /// The owner's name (Exif Artist).
    public var artist: String?
    /// Copyright notice (Exif Copyright).
    public var copyright: String?
    /// Where the photo was taken.
    public var position: Position?

    /// The properties of a fixed lens, written into each photo.
    public struct Lens: Hashable, Sendable {
        /// A person's name for the lens (Exif LensModel).
        public var model: String?
        /// F-number of the aperture (Exif FNumber).
        public var fNumber: Double?
        /// Focal length in millimeters.
        public var focalLength: Double?
        /// The same in 35 mm film terms, millimeters.
        public var focalLengthIn35mm: Int?

        /// A lens from what is known of it.
        public init(model: String?, fNumber: Double?, focalLength: Double?, focalLengthIn35mm: Int?) {
            self.model = model
            self.fNumber = fNumber
            self.focalLength = focalLength
            self.focalLengthIn35mm = focalLengthIn35mm
        }
    }

    /// A place on WGS 84.
    public struct Position: Hashable, Sendable {
        /// Degrees, north positive, −90…90.
        public var latitude: Double
        /// Degrees, east positive, −180…180.
        public var longitude: Double
        /// Meters above sea level.
        public var altitude: Double?

        /// A place from its coordinates.
        public init(latitude: Double, longitude: Double, altitude: Double?) {
            self.latitude = latitude
            self.longitude = longitude
            self.altitude = altitude
        }
    }

    /// Metadata with the tags every photo has; the others are set afterwards.
    public init(make: String, model: String, software: String, captureTime: WallTime) {
        self.make = make
        self.model = model
        self.software = software
        self.captureTime = captureTime
    }
}
