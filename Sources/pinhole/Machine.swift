import Glibc

/// Facts of the computer that this runs on.
enum Machine {
    /// Processors in use.
    static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Bytes of memory.
    static var memory: Int64 { Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) }
}
