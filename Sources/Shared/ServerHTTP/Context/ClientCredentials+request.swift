import CountersignCore
import Foundation
import JSON

extension ClientCredentials {
    /// Reads what a request shows of its application (RFC 6749, section 2.3.1; RFC 7617; RFC 7521, section 4.2). Judges
    /// nothing.
    /// - Parameter parameter: a parameter of the body; nil where it is missing or empty.
    public init(authorization: Authorization, parameter: (String) -> String?) {
        self.init(
            clientID: parameter("client_id"), secret: parameter("client_secret").map { Secret($0) },
            assertion: parameter("client_assertion").map { Secret($0) },
            assertionType: parameter("client_assertion_type"))
        guard let pair = authorization.credentials("Basic") else { return }
        basic = Basic(Secret(pair))
        hasUnreadableBasic = basic == nil
    }
}

extension ClientCredentials.Basic {
    /// Reads what stands after `Basic `; nil where it is no Base64 of two texts with a colon between them, or would take long to compare.
    public init?(_ text: Secret<String>) {
        guard let bytes = Self.bytes(ofBase64: text.reveal()), let pair = String(validating: bytes, as: UTF8.self),
            StackedMarks.areFew(in: pair)
        else {
            return nil
        }
        guard let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (name, secret) = (pair[..<colon], pair[pair.utf8.index(after: colon)...])
        let spellings =
            secret.utf8.contains(where: FormText.isEncoded)
            ? [FormText.decoded(secret), FormText.unescaped(secret), String(secret)] : [String(secret)]
        self.init(
            clientID: FormText.decoded(name) ?? String(name),
            spellings: spellings.compactMap { $0.map { Secret($0) } })
    }

    /// The bytes of Base64 (RFC 4648, section 4). The form that an encoder writes is read by our own reader; whatever else there may be, and
    /// whether it is any, is Foundation's to say.
    static func bytes(ofBase64 text: String) -> [UInt8]? {
        if let bytes = Base64URL.decode(text, accepting: [.otherAlphabet, .padding]),
            text.utf8.count == (bytes.count + 2) / 3 * 4,
            !text.utf8.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        {
            return bytes
        }
        return Data(base64Encoded: text).map { Array($0) }
    }
}
