import Platform

/// Gives out the numbers of assets, and keeps the two marks that outlast a power cut and a changed card.
///
/// - Isolation: the library's thread.
/// - Blocking: `restart`, `reserve` and `trimMarks`, for the file system.
final class Numbering {
    private let context: LibraryContext
    private var allocator = NumberAllocator(filesPerDirectory: 9999, evidence: NumberAllocator.Evidence())

    init(_ context: LibraryContext) {
        self.context = context
    }

    /// The number that the next asset gets; nil when numbering is exhausted.
    var next: DCFNumber? { allocator.next }

    /// Continues after everything that the evidence and the marks show.
    func restart(after evidence: NumberAllocator.Evidence) {
        var evidence = evidence
        evidence.marks += [mark(context.layout.cardMark), mark(context.layout.cameraMark)].compactMap { $0 }
        allocator = NumberAllocator(filesPerDirectory: context.settings.filesPerDirectory, evidence: evidence)
    }

    /// Makes sure that `count` numbers can be given out.
    ///
    /// - Parameter ahead: more numbers that the marks should cover, so that a photo seldom waits for them.
    func reserve(_ count: Int, ahead: Int = 0) throws(SystemError) {
        guard let mark = allocator.missingReservation(for: count, ahead: ahead) else { return }
        try setMarks(mark)
        allocator.didReserve(mark)
    }

    /// Gives out the next `count` numbers; nil when fewer are left.
    ///
    /// - Precondition: `reserve(count)` has succeeded.
    func take(_ count: Int) -> [DCFNumber]? {
        allocator.take(count)
    }

    /// Skips all numbers up to this one, because other files have them.
    func skip(to number: DCFNumber) {
        allocator.skip(to: number)
    }

    /// Lowers the marks to the highest number in use, so that the next start continues there.
    func trimMarks() throws(SystemError) {
        guard allocator.reserved != nil, allocator.reserved != allocator.highest else { return }
        try setMarks(allocator.highest)
    }

    /// Makes both marks durable, the camera's first; nil removes them, because no number was ever given out.
    private func setMarks(_ mark: DCFNumber?) throws(SystemError) {
        try setMark(mark, context.layout.cameraMark, in: context.layout.state)
        try setMark(mark, context.layout.cardMark, in: context.layout.own)
    }

    private func setMark(_ mark: DCFNumber?, _ path: String, in folder: String) throws(SystemError) {
        let files = context.files
        guard let mark else {
            if try files.metadata(path) != nil { try files.remove(path) }
            return try files.syncDirectory(folder)
        }
        let new = path + ".new"
        if try files.metadata(new) != nil { try files.remove(new) }
        try files.writeNew(new, Array("\(mark)\n".utf8))
        try files.renameReplacing(new, to: path)
        try files.syncDirectory(folder)
    }

    private func mark(_ path: String) -> DCFNumber? {
        guard let bytes = try? context.files.read(path, limit: 64) else { return nil }
        return DCFNumber(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
