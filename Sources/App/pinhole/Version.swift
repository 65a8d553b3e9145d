/// The product's version, as `version`, Exif and the changelog say it.
enum Version {
    static let current = "0.1.0"
}
