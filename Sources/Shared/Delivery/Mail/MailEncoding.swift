import CountersignCore
import Foundation

/// How text becomes lines that every mail server passes on as they are.
enum MailEncoding {
    /// Text for a header: as it is where it is ASCII and short, else in encoded words (RFC 2047), folded.
    ///
    /// Controls become spaces, so that no value begins another header.
    static func header(_ text: String) -> String {
        let clean = String(String.UnicodeScalarView(text.unicodeScalars.map { PlainText.isControl($0) ? " " : $0 }))
        if clean.utf8.allSatisfy({ (32...126).contains($0) }), clean.utf8.count <= 60, !clean.contains("=?") {
            return clean
        }
        return encodedWords(clean)
    }

    /// Any text in encoded words, controls as spaces.
    static func encodedWords(_ text: String) -> String {
        let clean = text.unicodeScalars.map { PlainText.isControl($0) ? " " : $0 }
        // 45 bytes are 60 characters in Base64, and 72 with what stands around them; an encoded word may have 75.
        var words: [[UInt8]] = [[]]
        for scalar in clean {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 45 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
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

    /// Lines of at most 76 characters (RFC 2045, section 6.7). LF and CR LF end lines; any other CR is encoded.
    static func quotedPrintable(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 8 + 16)
        var length = 0
        var index = 0
        func endsLine(at index: Int) -> Bool {
            index == bytes.count || bytes[index] == 10
                || bytes[index] == 13 && index + 1 < bytes.count && bytes[index + 1] == 10
        }
        while index < bytes.count {
            let byte = bytes[index]
            if endsLine(at: index) {
                result += [13, 10]
                length = 0
                index += byte == 10 ? 1 : 2
                continue
            }
            let isPlain =
                (33...126).contains(byte) && byte != UInt8(ascii: "=") && !(length == 0 && byte == UInt8(ascii: "."))
                || (byte == 32 || byte == 9) && !endsLine(at: index + 1)
            if length + (isPlain ? 1 : 3) > 75 {
                result += [UInt8(ascii: "="), 13, 10]
                length = 0
            }
            if isPlain {
                result.append(byte)
                length += 1
            } else {
                result += [UInt8(ascii: "="), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
                length += 3
            }
            index += 1
        }
        result += [13, 10]
        return String(decoding: result, as: UTF8.self)
    }

    private static let hex = Array("0123456789ABCDEF".utf8)
}
