import ClientHTTP
import Crypto
import Foundation
import JSON
import SignedTokens

/// Judges the ID token of a token answer (OpenID Connect Core 1.0, sections 3.1.3.7 and 12.2).
struct IdentityTokenJudge: Sendable {
    let metadata: ServerMetadata
    let clientID: String
    let surroundings: Surroundings
    /// Seconds that clocks may differ.
    static let leeway: TimeInterval = 60

    /// What the request was that the token belongs to.
    struct Expectation: Sendable {
        /// Nil where there was none: a device's sign-in, and a refresh.
        var nonce: String?
        var accessToken: String
        var maxAge: Int?
        /// Who signed in before, at a refresh.
        var user: SignedInUser?
    }

    func judge(_ text: String, _ expectation: Expectation) async throws -> SignedInUser {
        guard let token = ReceivedToken(text), let name = token.header.kid else { throw Self.fault("no signed token") }
        let response = try await surroundings.http.reaching { try await $0.get(metadata.jwksURI) }
        guard response.status == 200, let document = try? JSONParser.parse(Array(response.body)),
            let keys = SignatureKey.keys(ofJWKS: document)
        else { throw ClientFailure(.unreachable, "The server does not tell its keys.") }
        guard let key = keys[name], token.header.alg == key.algorithm.rawValue,
            key.isSignature(token.signature, of: token.signedText), let claims = token.claims
        else { throw Self.fault("not signed by its issuer") }
        return try judge(claims, type: token.header.typ, expectation)
    }

    /// Judges what is signed.
    func judge(_ claims: TokenClaims, type: String?, _ expectation: Expectation) throws -> SignedInUser {
        // Another kind of token is not this one: RFC 8725, section 3.11. `typ` may be missing.
        guard type == nil || type?.lowercased() == "jwt" else { throw Self.fault("of another kind") }
        guard claims.string("iss") == metadata.issuer else { throw Self.fault("another issuer's") }
        switch claims["aud"] {
        case .string(clientID)?: break
        case .array(let audiences)? where audiences.contains(.string(clientID)):
            guard audiences.count == 1 || claims.string("azp") == clientID else { throw Self.fault("for others too") }
        default: throw Self.fault("for another application")
        }
        if let party = claims["azp"], party != .string(clientID) { throw Self.fault("for another application") }
        let now = surroundings.now()
        guard let end = claims.date("exp"), end > now - Self.leeway else { throw Self.fault("expired") }
        guard let beginning = claims.date("iat"), beginning <= now + Self.leeway else {
            throw Self.fault("from the future")
        }
        guard claims.string("nonce") == expectation.nonce || expectation.user != nil else {
            throw Self.fault("of another request")
        }
        guard let subject = claims.string("sub"), !subject.isEmpty, subject.utf8.count <= 255 else {
            throw Self.fault("of no user")
        }
        if let hash = claims["at_hash"] {
            let half = Array(SHA256.hash(data: Data(expectation.accessToken.utf8)).prefix(16)).base64URL
            guard hash == .string(half) else { throw Self.fault("of another access token") }
        }
        let authenticatedAt = claims.date("auth_time")
        if let maxAge = expectation.maxAge {
            guard let authenticatedAt, now <= authenticatedAt + Double(maxAge) + Self.leeway else {
                throw Self.fault("of an authentication that is too old")
            }
        }
        if let user = expectation.user {
            guard user.id == subject else { throw Self.fault("of another user") }
            // A refresh repeats the time of the sign-in: another one is of a sign-in that this application did not ask for.
            if let before = user.authenticatedAt, let authenticatedAt, authenticatedAt != before {
                throw Self.fault("of another authentication")
            }
        }
        return SignedInUser(
            id: subject, sessionID: claims.string("sid"), acr: claims.string("acr"), authenticatedAt: authenticatedAt)
    }

    private static func fault(_ what: String) -> ClientFailure {
        .untrusted("The ID token is \(what).")
    }
}
