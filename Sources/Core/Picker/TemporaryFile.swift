import FoundationEssentials
import Glibc

/// A file in a folder of its own that only this user can enter; both are removed with the last reference.
///
/// - Blocking: making and removing it.
final class TemporaryFile: Sendable {
    /// The address of the file, in a new folder with the photo's name.
    let url: URL
    private let folder: String

    /// Writes a file. Only the last part of the name is used.
    init(name: String, _ data: Data) throws(PickerError) {
        let template = FileManager.default.temporaryDirectory.path + "/pinhole-picked-XXXXXX"
        var bytes = template.utf8CString.map { $0 }
        let made = bytes.withUnsafeMutableBufferPointer { bytes in
            bytes.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard made else {
            throw PickerError(.storageFailed, "A temporary folder cannot be created (\(template)); free some space.")
        }
        folder = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        url = URL(fileURLWithPath: folder + "/" + Self.safe(name), isDirectory: false)
        do {
            try data.write(to: url)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw PickerError(.storageFailed, "The photo cannot be written to \(folder); free some space.")
        }
    }

    deinit {
        // A handler that moved the file away leaves only the folder.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A name from outside, without anything that could lead out of the folder.
    static func safe(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\0" }).last.map(String.init) ?? ""
        return last.isEmpty || last == "." || last == ".." || last.utf8.count > 255 ? "photo" : last
    }
}
