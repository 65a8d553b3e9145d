/// What a door serves: the photo library as one client sees it, as files and folders.
///
/// A store checks its client's permissions at each call. Before consent it is empty.
/// - Isolation: any thread.
/// - Blocking: every call but `access` may wait for files, the library, or the owner's answer.
package protocol ObjectStore: Sendable {
    /// The client's permissions now. Never blocks.
    var access: StoreAccess { get }
    /// Size and free space of the card in bytes.
    var space: StoreSpace { get }

    /// Begins a session: the owner is asked about an undecided client. Returns at once.
    func sessionOpened()
    /// Asks the owner about an undecided client again, because it looked for photos. Returns at once.
    func askForAccess()
    /// Calls `body` for every change from now on, until the next call of this method; nil ends it.
    ///
    /// - Isolation: `body` runs on any thread, one call at a time, and must return soon.
    func observe(_ body: (@Sendable (StoreChange) -> Void)?)

    /// All objects that the client sees now.
    func objects() throws(OffloadError) -> ObjectTable
    /// Opens the file of an object.
    func content(of object: StoredObject) throws(OffloadError) -> any ObjectContent
    /// Reads the thumbnail of a photo.
    ///
    /// - Throws: `.noThumbnail` when its file lacks one.
    func thumbnail(of object: StoredObject) throws(OffloadError) -> ObjectThumbnail
    /// Deletes the photo that a file belongs to, once the owner has confirmed it.
    func delete(_ object: StoredObject) throws(OffloadError)
    /// Begins the upload of a file. The name is only remembered as text and never becomes a path.
    func beginUpload(
        name: String, format: FileFormat, byteCount: UInt64
    ) throws(OffloadError) -> any ObjectUpload
    /// Takes a photo; `StoreChange.captureCompleted` has the same number once it is in the store.
    func capture(request: UInt32) throws(OffloadError)
}

/// The permissions of a client.
package struct StoreAccess: Hashable, Sendable {
    /// The client may add photos.
    package var mayAdd: Bool
    /// The client sees photos, and may request deletions.
    package var mayRead: Bool

    /// The permissions of one client; a client can have one without the other.
    package init(mayAdd: Bool, mayRead: Bool) {
        self.mayAdd = mayAdd
        self.mayRead = mayRead
    }
}

/// The space of the card.
package struct StoreSpace: Hashable, Sendable {
    /// Size of its file system in bytes.
    package var capacity: UInt64
    /// Bytes that photos may still take.
    package var free: UInt64

    /// The space of the storage in bytes.
    package init(capacity: UInt64, free: UInt64) {
        self.capacity = capacity
        self.free = free
    }
}

/// Something that happened to a store.
package enum StoreChange: Hashable, Sendable {
    /// Objects appeared; parents before children.
    case added([UInt32])
    /// Objects disappeared; children before parents.
    case removed([UInt32])
    /// Properties of objects changed.
    case changed([UInt32])
    /// Access was granted or revoked, or so much changed that the client has to list everything again.
    case replaced
    /// The free space of the card changed.
    case spaceChanged
    /// The card has no space for another photo.
    case full
    /// The photo of a request for one is in the store, or failed.
    case captureCompleted(request: UInt32)
}

/// An open file of the store. It is closed when its last reference is released.
package protocol ObjectContent: Sendable {
    /// Its size in bytes when it was opened.
    var byteCount: UInt64 { get }
    /// Reads bytes of the file from an offset.
    ///
    /// - Returns: the number of bytes read: fewer than the buffer holds only at the end of the file or when it cannot
    ///   be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int
}

/// A thumbnail as a file of its own.
package struct ObjectThumbnail: Hashable, Sendable {
    /// The bytes of a JPEG file.
    package var bytes: [UInt8]
    /// Width in pixels; listings clamp it to 16 bits.
    package var width: UInt32
    /// Height in pixels; listings clamp it to 16 bits.
    package var height: UInt32

    /// A thumbnail as a JPEG file; its size is in pixels.
    package init(bytes: [UInt8], width: UInt32, height: UInt32) {
        (self.bytes, self.width, self.height) = (bytes, width, height)
    }

    /// The size as a listing states it.
    package var size: StoredObject.Thumbnail {
        .jpeg(
            byteCount: UInt32(clamping: bytes.count), width: UInt16(clamping: width), height: UInt16(clamping: height))
    }
}

/// A file that a client uploads. Nothing of it is kept unless `finish` succeeds.
package protocol ObjectUpload: Sendable {
    /// The handle that the object has for the rest of this session once it is finished.
    var handle: UInt32 { get }
    /// The handle of the folder that it appears in.
    var parent: UInt32 { get }
    /// Appends bytes; false when they cannot be kept, and then `finish` throws the reason.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Adds the file to the library as a photo, durably.
    func finish() throws(OffloadError)
    /// Discards what was written and leaves the library as it is.
    func cancel()
}
