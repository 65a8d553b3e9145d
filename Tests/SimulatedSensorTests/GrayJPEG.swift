import Foundation

/// A gray JPEG file of 50 by 34 pixels, 40 + 170 x / width at each, as TurboJPEG made it at quality 90.
enum GrayJPEG {
    static let bytes = Array(
        Data(
            base64Encoded: """
                /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8X
                GBYUGBIUFRT/wAALCAAiADIBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQR
                BRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4
                eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEB
                AAA/APjPw/2r0nw//DXpHh/+GvSfD/8ADXpHh/8Ahr0nw/2rsF+6PpX4yeH+1ek+H/4a9I8P/wANek+H/wCGvSPD/wDDXpPh/tXYL90fSvxk
                8P8AavSfD/8ADXpHh/8Ahr0nw/8Aw16R4f8A4a9J8P8AauwX7o+lfjJ4f7V6T4f/AIa9I8P/AMNek+H/AOGvSPD/APDXpPh/tXYL90fSvxk8
                P9q9J8P/AMNekeH/AOGvSfD/APDXpHh/+GvSfD/auwX7o+lf/9k=
                """, options: .ignoreUnknownCharacters) ?? Data())
}
