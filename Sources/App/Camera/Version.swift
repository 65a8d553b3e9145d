/// The product's version, as `version`, Exif and the changelog say it.
package enum Version {
    package static let current = "0.1.0"
}
