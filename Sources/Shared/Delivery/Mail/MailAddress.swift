import CountersignCore
import Foundation

/// An address as mail servers take it, with the name that is shown beside it.
///
/// What could be taken for another command or header does not become one. Addresses are ASCII on the wire: a domain in
/// other letters is written in its ASCII form (IDNA), a local part in other letters is refused, as too few servers take it
/// (RFC 6531; docs/decisions/0081-mail.md).
public struct MailAddress: Sendable, Equatable {
    public let address: String
    /// Shown beside the address; any text without controls.
    public let name: String?

    /// Nil where the text is no address that can be sent to.
    public init?(_ address: String, name: String? = nil) {
        guard let at = address.lastIndex(of: "@") else { return nil }
        let (local, domain) = (address[..<at], address[address.index(after: at)...])
        guard (1...64).contains(local.utf8.count), local.utf8.allSatisfy(Self.isLocal), !local.hasPrefix("."),
            !local.hasSuffix("."), !local.contains(".."), let host = Self.ascii(String(domain)),
            local.utf8.count + 1 + host.utf8.count <= 254
        else { return nil }
        guard !(name ?? "").unicodeScalars.contains(where: { CharacterSet.controlCharacters.contains($0) }) else {
            return nil
        }
        self.address = "\(local)@\(host)"
        self.name = name.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// `Name <address>`, `"Name" <address>` or an address alone: what configurations have.
    public init?(mailbox text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.hasSuffix(">"), let open = text.utf8.lastIndex(of: UInt8(ascii: "<")) else {
            self.init(text)
            return
        }
        var name = text[..<open].trimmingCharacters(in: .whitespaces)
        if name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") { name = String(name.dropFirst().dropLast()) }
        guard !name.utf8.contains(where: { "\"<>\\".utf8.contains($0) }) else { return nil }
        self.init(String(text[text.utf8.index(after: open)...].dropLast()), name: name)
    }

    /// What stands unquoted in a local part (RFC 5322, section 3.2.3).
    private static func isLocal(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "!#$%&'*+-/=?^_`{|}~.".utf8.contains(byte)
    }

    /// The domain in ASCII; nil where it is none.
    private static func ascii(_ domain: String) -> String? {
        var host = domain
        if !domain.utf8.allSatisfy({ $0 < 128 }) {
            guard let encoded = URLText.asciiHost(domain), encoded.contains("xn--") else { return nil }
            host = encoded
        }
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isHost = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
        }
        return isHost && host.utf8.count <= 253 ? host : nil
    }
}
