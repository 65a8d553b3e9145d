import Offload

/// The operations of MTP on objects and their properties.
extension Responder {
    func objectPropertiesSupported(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        let format = try format(request.parameter(0))
        return Reply(.array(ObjectPropertyCode.supported(for: format).map(\.rawValue)))
    }

    func objectPropertyDescription(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        let code = try propertyCode(request.parameter(0))
        let format = try format(request.parameter(1))
        guard ObjectPropertyCode.supported(for: format).contains(code) else { throw .objectPropNotSupported }
        return Reply(.bytes(ObjectPropDescDataset(code: code, format: format).bytes))
    }

    func objectPropertyValue(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        let object = try object(request)
        let code = try propertyCode(request.parameter(1))
        guard ObjectPropertyCode.supported(for: ObjectFormat(object.format)).contains(code) else {
            throw .objectPropNotSupported
        }
        return Reply(.value(code.value(of: object, storage: Self.storage)))
    }

    /// Lists properties of an object, of a folder's contents, or of all objects.
    ///
    /// Parameters: object, format, property, group of properties, depth.
    func objectPropertyList(_ request: OperationRequest) throws(ResponseCode) -> Reply {
        let wanted = request.parameter(2)
        guard request.parameter(3) == 0, wanted != 0 else { throw .specificationByGroupUnsupported }
        let code = wanted == .max ? nil : try propertyCode(wanted)
        let objects = try objects(request.parameter(0), depth: request.parameter(4))
            .filter { $0.matches(format: request.parameter(1)) }
        return Reply(.bytes(ObjectPropListDataset(objects: objects, storage: Self.storage, code: code).bytes))
    }

    /// The objects that a handle and a depth name: handle 0 means the root, all ones mean every object.
    private func objects(_ handle: UInt32, depth: UInt32) throws(ResponseCode) -> [StoredObject] {
        guard [0, 1, .max].contains(depth) else { throw .specificationByDepthUnsupported }
        let table = try visibleObjects()
        if handle == ObjectHandle.all || (handle == ObjectHandle.root && depth == .max) { return table.objects }
        if handle == ObjectHandle.root { return table.children(of: ObjectHandle.root) }
        guard let object = table[handle] else { throw .invalidObjectHandle }
        switch depth {
        case 0: return [object]
        case 1: return [object] + table.children(of: handle)
        default:
            // Parents stand before their children.
            var folders: Set = [handle]
            var objects = [object]
            for object in table.objects where folders.contains(object.parent) {
                if object.kind == .folder { folders.insert(object.handle) }
                objects.append(object)
            }
            return objects
        }
    }

    private func format(_ parameter: UInt32) throws(ResponseCode) -> ObjectFormat {
        guard let format = UInt16(exactly: parameter).flatMap(ObjectFormat.init(rawValue:)) else {
            throw .invalidObjectFormatCode
        }
        return format
    }

    private func propertyCode(_ parameter: UInt32) throws(ResponseCode) -> ObjectPropertyCode {
        guard let code = UInt16(exactly: parameter).flatMap(ObjectPropertyCode.init(rawValue:)) else {
            throw .invalidObjectPropCode
        }
        return code
    }
}
