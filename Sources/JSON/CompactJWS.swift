/// The three texts of a compact JWS (RFC 7515, section 3.1). Nothing is verified.
public struct CompactJWS: Sendable, Equatable {
    public let header: Substring
    public let payload: Substring
    public let signature: Substring

    /// The greatest size of a token that ``init(untrusted:)`` reads, in bytes.
    public static let longestUntrusted = 16_384
    /// The greatest depth of arrays and objects in a header or payload that ``init(untrusted:)`` reads.
    public static let deepestUntrusted = 32

    /// Splits a token at its dots; nil unless it has exactly three parts, of which each may be empty.
    public init?(_ token: String) {
        // By bytes: characters cost ten times as much, and no dot is a part of another character that a token may have.
        let parts = token.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        header = Substring(parts[0])
        payload = Substring(parts[1])
        signature = Substring(parts[2])
    }

    /// Splits a token that a stranger sent and that will be decoded, as a whole, before its signature is verified.
    ///
    /// Nil also where it has more than ``longestUntrusted`` bytes, where header or payload are not Base64 for URLs, or where
    /// their JSON is nested deeper than ``deepestUntrusted``.
    public init?(untrusted token: String) {
        guard token.utf8.count <= Self.longestUntrusted, let parts = CompactJWS(token),
            parts.headerBytes?.isJSON(noDeeperThan: Self.deepestUntrusted) == true,
            parts.payloadBytes?.isJSON(noDeeperThan: Self.deepestUntrusted) == true
        else { return nil }
        self = parts
    }

    /// The text that the signature is made over (RFC 7515, section 5.1).
    public var signedText: String { "\(header).\(payload)" }

    /// The header's bytes, UTF-8 of a JSON object; nil where the text is not Base64 for URLs.
    public var headerBytes: [UInt8]? { Base64URL.decode(header) }

    /// The payload's bytes; nil where the text is not Base64 for URLs.
    public var payloadBytes: [UInt8]? { Base64URL.decode(payload) }

    /// The signature's bytes; nil where the text is not Base64 for URLs.
    public var signatureBytes: [UInt8]? { Base64URL.decode(signature) }
}

/// The header of a compact JWS (RFC 7515, section 4), read before anything is verified: what says which key to verify with.
public struct JWSHeader: Sendable, Equatable {
    /// The algorithm that the token claims, for instance `ES256` or `none`.
    public let alg: String
    public let kid: String?
    /// The media type of the token, for instance `JWT` or `at+jwt`; nil also where it is no string.
    public let typ: String?

    /// Nil where the header is no object with a string `alg`, where `kid` is no string, and where it has `crit`: extensions
    /// that must be understood, and none are (RFC 7515, section 4.1.11).
    public init?(of token: CompactJWS) {
        guard let bytes = token.headerBytes else { return nil }
        self.init(json: bytes)
    }

    /// The same of the header's bytes.
    public init?(json bytes: [UInt8]) {
        guard let header = try? JSONParser.parse(bytes, depthLimit: CompactJWS.deepestUntrusted),
            let alg = header["alg"]?.stringValue, header["crit"] == nil
        else { return nil }
        switch header["kid"] {
        case nil, .null?: kid = nil
        case .string(let text)?: kid = text
        default: return nil
        }
        self.alg = alg
        typ = header["typ"]?.stringValue
    }

    /// Reads the header of a token that a stranger sent: see ``CompactJWS/init(untrusted:)``.
    public init?(of token: String) {
        guard let parts = CompactJWS(untrusted: token) else { return nil }
        self.init(of: parts)
    }
}
