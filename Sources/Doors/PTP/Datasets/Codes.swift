/// The operations that this responder answers (PTP, ISO 15740, clause 10; MTP 1.1, appendix D).
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

/// The events that a responder can send (PTP, ISO 15740, clause 12).
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

/// The formats of objects that the store holds or takes (PTP, ISO 15740, clause 6.2; MTP 1.1, appendix A).
package enum ObjectFormat: UInt16, CaseIterable, Sendable {
    /// A file of a kind that has no code here.
    case undefined = 0x3000
    /// A folder, as PTP calls it.
    case association = 0x3001
    /// JPEG with Exif; also that of a photo of which nothing else is known.
    case exifJPEG = 0x3801
    /// JPEG with JFIF: the format of thumbnails.
    case jfif = 0x3808
    /// TIFF, as initiators upload scans.
    case tiff = 0x380d
    /// DNG, a raw photo.
    case dng = 0x3811

    /// True for the formats that a request for all images means.
    package var isImage: Bool { rawValue >= 0x3800 }
}

/// The properties of the camera that an initiator can read (PTP, ISO 15740, clause 13; MTP 1.1, appendix C).
package enum DevicePropertyCode: UInt16, CaseIterable, Sendable {
    /// The battery's charge in percent.
    case batteryLevel = 0x5001
    /// The camera's local date and time, as text.
    case dateTime = 0x5011
    /// The name that the owner gave the camera.
    case deviceFriendlyName = 0xd402
    /// The kind of device, from which a computer picks its icon.
    case perceivedDeviceType = 0xd407
}
