/// Tag numbers of TIFF 6.0, DNG 1.4, Exif 2.32 and DCF 2.0, by the names used there.
enum Tag {
    // TIFF
    static let newSubfileType: UInt32 = 0x00fe
    static let imageWidth: UInt32 = 0x0100
    static let imageLength: UInt32 = 0x0101
    static let bitsPerSample: UInt32 = 0x0102
    static let compression: UInt32 = 0x0103
    static let photometricInterpretation: UInt32 = 0x0106
    static let imageDescription: UInt32 = 0x010e
    static let make: UInt32 = 0x010f
    static let model: UInt32 = 0x0110
    static let stripOffsets: UInt32 = 0x0111
    static let orientation: UInt32 = 0x0112
    static let samplesPerPixel: UInt32 = 0x0115
    static let stripByteCounts: UInt32 = 0x0117
    static let xResolution: UInt32 = 0x011a
    static let yResolution: UInt32 = 0x011b
    static let resolutionUnit: UInt32 = 0x0128
    static let software: UInt32 = 0x0131
    static let dateTime: UInt32 = 0x0132
    static let artist: UInt32 = 0x013b
    static let tileOffsets: UInt32 = 0x0144
    static let tileByteCounts: UInt32 = 0x0145
    static let subIFDs: UInt32 = 0x014a
    static let jpegInterchangeFormat: UInt32 = 0x0201
    static let jpegInterchangeFormatLength: UInt32 = 0x0202
    static let yCbCrPositioning: UInt32 = 0x0213
    static let copyright: UInt32 = 0x8298
    static let exifIFD: UInt32 = 0x8769
    static let dngVersion: UInt32 = 0xc612

    // Exif
    static let exposureTime: UInt32 = 0x829a
    static let fNumber: UInt32 = 0x829d
    static let exposureProgram: UInt32 = 0x8822
    static let photographicSensitivity: UInt32 = 0x8827
    static let sensitivityType: UInt32 = 0x8830
    static let isoSpeed: UInt32 = 0x8833
    static let exifVersion: UInt32 = 0x9000
    static let dateTimeOriginal: UInt32 = 0x9003
    static let dateTimeDigitized: UInt32 = 0x9004
    static let offsetTime: UInt32 = 0x9010
    static let offsetTimeOriginal: UInt32 = 0x9011
    static let offsetTimeDigitized: UInt32 = 0x9012
    static let componentsConfiguration: UInt32 = 0x9101
    static let exposureBiasValue: UInt32 = 0x9204
    static let subjectDistance: UInt32 = 0x9206
    static let meteringMode: UInt32 = 0x9207
    static let flash: UInt32 = 0x9209
    static let focalLength: UInt32 = 0x920a
    static let userComment: UInt32 = 0x9286
    static let subSecTime: UInt32 = 0x9290
    static let subSecTimeOriginal: UInt32 = 0x9291
    static let subSecTimeDigitized: UInt32 = 0x9292
    static let flashpixVersion: UInt32 = 0xa000
    static let colorSpace: UInt32 = 0xa001
    static let pixelXDimension: UInt32 = 0xa002
    static let pixelYDimension: UInt32 = 0xa003
    static let exposureMode: UInt32 = 0xa402
    static let whiteBalance: UInt32 = 0xa403
    static let digitalZoomRatio: UInt32 = 0xa404
    static let focalLengthIn35mmFilm: UInt32 = 0xa405
    static let sceneCaptureType: UInt32 = 0xa406
    static let imageUniqueID: UInt32 = 0xa420
    static let bodySerialNumber: UInt32 = 0xa431
    static let lensModel: UInt32 = 0xa434

    // GPS
    static let gpsVersionID: UInt32 = 0x0000
    static let gpsLatitudeRef: UInt32 = 0x0001
    static let gpsLatitude: UInt32 = 0x0002
    static let gpsLongitudeRef: UInt32 = 0x0003
    static let gpsLongitude: UInt32 = 0x0004
    static let gpsAltitudeRef: UInt32 = 0x0005
    static let gpsAltitude: UInt32 = 0x0006
    static let gpsMapDatum: UInt32 = 0x0012

    // Interoperability
    static let interoperabilityIndex: UInt32 = 0x0001
    static let interoperabilityVersion: UInt32 = 0x0002
}
