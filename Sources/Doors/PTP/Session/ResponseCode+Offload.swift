import Offload

extension ResponseCode {
    /// The response to an operation that the store refuses.
    init(_ error: OffloadError) {
        self =
            switch error {
            case .accessDenied: .accessDenied
            case .notFound: .invalidObjectHandle
            case .isFolder: .objectWriteProtected
            case .noThumbnail: .noThumbnailPresent
            case .unsupportedFormat: .invalidObjectFormatCode
            case .tooLarge: .objectTooLarge
            case .invalidFile: .invalidDataset
            case .incomplete: .incompleteTransfer
            case .storeFull: .storeFull
            case .readOnly: .storeReadOnly
            case .unavailable: .storeNotAvailable
            case .busy: .deviceBusy
            case .unsupported: .operationNotSupported
            case .failed: .generalError
            }
    }

    /// Runs a call of the store, with its errors as responses.
    static func from<Success>(_ call: () throws(OffloadError) -> Success) throws(ResponseCode) -> Success {
        do throws(OffloadError) {
            return try call()
        } catch {
            throw ResponseCode(error)
        }
    }
}

extension ObjectFormat {
    /// The format that stands for a kind of file.
    init(_ format: FileFormat) {
        self =
            switch format {
            case .folder: .association
            case .jpeg: .exifJPEG
            case .tiff: .tiff
            case .dng: .dng
            case .other: .undefined
            }
    }

    /// The kind of file that an initiator announces.
    var fileFormat: FileFormat {
        switch self {
        case .undefined: .other
        case .association: .folder
        case .exifJPEG, .jfif: .jpeg
        case .tiff: .tiff
        case .dng: .dng
        }
    }
}
