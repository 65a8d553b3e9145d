import Testing

@testable import MassStorage

@Suite("Names of eight and three characters")
struct FATNameTests {
    @Test(
        "a name that is one already is kept, in capitals",
        arguments: [
            ("PINH0001.JPG", "PINH0001JPG"), ("100PINHL", "100PINHL   "), ("a.b", "A       B  "),
            ("_MG_0001.dng", "_MG_0001DNG"),
        ])
    func exact(name: String, bytes: String) {
        #expect(FATName(name)?.bytes == Array(bytes.utf8))
    }

    @Test(
        "other names are none",
        arguments: [
            "", ".", "..", ".JPG", "A.", "ABCDEFGHI.JPG", "A.JPEG", "A B.JPG", "A.B.C", "Ä.JPG", "A/B", "A\0B", "A+B",
        ])
    func none(name: String) {
        #expect(FATName(name) == nil)
    }

    @Test(
        "a name that is too long or has other characters is shortened",
        arguments: [
            ("holiday 2026.jpeg", 1, "HOLIDA~1JPE"), ("Übung.JPG", 12, "_BUNG~12JPG"), ("a.b.c", 1, "AB~1    C  "),
            (".hidden", 1, "HIDDEN~1   "), ("", 1, "FILE~1     "), ("...", 3, "FILE~3     "),
            ("ABCDEFGH", 65535, "AB~65535   "),
        ])
    func shortened(name: String, number: Int, bytes: String) {
        #expect(FATName(shortening: name, number: number).bytes == Array(bytes.utf8))
    }

    @Test("in a directory each name is there once, whatever it is shortened to")
    func once() {
        var directory = FATDirectory(parent: 0, name: .itself)
        let names = ["LONGNA~2.JPE", "a.JPG", "A.JPG", "long name.jpeg", "long names.jpeg", "LONGNA~1.JPE"]
        let given = names.map { directory.reserve($0).map { String(decoding: $0.bytes, as: UTF8.self) } }
        #expect(
            given == [
                "LONGNA~2JPE", "A       JPG", "A~1     JPG", "LONGNA~1JPE", "LONGNA~3JPE", "LONGNA~4JPE",
            ])
    }
}
