/// The record of a photo: `shoot`, `list`, `show`, `pick`, `favorite` and `restore` send it.
package struct PhotoRecord: Codable, Hashable, Sendable {
    /// One file of a photo.
    package struct Resource: Codable, Hashable, Sendable {
        /// What it is: `photo`, `alternate_photo` …
        package var type: String
        /// Path relative to `DCIM/`.
        package var name: String
        /// Size of this file in bytes.
        package var bytes: Int64

        /// A file of a photo; the size is in bytes.
        package init(type: String, name: String, bytes: Int64) {
            self.type = type
            self.name = name
            self.bytes = bytes
        }
    }

    /// The identifier of the asset, 32 hexadecimal digits.
    package var id: String
    /// The DCF number of directory and file, such as `100-0001`.
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
    /// True when the owner has marked the photo as a favorite.
    package var favorite: Bool
    /// Identifier of its burst.
    @Nullable package var burst: String?
    /// The files of the asset, the photo first.
    package var resources: [Resource]
    /// Exposure midpoint minus button edge (or command time), in microseconds; only known in the run that took it.
    @Nullable package var lagUs: Int64?
    /// From edge to durable, in milliseconds; only known in the run that took it.
    @Nullable package var durableMs: Double?

    /// A photo; sizes are in bytes and pixels, and unknown values are nil.
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

/// The record of a photo in the trash: `delete` and `trash` send it.
package struct TrashRecord: Codable, Hashable, Sendable {
    /// The identifier of the asset, 32 hexadecimal digits.
    package var id: String
    /// DCF number, kept for its return.
    package var number: String
    /// Size of all resources in bytes.
    package var bytes: Int64
    /// When it was deleted: RFC 3339.
    package var deleted: String

    /// A photo in the trash; the size is in bytes.
    package init(id: String, number: String, bytes: Int64, deleted: String) {
        self.id = id
        self.number = number
        self.bytes = bytes
        self.deleted = deleted
    }
}

/// The end of `trash --empty`: what was removed for good.
package struct EmptiedRecord: Codable, Hashable, Sendable {
    /// The number of photos that were removed for good.
    package var emptied: Int
    /// Space that was freed on the card, in bytes.
    package var bytes: Int64

    /// The number of removed photos and their size in bytes.
    package init(emptied: Int, bytes: Int64) {
        self.emptied = emptied
        self.bytes = bytes
    }
}

/// The result of `verify`: how many photos are intact, and which are not.
package struct VerifyRecord: Codable, Hashable, Sendable {
    /// Photos in the catalog.
    package var assets: Int
    /// Photos that are whole.
    package var ok: Int
    /// Photos whose content changed.
    package var damaged: Int
    /// Photos whose file is gone.
    package var missing: Int
    /// Files added to the catalog.
    package var adopted: Int
    /// The number of files that were set aside because they are not whole photos.
    package var quarantined: Int

    /// The result of a check as numbers of photos and files.
    package init(assets: Int, ok: Int, damaged: Int, missing: Int, adopted: Int, quarantined: Int) {
        self.assets = assets
        self.ok = ok
        self.damaged = damaged
        self.missing = missing
        self.adopted = adopted
        self.quarantined = quarantined
    }

    /// The status `verify` ends with.
    package var exit: ExitStatus { damaged > 0 || missing > 0 ? .badData : .done }
}

/// A photo that can be picked: a row of `pick`.
package struct ChoiceRecord: Codable, Hashable, Sendable {
    /// The number to type for it, from 1.
    package var choice: Int
    /// Its place among the picked photos, from 1; null while it is not picked.
    @Nullable package var position: Int?
    /// The photo of this row.
    package var photo: PhotoRecord

    /// A row of `pick`; the position is nil for a photo that is not picked.
    package init(choice: Int, position: Int?, photo: PhotoRecord) {
        self.choice = choice
        self.position = position
        self.photo = photo
    }
}

/// How a conversation of `pick` stands.
package struct PickedRecord: Codable, Hashable, Sendable {
    /// Identifiers of what is picked, in the order of the result.
    package var picked: [String]
    /// How many may be picked; 0 means as many as the system allows.
    package var limit: Int
    /// True when there is another page.
    package var more: Bool
    /// One or two sentences for a person.
    package var message: String

    /// The picked photos by number; a limit of 0 means none.
    package init(picked: [String], limit: Int, more: Bool, message: String) {
        self.picked = picked
        self.limit = limit
        self.more = more
        self.message = message
    }
}
