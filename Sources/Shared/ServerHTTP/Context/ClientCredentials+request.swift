import CountersignCore
import Foundation

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
    /// Reads what stands after `Basic `; nil where it is no Base64 of two texts with a colon between them.
    public init?(_ text: Secret<String>) {
        guard let data = Data(base64Encoded: text.reveal()), let pair = String(bytes: data, encoding: .utf8) else {
            return nil
        }
        let parts = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(
            clientID: FormText.decoded(parts[0]) ?? String(parts[0]),
            spellings: [FormText.decoded(parts[1]), FormText.unescaped(parts[1]), String(parts[1])]
                .compactMap { $0.map { Secret($0) } })
    }
}
