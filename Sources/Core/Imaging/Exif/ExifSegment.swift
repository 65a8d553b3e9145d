import CExif
import Platform

/// Builds the Exif segment of a photo as DCF asks for it (Exif 2.32, DCF 2.0).
package enum ExifSegment {
    /// Most bytes of a segment after its marker and length field (ISO/IEC 10918-1, B.1.1.4).
    package static let limit = 65_533

    /// What UserComment says when the date cannot be believed.
    static let untrustedClock = Array("ASCII\0\0\0clock not trusted".utf8)

    /// The bytes of a whole file up to the end of APP1: SOI, marker, length, content.
    ///
    /// - Parameters:
    ///   - metadata: what is known; nil leaves only what showing the picture needs.
    ///   - orientation: written also without metadata, or the picture would be shown turned.
    ///   - thumbnail: a JPEG without a JFIF segment.
    package static func fileHead(
        metadata: PhotoMetadata?, orientation: Int, width: Int, height: Int, thumbnail: [UInt8]?, limit: Int = limit
    ) throws(ImagingError) -> [UInt8] {
        let tree = try ExifTree()
        try putStructure(tree, orientation: orientation, width: width, height: height)
        if let metadata {
            try putOrigin(tree, metadata)
            try putDates(tree, metadata.captureTime)
            try putExposure(tree, metadata)
            if let lens = metadata.lens { try putLens(tree, lens) }
            if let position = metadata.position { try putPosition(tree, position) }
        }
        if let thumbnail { try putThumbnail(tree, thumbnail) }
        let content = try tree.serialized()
        guard content.count <= limit else { throw .metadataTooLarge }
        let length = content.count + 2
        return [0xff, 0xd8, 0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)] + content
    }

    private static func putStructure(
        _ tree: ExifTree, orientation: Int, width: Int, height: Int
    ) throws(ImagingError) {
        try tree.putShort(.primary, Tag.orientation, (1...8).contains(orientation) ? orientation : 1)
        try putResolution(tree, .primary)
        try tree.putShort(.primary, Tag.yCbCrPositioning, 1)
        try tree.putBytes(.exif, Tag.exifVersion, Array("0232".utf8))
        try tree.putBytes(.exif, Tag.componentsConfiguration, [1, 2, 3, 0])
        try tree.putBytes(.exif, Tag.flashpixVersion, Array("0100".utf8))
        try tree.putShort(.exif, Tag.colorSpace, 1)
        try tree.putLong(.exif, Tag.pixelXDimension, width)
        try tree.putLong(.exif, Tag.pixelYDimension, height)
        try tree.putText(.interoperability, Tag.interoperabilityIndex, "R98")
        try tree.putBytes(.interoperability, Tag.interoperabilityVersion, Array("0100".utf8))
    }

    private static func putResolution(_ tree: ExifTree, _ directory: ExifTree.Directory) throws(ImagingError) {
        let dotsPerInch = [ExifRational(numerator: 72, denominator: 1)]
        try tree.putRationals(directory, Tag.xResolution, dotsPerInch)
        try tree.putRationals(directory, Tag.yResolution, dotsPerInch)
        try tree.putShort(directory, Tag.resolutionUnit, 2)
    }

    private static func putOrigin(_ tree: ExifTree, _ metadata: PhotoMetadata) throws(ImagingError) {
        let texts: [(ExifTree.Directory, UInt32, String?)] = [
            (.primary, Tag.make, metadata.make), (.primary, Tag.model, metadata.model),
            (.primary, Tag.software, metadata.software), (.primary, Tag.imageDescription, metadata.imageDescription),
            (.primary, Tag.artist, metadata.artist), (.primary, Tag.copyright, metadata.copyright),
            (.exif, Tag.bodySerialNumber, metadata.bodySerialNumber),
        ]
        for case (let directory, let tag, let text?) in texts {
            try tree.putText(directory, tag, ExifText.ascii(text))
        }
        if let identifier = metadata.imageUniqueID, identifier.utf8.count == 32,
            identifier.allSatisfy({ $0.isASCII && $0.isHexDigit })
        {
            try tree.putText(.exif, Tag.imageUniqueID, identifier)
        }
    }

    private static func putDates(_ tree: ExifTree, _ time: WallTime) throws(ImagingError) {
        try tree.putText(.primary, Tag.dateTime, time.exifDateTime)
        for tag in [Tag.dateTimeOriginal, Tag.dateTimeDigitized] {
            try tree.putText(.exif, tag, time.exifDateTime)
        }
        for tag in [Tag.subSecTime, Tag.subSecTimeOriginal, Tag.subSecTimeDigitized] {
            try tree.putText(.exif, tag, time.exifSubsecond)
        }
        for tag in [Tag.offsetTime, Tag.offsetTimeOriginal, Tag.offsetTimeDigitized] {
            try tree.putText(.exif, tag, time.offsetText)
        }
        if !time.isTrusted { try tree.putBytes(.exif, Tag.userComment, untrustedClock) }
    }

    private static func putExposure(_ tree: ExifTree, _ metadata: PhotoMetadata) throws(ImagingError) {
        if let time = metadata.exposureTime.flatMap(ExifFractions.positive) {
            try tree.putRationals(.exif, Tag.exposureTime, [time])
        }
        if let isoSpeed = metadata.isoSpeed, isoSpeed > 0 {
            // PhotographicSensitivity has 16 bits; type 3 says that ISOSpeed holds the whole number.
            try tree.putShort(.exif, Tag.photographicSensitivity, isoSpeed)
            try tree.putShort(.exif, Tag.sensitivityType, 3)
            try tree.putLong(.exif, Tag.isoSpeed, isoSpeed)
        }
        if let bias = metadata.exposureBias.flatMap(ExifFractions.exposureBias) {
            try tree.putSignedRational(.exif, Tag.exposureBiasValue, bias)
        }
        if let distance = metadata.subjectDistance.flatMap(ExifFractions.distance) {
            try tree.putRationals(.exif, Tag.subjectDistance, [distance])
        }
        if let zoom = ExifFractions.positive(metadata.digitalZoomRatio) {
            try tree.putRationals(.exif, Tag.digitalZoomRatio, [zoom])
        }
        try tree.putShort(.exif, Tag.exposureProgram, metadata.isManualExposure ? 1 : 2)
        try tree.putShort(.exif, Tag.exposureMode, metadata.isManualExposure ? 1 : 0)
        try tree.putShort(.exif, Tag.whiteBalance, metadata.isManualWhiteBalance ? 1 : 0)
        try tree.putShort(.exif, Tag.meteringMode, (1...6).contains(metadata.meteringMode) ? metadata.meteringMode : 0)
        try tree.putShort(.exif, Tag.flash, 0)
        try tree.putShort(.exif, Tag.sceneCaptureType, 0)
    }

    private static func putLens(_ tree: ExifTree, _ lens: PhotoMetadata.Lens) throws(ImagingError) {
        if let fNumber = lens.fNumber.flatMap(ExifFractions.positive) {
            try tree.putRationals(.exif, Tag.fNumber, [fNumber])
        }
        if let length = lens.focalLength.flatMap(ExifFractions.positive) {
            try tree.putRationals(.exif, Tag.focalLength, [length])
        }
        if let length = lens.focalLengthIn35mm, length > 0 {
            try tree.putShort(.exif, Tag.focalLengthIn35mmFilm, length)
        }
        if let model = lens.model { try tree.putText(.exif, Tag.lensModel, ExifText.ascii(model)) }
    }

    private static func putPosition(_ tree: ExifTree, _ position: PhotoMetadata.Position) throws(ImagingError) {
        guard abs(position.latitude) <= 90, abs(position.longitude) <= 180 else { return }
        try tree.putByteNumbers(.gps, Tag.gpsVersionID, [2, 3, 0, 0])
        try tree.putText(.gps, Tag.gpsLatitudeRef, position.latitude < 0 ? "S" : "N")
        try tree.putRationals(.gps, Tag.gpsLatitude, ExifFractions.angle(position.latitude))
        try tree.putText(.gps, Tag.gpsLongitudeRef, position.longitude < 0 ? "W" : "E")
        try tree.putRationals(.gps, Tag.gpsLongitude, ExifFractions.angle(position.longitude))
        if let altitude = position.altitude, abs(altitude) < 1_000_000 {
            let centimeters = UInt32((abs(altitude) * 100).rounded())
            try tree.putByteNumbers(.gps, Tag.gpsAltitudeRef, [altitude < 0 ? 1 : 0])
            try tree.putRationals(
                .gps, Tag.gpsAltitude, [ExifRational(numerator: centimeters, denominator: 100)])
        }
        try tree.putText(.gps, Tag.gpsMapDatum, "WGS-84")
    }

    private static func putThumbnail(_ tree: ExifTree, _ jpeg: [UInt8]) throws(ImagingError) {
        try tree.putShort(.thumbnail, Tag.compression, 6)
        try putResolution(tree, .thumbnail)
        try jpeg.withBytes { (bytes) throws(ImagingError) in try tree.setThumbnail(bytes) }
    }
}

