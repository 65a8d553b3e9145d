/// A photo, as `shoot`, `list`, `show` and `restore` tell it.
package struct PhotoRecord: Codable, Hashable, Sendable {
    /// One file of a photo.
    package struct Resource: Codable, Hashable, Sendable {
        /// What it is: `photo`, `alternate_photo` …
        package var type: String
        /// Path relative to `DCIM/`.
        package var name: String
        /// Size in bytes.
        package var bytes: Int64

        /// A resource from its parts.
        package init(type: String, name: String, bytes: Int64) {
            self.type = type
            self.name = name
            self.bytes = bytes
        }
    }

    /// The asset's identifier.
    package var id: String
    /// DCF number: `100-0001`.
    package var number: String
    /// Path of the photo relative to `DCIM/`.
    package var name: String
    /// Absolute path of the photo.
    package var path: String
    /// Size of all resources in bytes.
    package var bytes: Int64
    /// Width in pixels, as shown.
    package var width: Int
    /// Height in pixels, as shown.
    package var height: Int
    /// When it was captured: RFC 3339 with offset and milliseconds.
    package var captured: String
    /// True when the clock could be believed then.
    package var clockTrusted: Bool
    /// True when marked.
    package var favorite: Bool
    /// Identifier of its burst.
    @Nullable package var burst: String?
    /// Its files.
    package var resources: [Resource]
    /// Exposure midpoint minus button edge (or command time), in microseconds; only known in the run that took it.
    @Nullable package var lagUs: Int64?
    /// From edge to durable, in milliseconds; only known in the run that took it.
    @Nullable package var durableMs: Double?

    /// A photo from its parts.
    package init(
        id: String, number: String, name: String, path: String, bytes: Int64, width: Int, height: Int,
        captured: String, clockTrusted: Bool, favorite: Bool, burst: String? = nil, resources: [Resource],
        lagUs: Int64? = nil, durableMs: Double? = nil
    ) {
        self.id = id
        self.number = number
        self.name = name
        self.path = path
        self.bytes = bytes
        self.width = width
        self.height = height
        self.captured = captured
        self.clockTrusted = clockTrusted
        self.favorite = favorite
        self.burst = burst
        self.resources = resources
        self.lagUs = lagUs
        self.durableMs = durableMs
    }
}
