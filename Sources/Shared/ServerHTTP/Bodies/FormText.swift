import Foundation
import JSON

/// A name or a value in the encoding of forms.
enum FormText {
    /// Whether a byte of it does not stand for itself. Most texts have none.
    static func isEncoded(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") }

    /// The text, with a space for each plus sign.
    /// - Parameter offset: where the fault is said to be.
    static func decoded(_ encoded: ArraySlice<UInt8>, at offset: Int) throws(RequestBodyFault) -> String {
        // Most names and values are ASCII that stands for itself.
        if encoded.allSatisfy({ $0 < 0x80 && !isEncoded($0) }) { return String(decoding: encoded, as: UTF8.self) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexadecimalDigit),
                    let low = rest.popFirst().flatMap(hexadecimalDigit)
                else { throw .malformed(reason: "an invalid percent escape", offset: offset) }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8 }
        guard StackedMarks.areFew(in: text) else {
            throw .malformed(reason: "too many marks on one letter", offset: offset)
        }
        return text
    }

    /// The same; nil where an escape is none or the bytes are not UTF-8.
    static func decoded(_ text: Substring) -> String? { try? decoded(Array(text.utf8)[...], at: 0) }

    /// The text without its escapes, where a plus sign is one; nil where an escape is none or the bytes are not UTF-8.
    static func unescaped(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return text.removingPercentEncoding
    }

    /// The value of an ASCII hexadecimal digit in either case.
    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
