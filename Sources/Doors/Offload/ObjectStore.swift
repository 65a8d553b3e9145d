/// What a door serves: the photo library as one client sees it, as files and folders.
///
/// A store decides what its client may do each time it is asked. Before consent it is empty.
/// - Isolation: any thread.
/// - Blocking: everything but `access` may, for files, the library, or a person's answer.
package protocol ObjectStore: Sendable {
    /// What the client may do now. Never blocks.
    var access: StoreAccess { get }
    /// How large the card is and how much of it is free, in bytes.
    var space: StoreSpace { get }

    /// A client has opened a session: a client that is undecided is asked about. Returns at once.
    func sessionOpened()
    /// A client looks for photos in vain: it is asked about again when the last question was not answered. Returns at once.
    func askForAccess()
    /// Calls `body` for every change from now on, until the next call; nil for none.
    ///
    /// - Isolation: `body` runs on any thread, one call at a time, and must return soon.
    func observe(_ body: (@Sendable (StoreChange) -> Void)?)

    /// Everything the client sees now.
    func objects() throws(OffloadError) -> ObjectTable
    /// Opens the file of an object.
    func content(of object: StoredObject) throws(OffloadError) -> any ObjectContent
    /// The small picture of a photo.
    ///
    /// - Throws: `.noThumbnail` when its file has none.
    func thumbnail(of object: StoredObject) throws(OffloadError) -> ObjectThumbnail
    /// Deletes the photo that a file belongs to, once the owner has confirmed it.
    func delete(_ object: StoredObject) throws(OffloadError)
    /// Begins to take in a file. The name is text to remember and never becomes a path.
    func beginUpload(
        name: String, format: FileFormat, byteCount: UInt64
    ) throws(OffloadError) -> any ObjectUpload
    /// Takes a photo; `StoreChange.captureCompleted` has the same number once it is in the store.
    func capture(request: UInt32) throws(OffloadError)
}

/// What a client may do.
package struct StoreAccess: Hashable, Sendable {
    /// It may add photos.
    package var mayAdd: Bool
    /// It sees photos, and may ask for deletions.
    package var mayRead: Bool

    /// A level of access.
    package init(mayAdd: Bool, mayRead: Bool) {
        self.mayAdd = mayAdd
        self.mayRead = mayRead
    }
}

/// Room on the card.
package struct StoreSpace: Hashable, Sendable {
    /// Size of its file system in bytes.
    package var capacity: UInt64
    /// Bytes that photos may still take.
    package var free: UInt64

    /// Room from its parts.
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
    /// What is said of objects has changed.
    case changed([UInt32])
    /// Access came or went, or so much changed that everything is to be listed again.
    case replaced
    /// Free space changed.
    case spaceChanged
    /// The card is full.
    case full
    /// The photo of a request for one is in the store, or is not coming.
    case captureCompleted(request: UInt32)
}

/// An open file of the store. It is closed when nothing refers to it any more.
package protocol ObjectContent: Sendable {
    /// Its size in bytes when it was opened.
    var byteCount: UInt64 { get }
    /// Reads from an offset.
    ///
    /// - Returns: how many bytes were read: fewer than the buffer has only at the end of the file or when it cannot be
    ///   read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int
}

/// A small picture as a file.
package struct ObjectThumbnail: Hashable, Sendable {
    /// A JPEG file.
    package var bytes: [UInt8]
    /// Width in pixels.
    package var width: UInt32
    /// Height in pixels.
    package var height: UInt32

    /// A thumbnail from its parts.
    package init(bytes: [UInt8], width: UInt32, height: UInt32) {
        (self.bytes, self.width, self.height) = (bytes, width, height)
    }

    /// What a listing says of it.
    package var size: StoredObject.Thumbnail {
        .jpeg(
            byteCount: UInt32(clamping: bytes.count), width: UInt16(clamping: width), height: UInt16(clamping: height))
    }
}

/// A file that is being taken in. Nothing of it is kept unless `finish` succeeds.
package protocol ObjectUpload: Sendable {
    /// The handle that the object has for this session once it is finished, and the folder's that it comes to.
    var handle: UInt32 { get }
    /// Handle of its folder.
    var parent: UInt32 { get }
    /// Takes bytes; false when they cannot be kept: then `finish` says why.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Makes it a photo of the library, durably.
    func finish() throws(OffloadError)
    /// Throws it away.
    func cancel()
}
