import Platform

/// What setting a gadget up asks of the kernel, small enough to be imitated.
///
/// - Blocking: every call does.
package protocol GadgetFileSystem: Sendable {
    /// True when something is at the path.
    func exists(_ path: String) -> Bool
    /// Names of the folders in a folder, sorted; none when it cannot be read.
    func folders(in path: String) -> [String]
    /// Names of the symbolic links in a folder, sorted; none when it cannot be read.
    func links(in path: String) -> [String]
    /// The text of an attribute without its line's end.
    func read(_ path: String) throws(SystemError) -> String
    /// Locks a file together with others that do, until the descriptor is closed.
    ///
    /// - Throws: also when somebody has it alone.
    func share(_ path: String) throws(SystemError) -> Descriptor
    /// Does one step.
    func perform(_ step: GadgetStep) throws(SystemError)
}
