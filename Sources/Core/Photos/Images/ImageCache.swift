import Imaging

/// Images made for requests; the least recently used go when there is no room for another.
struct ImageCache {
    /// What an image was made for.
    struct Key: Hashable {
        var identifier: String
        var targetSize: PixelSize
        var contentMode: ImageContentMode
        var resizeMode: ImageRequestOptions.ResizeMode
    }

    /// Most bytes of pixels.
    let byteLimit: Int
    /// Bytes of pixels now.
    private(set) var byteCount = 0
    private var images: [Key: (image: PhotoImage, lastUse: Int)] = [:]
    private var uses = 0

    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// The image made for a key, if it is still there.
    mutating func image(for key: Key) -> PhotoImage? {
        guard let found = images[key] else { return nil }
        uses += 1
        images[key] = (found.image, uses)
        return found.image
    }

    /// Keeps an image, unless it alone is larger than the cache.
    mutating func insert(_ image: PhotoImage, for key: Key) {
        remove(key)
        guard image.byteCount <= byteLimit else { return }
        while byteCount > byteLimit - image.byteCount {
            guard let oldest = images.min(by: { $0.value.lastUse < $1.value.lastUse }) else { break }
            remove(oldest.key)
        }
        uses += 1
        images[key] = (image, uses)
        byteCount += image.byteCount
    }

    private mutating func remove(_ key: Key) {
        if let old = images.removeValue(forKey: key) { byteCount -= old.image.byteCount }
    }
}
