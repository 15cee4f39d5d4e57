import Foundation
import JSON

/// A compact JWS (RFC 7515, section 3.1) that a stranger sent: each part is decoded once, and nothing is verified.
package struct ReceivedToken: Sendable {
    package let header: JWSHeader
    /// What the signature is made over: the first two parts as they were sent.
    package let signedText: Data
    package let signature: Data
    private let payload: [UInt8]

    /// Nil for what ``CompactJWS/init(untrusted:)`` and ``JWSHeader`` do not take.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= CompactJWS.longestUntrusted else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(utf8: parts[0]), let header = JWSHeader(json: head),
            let payload = Base64URL.decode(utf8: parts[1]), let signature = Base64URL.decode(utf8: parts[2])
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = Data(signature)
        signedText = Data(bytes[..<(parts[2].startIndex - 1)])
    }

    /// What the token says, once it is known who says it; nil where that is no JSON object of bounded depth.
    package var claims: TokenClaims? {
        guard case .object(let members)? = try? JSONParser.parse(payload, depthLimit: CompactJWS.deepestUntrusted)
        else {
            return nil
        }
        return TokenClaims(members)
    }
}
