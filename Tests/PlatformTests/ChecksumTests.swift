import Testing

@testable import Platform

@Suite("Checksums")
struct ChecksumTests {
    @Test(
        "sums are those of the xxHash reference implementation",
        arguments: [
            (0, 0xef46_db37_51d8_e999), (1, 0x8a41_2781_1b21_e730), (4, 0x22ed_a2cf_6af4_c124),
            (8, 0xc6f1_803a_5e0b_3222), (14, 0xff34_ee32_a5c9_ecfe), (31, 0x6ab1_c40e_29f5_0073),
            (32, 0x5a07_56fb_e9ec_d3d1), (33, 0xdc50_cdc3_7bb9_c183), (63, 0x10dd_9488_5c71_894a),
            (100, 0xd248_bfc5_208b_0b16), (1000, 0x6be0_3acb_f959_c413),
        ] as [(Int, UInt64)])
    func reference(count: Int, sum: UInt64) {
        let bytes = (0..<count).map { UInt8(($0 * 7 + 1) % 256) }
        #expect(bytes.withUnsafeBytes { Checksum.of($0) } == sum)
        for piece in [1, 3, 31, 32, 33, 500] {
            var pieces = Checksum()
            for start in stride(from: 0, to: count, by: piece) {
                bytes[start..<min(start + piece, count)].withUnsafeBytes { pieces.add($0) }
            }
            #expect(pieces.value == sum, "in pieces of \(piece)")
        }
    }
}