/// Text for Exif's ASCII fields.
package enum ExifText {
    /// Longest text written to one field, in bytes without the final zero.
    package static let limit = 2_000

    /// The text in printable ASCII: Latin letters lose their marks, what has no Latin base is left out, white space
    /// becomes single spaces, and the result is cut to `limit`.
    package static func ascii(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            guard result.utf8.count < limit else { break }
            if scalar.properties.isWhitespace {
                if !result.isEmpty, !result.hasSuffix(" ") { result += " " }
            } else if scalar.isASCII {
                if scalar.value > 0x20, scalar.value < 0x7f { result.unicodeScalars.append(scalar) }
            } else {
                result += base(of: scalar)
            }
        }
        while result.utf8.count > limit || result.hasSuffix(" ") { result.removeLast() }
        return result
    }

    /// The ASCII letters a Latin letter is built on, read from its name in Unicode: `LATIN SMALL LETTER E WITH ACUTE`.
    private static func base(of scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "ß": return "ss"
        case "©": return "(c)"
        case "‘", "’": return "'"
        case "“", "”": return "\""
        case "‐", "‑", "–", "—": return "-"
        default: break
        }
        guard let words = scalar.properties.name?.split(separator: " "), words.count >= 4,
            words[0] == "LATIN", words[2] == "LETTER", words[3].utf8.count <= 2,
            words.count == 4 || words[4] == "WITH"
        else { return "" }
        return words[1] == "SMALL" ? words[3].lowercased() : String(words[3])
    }
}
