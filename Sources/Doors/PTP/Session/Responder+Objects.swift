import Offload

/// The operations of PTP itself on objects.
extension Responder {
    /// The objects that the client may see now; before consent none, and the owner is asked.
    func visibleObjects() throws(ResponseCode) -> ObjectTable {
        guard store.access.mayRead else {
            store.askForAccess()
            return ObjectTable()
        }
        return try ResponseCode.from(store.objects)
    }

    /// The object that an operation's first parameter names.
    func object(_ request: OperationRequest) throws(ResponseCode) -> StoredObject {
        guard let object = try visibleObjects()[request.parameter(0)] else { throw .invalidObjectHandle }
        return object
    }

    /// The file that an operation's first parameter names. A folder has no data.
    func file(_ request: OperationRequest) throws(ResponseCode) -> StoredObject {
        let object = try object(request)
        guard object.kind != .folder else { throw .invalidObjectHandle }
        return object
    }

    /// The handles of the objects in a store, of a format and in a folder, as the parameters name them.
    func handles(_ request: OperationRequest) throws(ResponseCode) -> [UInt32] {
        guard [ObjectHandle.all, Self.storage].contains(request.parameter(0)) else { throw .invalidStorageID }
        let (format, parent) = (request.parameter(1), request.parameter(2))
        let table = try visibleObjects()
        let objects: [StoredObject]
        switch parent {
        case 0: objects = table.objects
        case ObjectHandle.all: objects = table.children(of: ObjectHandle.root)
        default:
            guard let folder = table[parent] else { throw .invalidObjectHandle }
            guard folder.kind == .folder else { throw .invalidParentObject }
            objects = table.children(of: parent)
        }
        return objects.filter { $0.matches(format: format) }.map(\.handle)
    }

    func objectInfo(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        let object = try object(request)
        var thumbnail = object.thumbnail
        if thumbnail == .unknown, object.kind != .folder, let found = try? store.thumbnail(of: object) {
            thumbnail = found.size
        }
        return Reply(.bytes(ObjectInfoDataset(object, storage: Self.storage, thumbnail: thumbnail).bytes))
    }

    /// Opens the file that an operation's first parameter names.
    private func open(_ request: OperationRequest) throws(ResponseCode) -> any ObjectContent {
        let file = try file(request)
        return try ResponseCode.from { () throws(OffloadError) in try store.content(of: file) }
    }

    func content(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        let content = try open(request)
        return Reply(.content(content, 0..<content.byteCount))
    }

    func thumbnail(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        let object = try object(request)
        guard object.kind != .folder else { throw .noThumbnailPresent }
        return Reply(
            .bytes(try ResponseCode.from { () throws(OffloadError) in try store.thumbnail(of: object) }.bytes))
    }

    func partialContent(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        try partialContent(request, offset: UInt64(request.parameter(1)), count: request.parameter(2))
    }

    /// Android's operation, which gphoto2 uses too: the offset comes in two halves, the lower first.
    func partialContent64(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        let offset = UInt64(request.parameter(2)) << 32 | UInt64(request.parameter(1))
        return try partialContent(request, offset: offset, count: request.parameter(3))
    }

    private func partialContent(
        _ request: OperationRequest, offset: UInt64, count: UInt32
    ) throws(ResponseCode) -> Reply {
        let content = try open(request)
        guard offset <= content.byteCount else { throw .invalidParameter }
        let sent = min(UInt64(count), content.byteCount - offset)
        return Reply(.content(content, offset..<offset + sent), [UInt32(clamping: sent)])
    }

    /// Deletes one photo with all its files, such as JPEG and DNG, whichever of them is named. Folders, and everything
    /// at once, cannot be deleted.
    func delete(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        guard request.parameter(1) == 0 else { throw .specificationByFormatUnsupported }
        guard request.parameter(0) != ObjectHandle.all else { throw .accessDenied }
        let object = try object(request)
        guard object.kind != .folder else { throw .accessDenied }
        try ResponseCode.from { () throws(OffloadError) in try store.delete(object) }
        return Reply(.ok)
    }

    /// Checks the description of a file, and begins its upload.
    func announce(
        _ request: OperationRequest, _ data: [UInt8]
    ) throws(ResponseCode) -> (any ObjectUpload, byteCount: UInt64) {
        guard store.access.mayAdd else { throw .storeReadOnly }
        guard [0, Self.storage].contains(request.parameter(0)) else { throw .invalidStorageID }
        let parent = request.parameter(1)
        if parent != ObjectHandle.root, parent != ObjectHandle.all {
            guard try visibleObjects()[parent]?.kind == .folder else { throw .invalidParentObject }
        }
        guard let info = try? ObjectInfoDataset(reading: data) else { throw .invalidDataset }
        guard let format = ObjectFormat(rawValue: info.format) else { throw .invalidObjectFormatCode }
        guard format != .association else { throw .accessDenied }
        // All ones: the size does not fit into 32 bits.
        guard info.compressedSize != .max else { throw .objectTooLarge }
        let byteCount = UInt64(info.compressedSize)
        let upload = try ResponseCode.from { () throws(OffloadError) in
            try store.beginUpload(name: info.name, format: format.fileFormat, byteCount: byteCount)
        }
        return (upload, byteCount)
    }
}

extension StoredObject {
    /// Whether the object is of a requested format: 0 means every object, all ones every image.
    func matches(format: UInt32) -> Bool {
        let own = ObjectFormat(self.format)
        return switch format {
        case 0: true
        case .max: own.isImage
        default: UInt32(own.rawValue) == format
        }
    }
}

extension ObjectHandle {
    /// As a parent: the root. As an object: all of them.
    static let all: UInt32 = 0xffff_ffff
}
