/// How an operation ended (PTP, ISO 15740, clause 11; MTP 1.1, appendix F).
package enum ResponseCode: UInt16, Error, CaseIterable, Sendable {
    case ok = 0x2001
    case generalError = 0x2002
    case sessionNotOpen = 0x2003
    case invalidTransactionID = 0x2004
    case operationNotSupported = 0x2005
    case parameterNotSupported = 0x2006
    case incompleteTransfer = 0x2007
    case invalidStorageID = 0x2008
    case invalidObjectHandle = 0x2009
    case devicePropNotSupported = 0x200a
    case invalidObjectFormatCode = 0x200b
    case storeFull = 0x200c
    case objectWriteProtected = 0x200d
    case storeReadOnly = 0x200e
    case accessDenied = 0x200f
    case noThumbnailPresent = 0x2010
    case storeNotAvailable = 0x2013
    case specificationByFormatUnsupported = 0x2014
    case noValidObjectInfo = 0x2015
    case deviceBusy = 0x2019
    case invalidParentObject = 0x201a
    case invalidParameter = 0x201d
    case sessionAlreadyOpen = 0x201e
    case transactionCancelled = 0x201f
    case invalidObjectPropCode = 0xa801
    case invalidObjectPropFormat = 0xa802
    case objectPropNotSupported = 0xa80a
    case invalidDataset = 0xa806
    case specificationByGroupUnsupported = 0xa807
    case specificationByDepthUnsupported = 0xa808
    case objectTooLarge = 0xa809
}
