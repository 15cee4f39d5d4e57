import Foundation

/// How text becomes lines that every mail server passes on as they are.
enum MailEncoding {
    /// Text for a header: as it is where it is ASCII and short, else in encoded words (RFC 2047), folded.
    ///
    /// Controls become spaces, so that no value begins another header.
    static func header(_ text: String) -> String {
        let clean = String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
        if clean.utf8.allSatisfy({ (32...126).contains($0) }), clean.utf8.count <= 60, !clean.contains("=?") {
            return clean
        }
        return encodedWords(clean)
    }

    /// Any text in encoded words, controls as spaces.
    static func encodedWords(_ text: String) -> String {
        let clean = text.unicodeScalars.map { isControl($0) ? " " : $0 }
        // 45 bytes are 60 characters in Base64, and 72 with what stands around them; an encoded word may have 75.
        var words: [[UInt8]] = [[]]
        for scalar in clean {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 45 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 32 || (127...159).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    /// A body and what to call its encoding: quoted-printable for what is nearly ASCII, Base64 for the rest (RFC 2045,
    /// section 6).
    static func body(_ text: String) -> (encoding: String, lines: String) {
        let bytes = Array(text.utf8)
        guard bytes.count(where: { $0 > 126 }) * 6 <= bytes.count else {
            let options: Data.Base64EncodingOptions = [
                .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
            ]
            return (
                "base64",
                Data(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8).base64EncodedString(
                    options: options) + "\r\n"
            )
        }
        return ("quoted-printable", quotedPrintable(text))
    }

    /// Lines of at most 76 characters (RFC 2045, section 6.7).
    static func quotedPrintable(_ text: String) -> String {
        var result = ""
        for line in text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            var length = 0
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                let isLast = index == bytes.count - 1
                let isPlain =
                    (33...126).contains(byte) && byte != UInt8(ascii: "=")
                    && !(length == 0 && byte == UInt8(ascii: "."))
                    || (byte == 32 || byte == 9) && !isLast
                let piece = isPlain ? String(UnicodeScalar(byte)) : "=" + hex(byte)
                if length + piece.utf8.count > 75 {
                    result += "=\r\n"
                    length = 0
                }
                result += piece
                length += piece.utf8.count
            }
            result += "\r\n"
        }
        return result
    }

    private static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0\(text)" : text
    }
}
