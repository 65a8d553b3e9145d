import Offload

/// The operations on the camera and its store.
extension Responder {
    var deviceInfo: DeviceInfoDataset {
        DeviceInfoDataset(
            identity: identity, operations: OperationCode.allCases, events: Self.eventCodes,
            properties: DevicePropertyCode.allCases.filter { deviceProperty($0) != nil },
            captureFormats: [.exifJPEG], formats: ObjectFormat.allCases)
    }

    var storageIDs: Reply { Reply(.array([Self.storage])) }

    func storageInfo(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        guard request.parameter(0) == Self.storage else { throw .invalidStorageID }
        let access = store.access
        let capability: StorageInfoDataset.AccessCapability =
            access.mayAdd ? .readWrite : access.mayRead ? .readOnlyWithDeletion : .readOnly
        var space = store.space
        // The free space would reveal how much was photographed.
        if !access.mayAdd && !access.mayRead { space.free = 0 }
        let info = StorageInfoDataset(
            access: capability, space: space, description: "Photos", volumeIdentifier: identity.serialNumber)
        return Reply(.bytes(info.bytes))
    }

    func deviceProperty(_ request: OperationRequest) throws(ResponseCode) -> DevicePropDescDataset {
        guard let code = UInt16(exactly: request.parameter(0)).flatMap(DevicePropertyCode.init(rawValue:)),
            let property = deviceProperty(code)
        else { throw .devicePropNotSupported }
        return property
    }

    /// Takes a photo; the events CaptureComplete and ObjectAdded follow later.
    func capture(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        guard store.access.mayAdd else { throw .accessDenied }
        guard [0, Self.storage].contains(request.parameter(0)) else { throw .invalidStorageID }
        guard [0, UInt32(ObjectFormat.exifJPEG.rawValue)].contains(request.parameter(1)) else {
            throw .invalidObjectFormatCode
        }
        try ResponseCode.from { () throws(OffloadError) in
            try store.capture(request: request.transaction)
        }
        return Reply(.ok)
    }

    /// The description and value of a property; nil when the camera lacks it.
    private func deviceProperty(_ code: DevicePropertyCode) -> DevicePropDescDataset? {
        switch code {
        case .batteryLevel:
            properties.batteryLevel.map {
                DevicePropDescDataset(
                    code: code, factoryDefault: .uint8(100), current: .uint8(UInt8(min(max($0, 0), 100))),
                    form: .range(.uint8(0), .uint8(100), step: .uint8(1)))
            }
        case .dateTime:
            DevicePropDescDataset(code: code, factoryDefault: .text(""), current: .text(properties.now.dateTime))
        case .deviceFriendlyName:
            DevicePropDescDataset(
                code: code, factoryDefault: .text(identity.model), current: .text(identity.friendlyName))
        case .perceivedDeviceType:
            DevicePropDescDataset(code: code, factoryDefault: .uint32(1), current: .uint32(1))  // a still camera
        }
    }
}
