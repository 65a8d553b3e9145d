import Foundation
import Glibc
import Platform
import Testing
import USBGadget

@Suite("gadget folders of the file system") struct KernelGadgetFileSystemTests {
    let files = KernelGadgetFileSystem()

    /// Runs a test in a folder of its own.
    func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/gadget-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("folders, links and files are distinguished; a link to a folder is both")
    func kinds() throws {
        try inFolder { folder in
            for step in [
                GadgetStep.makeFolder(folder + "/b"), .makeFolder(folder + "/a"), .makeFile(folder + "/file"),
                .link(folder + "/a", at: folder + "/link"),
            ] {
                try files.perform(step)
            }
            #expect(files.folders(in: folder) == ["a", "b", "link"])
            #expect(files.links(in: folder) == ["link"])
            #expect(files.exists(folder + "/file") && !files.exists(folder + "/absent"))
        }
    }

    @Test("an attribute is written and read as one line")
    func attribute() throws {
        try inFolder { folder in
            try files.perform(.makeFile(folder + "/UDC"))
            try files.perform(.write(folder + "/UDC", "dummy_udc.0"))
            #expect(try files.read(folder + "/UDC") == "dummy_udc.0")
        }
    }

    @Test("what is removed is gone, and a missing file is reported by its code")
    func removal() throws {
        try inFolder { folder in
            try files.perform(.makeFolder(folder + "/a"))
            try files.perform(.link(folder + "/a", at: folder + "/link"))
            try files.perform(.remove(folder + "/link"))
            try files.perform(.removeFolder(folder + "/a"))
            #expect(files.folders(in: folder).isEmpty && files.links(in: folder).isEmpty)
            #expect(throws: SystemError(code: ENOENT, operation: "remove", path: folder + "/a")) {
                try files.perform(.removeFolder(folder + "/a"))
            }
            #expect(throws: SystemError(code: ENOENT, operation: "write", path: folder + "/x")) {
                try files.perform(.write(folder + "/x", "1"))
            }
        }
    }
}
