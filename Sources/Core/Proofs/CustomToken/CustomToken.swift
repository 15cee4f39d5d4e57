import Foundation

/// The word of a developer's back end: a JWT.
///
/// It is signed by a key that an administrator registered for its `iss` (and `sub`), or, under `--dev`, not at all. It lives
/// an hour at most. The account that it names is made where there is none.
struct CustomToken: ProofMethod {
    struct Response: Sendable {
        var token: Secret<String>
        /// Its required audience.
        var audience: String
    }

    let kind = FactorKind.customToken
    let traits: ProofTraits = {
        // The back end has its own second factor or none: Identity Platform asks for no second factor there.
        var traits = ProofTraits(role: .first, assurance: .delegated)
        traits.isGuessable = false
        traits.opensSignIn = true
        traits.namesUser = true
        traits.isNamedInLog = false
        return traits
    }()

    /// Bytes of JSON that a developer's claims may have: they are in every ID token of the session, and one that grows
    /// too large is not read any more.
    static let largestDeveloperClaims = 1000

    /// Only what it says after its signature was checked says whose it is.
    func locate(_ response: Response, _ challenge: NoContent?, in lookup: ProofLookup) throws -> ProofLocation {
        .found(LocatedProof(user: nil, factor: nil, counter: .nothing))
    }

    func judge(
        _ response: Response, against material: ProofMaterial<NoContent, NoContent>, by permit: JudgingPermit
    ) async throws -> Judgement<NoContent> {
        do throws(Refusal) {
            let claims = try await Self.trusted(response.token.reveal(), for: response.audience, by: permit)
            let vouched = try VouchedUser(claims, largestClaims: Self.largestDeveloperClaims)
            var result = ProofResult()
            result.account = VouchedAccount(
                id: vouched.id, provider: "custom",
                details: vouched.claims.map { ["developer_claims": $0] } ?? [:])
            return .right(RightAnswer(result))
        } catch {
            return .wrong(error)
        }
    }

    /// The claims of a token whose maker, audience and times are right.
    private static func trusted(
        _ token: String, for audience: String, by permit: JudgingPermit
    ) async throws(Refusal) -> TokenClaims {
        let (realm, settings, now) = (permit.realm, permit.settings, permit.now)
        if realm.mode.usesUnsignedTokens, let claims = ReceivedToken(token).flatMap(Keyring.unsigned) {
            guard claims.string("aud") == audience else { throw Refusal(.malformedCredential) }
            // An unsigned one may live for ever, so that tests can keep it; what says when it ends has ended then.
            guard claims["exp"] != nil else { return claims }
            guard let expiresAt = claims.integer("exp") else { throw Refusal(.malformedCredential) }
            guard expiresAt > now.seconds else { throw Refusal(.flowExpired) }
            return claims
        }
        guard let unverified = UnverifiedCustomToken(token) else { throw Refusal(.malformedCredential) }
        guard unverified.audience == audience,
            let pem = settings.tokens.customTokenKeys[unverified.issuer],
            let claims = await realm.keyring.verified(token, byPublicKeyPEM: pem)
        else { throw Refusal(.foreignCredential) }
        guard let issuedAt = claims.integer("iat"), let expiresAt = claims.integer("exp") else {
            throw Refusal(.malformedCredential)
        }
        let lifetime = expiresAt.subtractingReportingOverflow(issuedAt)
        guard expiresAt > now.seconds, issuedAt <= now.seconds + 300, !lifetime.overflow, lifetime.partialValue <= 3600
        else { throw Refusal(.flowExpired) }
        return claims
    }
}

extension FactorKind {
    /// A token signed by a developer's own back end. No row.
    public static let customToken = FactorKind(rawValue: "custom")
}

extension Answer {
    /// A JWT by which a developer's back end vouches for its user, made for the audience that the dialect names.
    public static func customToken(_ token: Secret<String>, audience: String) -> Answer {
        .proof(.customToken, CustomToken.Response(token: token, audience: audience))
    }
}

/// A user that a developer's back end vouches for, with its claims.
private struct VouchedUser: Sendable {
    let id: UserID
    /// Nil where it says nothing.
    let claims: JSONValue?

    init(_ token: TokenClaims, largestClaims: Int) throws(Refusal) {
        switch token["uid"] ?? token["user_id"] {
        case nil, .null?, .string("")?: throw Refusal(.missingIdentifier)
        case .string(let uid)? where PlainText(uid, bytes: 1...128) != nil: id = UserID(rawValue: uid)
        default: throw Refusal(.malformedCredential)
        }
        switch token["claims"] {
        case nil, .null?: claims = nil
        case .object(let members)?:
            if let name = members.keys.sorted().first(where: CustomClaims.reserved.contains) {
                throw Refusal(.reservedClaim, claim: name)
            }
            guard let text = try? JSONEncoder().encode(members), text.count <= largestClaims else {
                throw Refusal(.claimsTooLarge)
            }
            claims = .object(members)
        default: throw Refusal(.malformedClaims)
        }
    }
}

/// What a custom token says before verification, to find the key to verify it with.
struct UnverifiedCustomToken {
    let issuer: String
    let audience: String?

    /// Nil where it names no issuer, or another subject than that, and where an object in it has a member twice.
    init?(_ token: String) {
        guard let bytes = CompactJWS(untrusted: token)?.payloadBytes,
            let claims = try? JSONParser.parse(bytes, depthLimit: CompactJWS.deepestUntrusted),
            let issuer = claims["iss"]?.stringValue, claims["sub"] == .string(issuer)
        else { return nil }
        self.issuer = issuer
        audience = claims["aud"]?.stringValue
    }
}
