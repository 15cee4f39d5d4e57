import CountersignCore
import DialectTestSupport
import Foundation
import JWTKit
import Testing

/// A developer's back end: a key of its own, with which it makes custom tokens.
struct SigningKey: Sendable {
    static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    let issuer: String
    let publicKey: String
    private let keys: JWTKeyCollection

    init(issuer: String) async {
        self.issuer = issuer
        let key = ES256PrivateKey()
        publicKey = key.publicKey.pemRepresentation
        keys = JWTKeyCollection()
        await keys.add(ecdsa: key)
    }

    /// A fresh key that the server knows.
    static func register(for issuer: String, at server: TestServer) async throws -> SigningKey {
        let key = await SigningKey(issuer: issuer)
        try await server.changeSettings { [pem = key.publicKey] in $0.tokens.customTokenKeys[issuer] = pem }
        return key
    }

    /// Anything, signed.
    func sign(_ claims: JSON, header: JWTHeader = JWTHeader()) async throws -> String {
        let members = try JSONDecoder().decode([String: JSONValue].self, from: Data(claims.bytes))
        return try await keys.sign(TokenClaims(members), header: header)
    }

    func claims(uid: String, at now: Date) -> JSON {
        [
            "iss": .string(issuer), "sub": .string(issuer), "aud": .string(Self.audience), "uid": .string(uid),
            "iat": .integer(Int(now.seconds)), "exp": .integer(Int(now.seconds) + 3600),
        ]
    }

    func token(uid: String, at now: Date) async throws -> String {
        try await sign(claims(uid: uid, at: now))
    }
}

/// A token with that header and those claims, and whatever is to stand in the signature's place.
func forged(_ header: JSON, _ claims: JSON, signature: String = "") -> String {
    "\(header.bytes.base64URL).\(claims.bytes.base64URL).\(signature)"
}

extension TestServer {
    func signInWithCustomToken(_ token: String) async throws -> Reply {
        try await post(
            "/v1/accounts:signInWithCustomToken", ["token": .string(token), "returnSecureToken": true])
    }

    /// The ID token of a custom token.
    func customSignIn(_ token: String) async throws -> String {
        let reply = try await signInWithCustomToken(token)
        return try #require(reply.json["idToken"].text, "\(reply.text)")
    }
}
