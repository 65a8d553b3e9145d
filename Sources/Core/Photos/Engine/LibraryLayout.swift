import Imaging

/// Where everything of one library lies.
package struct LibraryLayout: Hashable, Sendable {
    /// The path of the library's folder, which is on the card.
    package let library: String
    /// The camera's state folder.
    package let state: String

    /// The layout of a library in this folder, for a camera with this state folder. Nothing is created.
    package init(library: String, state: String) {
        self.library = library
        self.state = state
    }

    /// The folder of photos, as DCF requires it.
    package var photos: String { library + "/DCIM" }
    /// Everything of ours that is not a photo.
    package var own: String { library + "/.pinhole" }
    /// Files that are being written.
    package var staging: String { own + "/staging" }
    /// A file that is being taken in piece by piece. A start removes it, as its name is none of a change's.
    package func incoming(_ identifier: AssetIdentifier) -> String { incomingStart + "\(identifier)" }
    /// True for the path of such a file.
    package func isIncoming(_ path: String) -> Bool {
        path.hasPrefix(incomingStart) && AssetIdentifier(String(path.dropFirst(incomingStart.count))) != nil
    }
    private var incomingStart: String { staging + "/incoming-" }
    /// The folder of deleted photos.
    package var trash: String { own + "/trash" }
    /// Files set aside because they are not whole.
    package var quarantine: String { own + "/quarantine" }
    /// The SQLite database of the library.
    package var catalog: String { own + "/catalog.sqlite" }
    /// The last checked copy of the catalog.
    package var backup: String { own + "/catalog.backup.sqlite" }
    /// A copy that is being made.
    package var newBackup: String { own + "/catalog.new.sqlite" }
    /// There while a copy becomes the catalog.
    package var restoring: String { own + "/restoring" }
    /// The highest reserved number, as the card knows it.
    package var cardMark: String { own + "/number" }
    /// The highest reserved number, as the camera knows it after a change of the card.
    package var cameraMark: String { state + "/number" }
    /// What is remembered of clients.
    package var grants: String { state + "/grants" }
    /// What could not be understood of it.
    package var damagedGrants: String { state + "/grants.damaged" }
    /// The lock on the library.
    package var libraryLock: String { own + "/lock" }
    /// The lock on the state folder.
    package var stateLock: String { state + "/lock" }

    /// The folder of a directory number.
    package func directory(_ number: Int) -> String { photos + "/" + DCFNumber.directoryName(number) }

    /// A file's name relative to `DCIM`.
    package func name(_ number: DCFNumber, _ fileExtension: String) -> String {
        number.directoryName + "/" + Self.fileName(number, fileExtension)
    }

    /// The absolute path of a photo's file in `DCIM`.
    package func path(_ number: DCFNumber, _ fileExtension: String) -> String {
        photos + "/" + name(number, fileExtension)
    }

    /// A deleted file's path; its name contains everything that a rebuild needs.
    package func trashPath(_ number: DCFNumber, _ identifier: AssetIdentifier, _ fileExtension: String) -> String {
        trash + "/\(number).\(identifier).\(fileExtension)"
    }

    /// A file's name in its directory.
    package static func fileName(_ number: DCFNumber, _ fileExtension: String) -> String {
        number.stem + "." + fileExtension
    }
}

/// The name of a file in the staging folder: enough to finish or drop a change after a power cut.
///
/// `100-0001x2.100-0002.<identifier>.JPG` belongs to a change that writes two numbers from 100-0001 on.
package struct StagingName: Hashable, Sendable {
    /// The first number of the change.
    package let first: DCFNumber
    /// How many numbers the change takes.
    package let count: Int
    /// The number that the file will have in `DCIM`.
    package let number: DCFNumber
    /// The asset that the file belongs to.
    package let identifier: AssetIdentifier
    /// The extension of the file, without the dot.
    package let fileExtension: String

    /// The name of a staged file of the change that takes `count` numbers from `first` on.
    package init(
        first: DCFNumber, count: Int, number: DCFNumber, identifier: AssetIdentifier, fileExtension: String
    ) {
        self.first = first
        self.count = count
        self.number = number
        self.identifier = identifier
        self.fileExtension = fileExtension
    }

    /// Reads a name; nil when it is not one of these.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let number = DCFNumber(String(parts[1])),
            let identifier = AssetIdentifier(String(parts[2])), FileExtension.isValid(String(parts[3]))
        else { return nil }
        let group = parts[0].split(separator: "x")
        guard group.count == 2, let first = DCFNumber(String(group[0])), let count = Int(group[1]), count > 0,
            count <= 9999
        else { return nil }
        self.init(
            first: first, count: count, number: number, identifier: identifier, fileExtension: String(parts[3]))
    }

    /// The file's name in the staging folder.
    package var text: String { "\(first)x\(count).\(number).\(identifier).\(fileExtension)" }
}

/// Extensions that DCF allows: one to three of `0-9A-Z_`.
package enum FileExtension {
    /// Extensions by which a file claims to be a photo that can be read.
    package static let claims: Set<String> = ["JPG", "TIF", "DNG"]

    /// True for an extension that DCF allows.
    package static func isValid(_ text: String) -> Bool {
        (1...3).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
    }

    /// The extension for a resource: that of its original name where DCF allows it, else the one for its content.
    package static func choose(
        for type: AssetResourceType, originalFilename: String?, kind: PhotoFileKind
    ) -> String {
        if let name = originalFilename, let dot = name.lastIndex(of: ".") {
            let candidate = name[name.index(after: dot)...].uppercased()
            if candidate == "JPEG" { return "JPG" }
            if candidate == "TIFF" { return "TIF" }
            if isValid(candidate) { return candidate }
        }
        switch kind {
        case .jpeg: return "JPG"
        case .dng: return "DNG"
        case .tiff: return "TIF"
        case .unknown: return type == .video || type == .pairedVideo ? "MP4" : "DAT"
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || byte == UInt8(ascii: "_")
    }
}
