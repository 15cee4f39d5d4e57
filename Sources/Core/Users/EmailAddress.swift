import Foundation

/// An e-mail address that is good enough to send a mail to: something, one `@`, a domain, no white space or controls.
///
/// Two spellings that differ in case or in Unicode composition are the same address, so that nobody signs up as the
/// look-alike of another. What is stricter than this belongs to the mail server that is asked to deliver.
public struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    /// As identity toolkits keep it: lower case, composed (Unicode NFC).
    public let canonical: String

    /// Nil where the text cannot be an address: longer than 254 bytes (RFC 5321, section 4.5.3.1.3), no `@`, empty
    /// sides, white space, control characters, or quotes and separators that only serve to smuggle a second recipient.
    public init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces).precomposedStringWithCanonicalMapping.lowercased()
        guard (3...254).contains(text.utf8.count) else { return nil }
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, let local = sides.first, let domain = sides.last,
            (1...64).contains(local.utf8.count), !domain.isEmpty
        else { return nil }
        let forbidden = CharacterSet.controlCharacters.union(.whitespacesAndNewlines)
            .union(CharacterSet(charactersIn: "\"<>()[],;:\\"))
        guard text.unicodeScalars.allSatisfy({ !forbidden.contains($0) }) else { return nil }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 && !$0.hasPrefix("-") && !$0.hasSuffix("-") })
        else { return nil }
        canonical = text
    }

    /// For stores: an address that was judged before it was kept.
    public init(kept canonical: String) {
        self.canonical = canonical
    }

    public var description: String { canonical }
}
