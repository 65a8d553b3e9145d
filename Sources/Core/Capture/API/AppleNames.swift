// Apple's names for the types of this module, so that code written against Apple's documentation needs another import
// and nothing else. Differences are in docs/apple-names.md.

/// Apple's name for `CaptureSession`.
public typealias AVCaptureSession = CaptureSession
/// Apple's name for `CaptureDevice`.
public typealias AVCaptureDevice = CaptureDevice
/// Apple's name for `CaptureDeviceInput`.
public typealias AVCaptureDeviceInput = CaptureDeviceInput
/// Apple's name for `CaptureDevice.MediaType`.
public typealias AVMediaType = CaptureDevice.MediaType
/// Apple's name for `CaptureDevice.AuthorizationStatus`.
public typealias AVAuthorizationStatus = CaptureDevice.AuthorizationStatus
/// Apple's name for `CapturePhotoOutput`.
public typealias AVCapturePhotoOutput = CapturePhotoOutput
/// Apple's name for `CapturePhotoSettings`.
public typealias AVCapturePhotoSettings = CapturePhotoSettings
/// Apple's name for `CapturePhotoBracketSettings`.
public typealias AVCapturePhotoBracketSettings = CapturePhotoBracketSettings
/// Apple's name for `CaptureBracketedStillImageSettings`.
public typealias AVCaptureBracketedStillImageSettings = CaptureBracketedStillImageSettings
/// Apple's name for `CaptureAutoExposureBracketedStillImageSettings`.
public typealias AVCaptureAutoExposureBracketedStillImageSettings = CaptureAutoExposureBracketedStillImageSettings
/// Apple's name for `CaptureManualExposureBracketedStillImageSettings`.
public typealias AVCaptureManualExposureBracketedStillImageSettings = CaptureManualExposureBracketedStillImageSettings
/// Apple's name for `CapturePhotoCaptureDelegate`.
public typealias AVCapturePhotoCaptureDelegate = CapturePhotoCaptureDelegate
/// Apple's name for `CapturePhoto`.
public typealias AVCapturePhoto = CapturePhoto
/// Apple's name for `CaptureResolvedPhotoSettings`.
public typealias AVCaptureResolvedPhotoSettings = CaptureResolvedPhotoSettings
/// Apple's name for `CapturePhotoFileDataRepresentationCustomizer`.
public typealias AVCapturePhotoFileDataRepresentationCustomizer = CapturePhotoFileDataRepresentationCustomizer
/// Apple's name for `CapturePhotoSettings.CodecType`.
public typealias AVVideoCodecType = CapturePhotoSettings.CodecType

// Constants have no alias in the language.

/// Apple's name for `CapturePhotoSettings.codecKey`.
public let AVVideoCodecKey = CapturePhotoSettings.codecKey
/// Apple's name for `CapturePhotoSettings.compressionPropertiesKey`.
public let AVVideoCompressionPropertiesKey = CapturePhotoSettings.compressionPropertiesKey
/// Apple's name for `CapturePhotoSettings.compressionQualityKey`.
public let AVVideoQualityKey = CapturePhotoSettings.compressionQualityKey
