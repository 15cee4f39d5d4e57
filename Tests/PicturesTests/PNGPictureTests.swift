import Pictures
import Testing

/// Pictures of strangers: what is served was decoded and written anew.
@Suite struct PNGPictureTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    /// One grey pixel: signature, IHDR, IDAT, IEND.
    static let grey: [UInt8] = bytes(
        "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a494441"
            + "54789c636800000082008177cd72b60000000049454e44ae426082")

    /// 1,025 of them in a row.
    static let wide: [UInt8] = bytes(
        "89504e470d0a1a0a0000000d49484452000004010000000108000000008aa7e8d700000011494441"
            + "54789c63681805a360148c5c000040af009ff5bdf7190000000049454e44ae426082")

    @Test
    func `A picture is written anew, and the same once more`() throws {
        let picture = try PNGPicture(reencoding: Self.grey)
        #expect(picture.width == 1 && picture.height == 1)
        #expect(picture.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(try PNGPicture(reencoding: picture.bytes) == picture)
    }

    @Test
    func `What is in the file beside the picture is gone`() throws {
        let hidden = Array("<script>alert(1)</script>".utf8)
        let picture = try PNGPicture(reencoding: Self.grey + hidden)
        #expect(!picture.bytes.contains(hidden))
        #expect(try picture == PNGPicture(reencoding: Self.grey))
    }

    @Test(arguments: [
        [], Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), Array("GIF89a".utf8),
        Array(grey.prefix(8)), Array(grey.prefix(40)), Array(grey.dropFirst()),
    ])
    func `What is no whole PNG is refused`(file: [UInt8]) {
        #expect(throws: PNGPicture.Fault.unreadable) { try PNGPicture(reencoding: file) }
    }

    @Test
    func `A file or a picture that is too large is refused before it is decoded`() {
        #expect(throws: PNGPicture.Fault.tooLarge) {
            try PNGPicture(reencoding: Self.grey + [UInt8](repeating: 0, count: PNGPicture.largestFile))
        }
        #expect(throws: PNGPicture.Fault.wrongSize) { try PNGPicture(reencoding: Self.wide) }
    }

    @Test
    func `Twenty thousand damaged files are refused or read, and none does harm`() {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var (read, refused) = (0, 0)
        for _ in 0..<20_000 {
            var file = Self.grey
            for _ in 0...next(3) { file[next(file.count)] = UInt8(next(256)) }
            if next(4) == 0 { file.removeLast(next(file.count)) }
            do throws(PNGPicture.Fault) {
                let picture = try PNGPicture(reencoding: file)
                read += picture.width > 0 ? 1 : 0
            } catch {
                refused += 1
            }
        }
        #expect(read + refused == 20_000 && refused > 10_000, "\(read) read, \(refused) refused")
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
