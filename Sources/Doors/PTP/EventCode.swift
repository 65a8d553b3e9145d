/// What a responder tells unasked (PTP, ISO 15740, clause 12).
package enum EventCode: UInt16, CaseIterable, Sendable {
    case cancelTransaction = 0x4001
    case objectAdded = 0x4002
    case objectRemoved = 0x4003
    case storeAdded = 0x4004
    case storeRemoved = 0x4005
    case devicePropChanged = 0x4006
    case objectInfoChanged = 0x4007
    case deviceInfoChanged = 0x4008
    case storeFull = 0x400a
    case storageInfoChanged = 0x400c
    case captureComplete = 0x400d
    case unreportedStatus = 0x400e
}
