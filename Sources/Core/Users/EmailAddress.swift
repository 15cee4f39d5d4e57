import Foundation

/// An e-mail address that is good enough to send a mail to: something, one `@`, a domain, no white space or controls.
///
/// Two spellings that differ in case, in Unicode composition, or in how their domain is written (`exämple.org`, `xn--exmple-cua.org`) are
/// the same address, so that no user can sign up with a look-alike of another's address, and one mailbox has one account. What is stricter
/// than this belongs to the mail server that is asked to deliver.
public struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    /// As identity toolkits keep it: lower case, composed (Unicode NFC), the domain in the letters of its language.
    public let canonical: String
    /// As the row of its user has it, which lists go by: another text only where it was kept before domains had one spelling.
    public let kept: String

    /// Nil where the text cannot be an address: longer than 254 bytes (RFC 5321, section 4.5.3.1.3), no `@`, empty
    /// sides, white space, control characters, or quotes and separators that only serve to smuggle a second recipient.
    public init?(_ text: String) {
        // What is far too long is not composed first.
        guard text.utf8.count <= 1024 else { return nil }
        // Of visible ASCII nothing composes, and nothing is trimmed.
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        // Composed again in the end: lower case letters may compose where capitals did not.
        let text =
            isPlain
            ? text.lowercased()
            : text.trimmingCharacters(in: .whitespaces).precomposedStringWithCanonicalMapping.lowercased()
                .precomposedStringWithCanonicalMapping
        guard (3...254).contains(text.utf8.count), isPlain || Self.separatorsStandAlone(in: text) else { return nil }
        guard let text = Self.withDomainSpelled(text) else { return nil }
        let sides = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard sides.count == 2, let local = sides.first, let domain = sides.last, (1...64).contains(local.count)
        else { return nil }
        guard !text.utf8.contains(where: Self.smuggling.contains),
            isPlain || !text.unicodeScalars.contains(where: Self.invisible.contains)
        else { return nil }
        let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        guard labels.allSatisfy({ (1...63).contains($0.count) && $0.first != hyphen && $0.last != hyphen })
        else { return nil }
        (canonical, kept) = (text, text)
    }

    /// Quotes and separators that only serve to smuggle a second recipient.
    private static let smuggling = Array("\"<>()[],;:\\".utf8)
    private static let invisible = CharacterSet.controlCharacters.union(.whitespacesAndNewlines)

    /// An @ with an accent on it is another character to us, and still an @ to a mail server: what separates has to stand alone, and
    /// bytes count.
    private static func separatorsStandAlone(in text: String) -> Bool {
        let separators = [UInt8(ascii: "@"), UInt8(ascii: ".")]
        return text.count(where: { $0 == "@" || $0 == "." }) == text.utf8.count(where: separators.contains)
    }

    // MARK: Domains in other letters

    /// The text with its domain as it is kept: each of its spellings leads a mail to the same server (RFC 5891, section 5;
    /// Unicode Technical Standard #46). A domain that is none stays as it is. Nil where the result is too long.
    private static func withDomainSpelled(_ text: String) -> String? {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return text }
        let domain = String(text[text.utf8.index(after: at)...])
        guard !domain.utf8.allSatisfy({ $0 < 128 }) || hasASCIILabel(domain), URLText.isHost(domain),
            let parts = URLComponents(string: "http://\(domain)/"), let ascii = parts.encodedHost,
            let letters = parts.host, URLText.isHost(ascii), URLText.asciiHost(letters) == ascii
        else { return text }
        // What is short enough in ASCII may be too long in letters; then it is kept in ASCII, whichever way it came.
        let local = text[...at]
        let fitting = [letters, ascii].first { spelled in
            local.utf8.count + spelled.utf8.count <= 254
                && spelled.utf8.split(separator: UInt8(ascii: ".")).allSatisfy { $0.count <= 63 }
        }
        return fitting.map { "\(local)\($0)" }
    }

    /// With the domain in ASCII letters, as accounts may have it that were made before domains had one spelling; nil where it is
    /// the same.
    public var asciiSpelling: String? {
        guard let at = canonical.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let domain = String(canonical[canonical.utf8.index(after: at)...])
        guard !domain.utf8.allSatisfy({ $0 < 128 }), let ascii = URLText.asciiHost(domain) else { return nil }
        return "\(canonical[...at])\(ascii)"
    }

    private static let asciiLabel = Array("xn--".utf8)

    /// Whether a label of other letters may be there in ASCII. Asked of each row that is read.
    private static func hasASCIILabel(_ text: String) -> Bool {
        var matched = 0
        for byte in text.utf8 {
            matched = byte == asciiLabel[matched] ? matched + 1 : byte == asciiLabel[0] ? 1 : 0
            if matched == asciiLabel.count { return true }
        }
        return false
    }

    /// For stores: an address that may have been kept before domains had one spelling.
    public init(keptAtAnyTime text: String) {
        kept = text
        canonical = Self.hasASCIILabel(text) ? Self.withDomainSpelled(text) ?? text : text
    }

    /// For stores: an address that was judged before it was kept.
    public init(kept canonical: String) {
        (self.canonical, kept) = (canonical, canonical)
    }

    public static func == (one: EmailAddress, other: EmailAddress) -> Bool { one.canonical == other.canonical }
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }

    public var description: String { canonical }
}
