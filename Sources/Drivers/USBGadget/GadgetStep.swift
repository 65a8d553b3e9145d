/// One thing to do while the gadget is set up or taken away.
package enum GadgetStep: Hashable, Sendable {
    /// Make a folder; in configfs that makes an item with its attributes.
    case makeFolder(String)
    /// Write an attribute.
    case write(String, String)
    /// Make a symbolic link at the second path to the first.
    case link(String, at: String)
    /// Make an empty file.
    case makeFile(String)
    /// Give a file to a user and a group.
    case setOwner(String, GadgetOwner)
    /// Mount the FunctionFS instance of this name.
    case mountFunctionFS(String, at: String, options: String)
    /// Show the first file at the second path too.
    case mountFile(String, at: String)
    /// Undo a mount.
    case unmount(String)
    /// Wait until nobody has a file locked.
    case waitForLock(String)
    /// Remove a link or a file.
    case remove(String)
    /// Remove a folder; in configfs that removes an item with its attributes.
    case removeFolder(String)
}
