import Foundation
import JSON

/// A signature in its three texts: what clients sign registrations and assertions with. Source: MobileFirst's web SDK.
///
/// Native clients encode in Base64 for URLs without padding, web clients in the other alphabet and with it. What is signed
/// is the text as it was received.
public struct JWSParts: Codable, Sendable, Equatable {
    public var header: String
    public var payload: String
    public var signature: String

    public init(header: String, payload: String, signature: String) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// Reads the compact form (RFC 7515, section 7.1); nil where it has not three parts.
    public init?(compact text: String) {
        guard let parts = CompactJWS(text) else { return nil }
        self.init(header: String(parts.header), payload: String(parts.payload), signature: String(parts.signature))
    }

    public var compact: String { "\(header).\(payload).\(signature)" }

    /// What the signature is over.
    public var signedText: String { "\(header).\(payload)" }

    /// The bytes of a part, in either alphabet, with padding or without; nil where it is no Base64.
    public static func bytes(of part: String) -> Data? {
        Base64URL.decode(part, accepting: .all).map { Data($0) }
    }

    /// As native clients write a part (RFC 4648, section 5).
    public static func part(_ bytes: Data) -> String { bytes.base64URL }
}

/// The header of a client's signature. Source: MobileFirst's web SDK.
public struct ClientSignatureHeader: Codable, Sendable, Equatable {
    public var alg: SignatureAlgorithmName?
    public var jwk: ClientKey?
    /// The shared secret of web clients that sign with ``SignatureAlgorithmName/hs256``: it travels with what it signs.
    public var key: String?

    public init(alg: SignatureAlgorithmName?, jwk: ClientKey?, key: String? = nil) {
        self.alg = alg
        self.jwk = jwk
        self.key = key
    }
}

/// How clients sign. The list is open, so that a server can say what it refuses.
public struct SignatureAlgorithmName: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
    public static let rs256 = SignatureAlgorithmName(rawValue: "RS256")
    /// HMAC with a key that is no secret. Of old web clients.
    public static let hs256 = SignatureAlgorithmName(rawValue: "HS256")
}

/// A client's public key (RFC 7517; RFC 7518, section 6.3). A modulus may begin with a zero byte.
public struct ClientKey: Codable, Sendable, Equatable {
    public var kty: String?
    public var n: String?
    public var e: String?
    /// The client's id; missing at registration.
    public var kid: String?

    public init(kty: String? = "RSA", n: String?, e: String?, kid: String? = nil) {
        self.kty = kty
        self.n = n
        self.e = e
        self.kid = kid
    }
}

/// The claims by which a client proves that it has its key. Source: MobileFirst's web SDK.
public struct ClientAssertion: Codable, Sendable, Equatable {
    /// `<app id>$ios$<version>`, or `<app id>$web`.
    public var iss: String?
    /// The client's id.
    public var sub: String?
    /// `az/v1/token`, with something before it or nothing; null elsewhere.
    public var aud: String?
    /// At the token endpoint the code itself, which so is bound to the key.
    public var jti: String?
    /// Milliseconds since 1970, by the server's clock as the client knows it.
    public var iat: Int64?
    /// Milliseconds since 1970.
    public var exp: Int64?

    public init(iss: String?, sub: String?, aud: String?, jti: String?, iat: Int64?, exp: Int64?) {
        self.iss = iss
        self.sub = sub
        self.aud = aud
        self.jti = jti
        self.iat = iat
        self.exp = exp
    }

    /// `client_assertion_type` of every request with an assertion.
    public static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The audience at the token endpoint; what native clients have before it does not count.
    public static let tokenAudience = "az/v1/token"
    /// The `jti` with which a token is refreshed.
    public static let refreshID = "get_refresh_token"
}
