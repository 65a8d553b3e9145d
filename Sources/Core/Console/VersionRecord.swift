/// What `version` tells.
package struct VersionRecord: Codable, Hashable, Sendable {
    /// The product's version.
    package var version: String

    /// A version.
    package init(version: String) {
        self.version = version
    }
}
