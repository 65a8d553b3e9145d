/// Gives out numbers, each once.
///
/// A number is given out only when both durable marks are at or above it, so that no power cut can bring it back. The
/// marks are written ahead in blocks, so that a photo seldom waits for them.
package struct NumberAllocator: Sendable {
    /// Numbers reserved at a time.
    package static let block = 64

    /// What the start found.
    package struct Evidence: Sendable {
        /// Names in `DCIM`, including those that other programs created.
        package var directories: [String] = []
        /// Names in the newest of our directories, when it is the newest of all.
        package var newestFiles: [String] = []
        /// The card's mark, the camera's mark and the catalog's highest number.
        package var marks: [DCFNumber] = []

        /// Names of an empty library.
        package init() {}

        /// The highest directory number in `DCIM`, and whether only our own directory has it.
        package var newestDirectory: (number: Int, isOurs: Bool)? {
            let numbered = directories.compactMap { name in DCFNumber.directoryNumber(name).map { ($0, name) } }
            guard let highest = numbered.map({ $0.0 }).max() else { return nil }
            let names = numbered.filter { $0.0 == highest }.map { $0.1 }
            return (highest, names == [DCFNumber.directoryName(highest)])
        }
    }

    /// The most files in one directory.
    package let filesPerDirectory: Int
    /// The highest number that is taken; nil when none is.
    package private(set) var highest: DCFNumber?
    /// The number up to which both marks are durable.
    package private(set) var reserved: DCFNumber?

    /// Starts after everything the evidence shows.
    package init(filesPerDirectory: Int, evidence: Evidence) {
        self.filesPerDirectory = max(1, min(filesPerDirectory, 9999))
        var highest = evidence.marks.max()
        if let newest = evidence.newestDirectory {
            // Another camera's directory is left alone whole: ours come after it.
            let files = newest.isOurs ? evidence.newestFiles.compactMap(DCFNumber.fileNumber).max() : 9999
            let onCard = DCFNumber(directory: newest.number, file: files ?? 1)
            // An empty directory of ours takes no number: what precedes its first file is the end of the one before.
            let taken = files == nil ? DCFNumber(directory: newest.number - 1, file: 9999) : onCard
            highest = [highest, taken].compactMap { $0 }.max()
        }
        self.highest = highest
    }

    /// The number after the highest; nil when numbering is exhausted.
    package var next: DCFNumber? {
        guard let highest else { return DCFNumber(directory: 100, file: 1) }
        return highest.successor(filesPerDirectory: filesPerDirectory)
    }

    /// The mark to make durable before `count` more numbers can be given out; nil when the marks reach that far.
    ///
    /// - Parameter ahead: how many more than `count` should be there, for doing it before a photo has to wait.
    package func missingReservation(for count: Int, ahead: Int = 0) -> DCFNumber? {
        guard let needed = advanced(by: count + ahead) ?? (ahead > 0 ? advanced(by: count) : nil) else { return nil }
        if let reserved, reserved >= needed { return nil }
        var mark = needed
        for _ in 0..<Self.block {
            guard let following = mark.successor(filesPerDirectory: filesPerDirectory) else { break }
            mark = following
        }
        return mark
    }

    /// Notes that both marks are durable at `mark`.
    package mutating func didReserve(_ mark: DCFNumber) {
        reserved = [reserved, mark].compactMap { $0 }.max()
    }

    /// Gives out the next `count` numbers; nil when there are not so many left.
    ///
    /// - Precondition: `missingReservation(for: count)` is nil.
    package mutating func take(_ count: Int) -> [DCFNumber]? {
        var taken: [DCFNumber] = []
        var last = highest
        for _ in 0..<count {
            let following =
                last.map { $0.successor(filesPerDirectory: filesPerDirectory) } ?? DCFNumber(directory: 100, file: 1)
            guard let following else { return nil }
            taken.append(following)
            last = following
        }
        highest = last
        return taken
    }

    /// Passes over everything up to `number`, which turned out to be taken.
    package mutating func skip(to number: DCFNumber) {
        highest = [highest, number].compactMap { $0 }.max()
    }

    private func advanced(by count: Int) -> DCFNumber? {
        var copy = self
        return copy.take(count)?.last
    }
}
