/// What an initiator can ask for, as far as this responder answers (PTP, ISO 15740, clause 10; MTP 1.1, appendix D).
package enum OperationCode: UInt16, CaseIterable, Sendable {
    case getDeviceInfo = 0x1001
    case openSession = 0x1002
    case closeSession = 0x1003
    case getStorageIDs = 0x1004
    case getStorageInfo = 0x1005
    case getNumObjects = 0x1006
    case getObjectHandles = 0x1007
    case getObjectInfo = 0x1008
    case getObject = 0x1009
    case getThumb = 0x100a
    case deleteObject = 0x100b
    case sendObjectInfo = 0x100c
    case sendObject = 0x100d
    case initiateCapture = 0x100e
    case getDevicePropDesc = 0x1014
    case getDevicePropValue = 0x1015
    case getPartialObject = 0x101b
    case getPartialObject64 = 0x95c1
    case getObjectPropsSupported = 0x9801
    case getObjectPropDesc = 0x9802
    case getObjectPropValue = 0x9803
    case getObjectPropList = 0x9805

    /// True when the initiator sends the data phase.
    package var receivesData: Bool { self == .sendObjectInfo || self == .sendObject }
}
