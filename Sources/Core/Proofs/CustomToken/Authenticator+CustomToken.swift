import Foundation

extension Authenticator {
    /// The audience that custom tokens are made for (Firebase documentation, "Create custom tokens").
    public static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// Bytes of JSON that a developer's claims may have: they are in every ID token of the session, and one that grows
    /// too large is not read any more.
    static let largestDeveloperClaims = 1000

    /// Judges the word of a developer's back end.
    ///
    /// The token is signed by a key that an administrator registered for its `iss` (and `sub`), or, under `--dev`, not
    /// at all. It lives an hour at most.
    func answer(
        customToken token: Secret<String>, terms: SessionTerms, by client: ClientContext
    ) async throws -> Verdict {
        let realm = realm
        let now = realm.clock.now
        let settings = try await realm.settings()
        let judged = await judge(customToken: token.reveal(), settings: settings, now: now)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let vouched: VouchedUser
        switch judged {
        case .refused(let refusal):
            let part = ChargeID(random: realm.random).part
            return try await realm.store.write { transaction in
                if let limited = try transaction.chargeAnswer(of: client, at: now, from: part) {
                    return .refused(limited)
                }
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .answerRefused, userID: nil, context: client,
                        reason: refusal.reason.rawValue, details: ["purpose": "custom-token"]))
                return .refused(refusal)
            }
        case .good(let good): vouched = good
        }
        var terms = terms
        if let claims = vouched.claims { terms.details["developer_claims"] = claims }
        let draft = SessionDraft(random: realm.random)
        let details = terms
        return try await realm.store.write { transaction in
            let id = vouched.id
            var user = try transaction.user(id)
            let isNew = user == nil
            if user == nil {
                let fresh = User(id: id, email: nil, profile: UserProfile(providers: ["custom"]), createdAt: now)
                guard try transaction.insert(fresh) else { return .refused(Refusal(.busy)) }
                user = try transaction.user(id)
            }
            guard let user else { return .refused(Refusal(.userNotFound)) }
            if user.isDisabled { return .refused(Refusal(.userDisabled)) }
            let evidence = SessionEvidence(
                dialect: client.dialect, proofs: [Proof(kind: .customToken, at: now)], scopes: details.scopes,
                details: details.details)
            var signedIn = try draft.open(
                for: user, evidence: evidence, clientID: client.clientID, settings: settings, at: now,
                in: transaction)
            signedIn.isNewUser = isNew
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: .signedIn, userID: id, context: client))
            return .accomplished(.signedIn(signedIn))
        }
    }

    private enum JudgedToken {
        case good(VouchedUser)
        case refused(Refusal)
    }

    private func judge(customToken token: String, settings: RealmSettings, now: Date) async -> JudgedToken {
        do throws(Refusal) {
            let claims = try await trusted(token, settings: settings, now: now)
            return .good(try VouchedUser(claims, largestClaims: Self.largestDeveloperClaims))
        } catch {
            return .refused(error)
        }
    }

    /// The claims of a token whose maker, audience and times are right.
    private func trusted(_ token: String, settings: RealmSettings, now: Date) async throws(Refusal) -> TokenClaims {
        if realm.mode.usesUnsignedTokens, let claims = await realm.keyring.unsigned(token) {
            guard claims.string("aud") == Self.customTokenAudience else { throw Refusal(.malformedCredential) }
            // An unsigned one may live for ever, so that tests can keep it; what says when it ends has ended then.
            guard claims["exp"] != nil else { return claims }
            guard let expiresAt = claims.integer("exp") else { throw Refusal(.malformedCredential) }
            guard expiresAt > now.seconds else { throw Refusal(.flowExpired) }
            return claims
        }
        guard let unverified = UnverifiedCustomToken(token) else { throw Refusal(.malformedCredential) }
        guard unverified.audience == Self.customTokenAudience,
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

/// Somebody whom a developer's back end vouches for, and what it says of them.
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

/// What a custom token says before anybody checked it, which is for finding the key to check it with. Only the members
/// that are needed: a stranger's others are not read.
struct UnverifiedCustomToken {
    let issuer: String
    let audience: String?

    private struct Members: Decodable {
        let iss: String
        let sub: String
        let aud: String?

        enum CodingKeys: CodingKey { case iss, sub, aud }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            iss = try members.decode(String.self, forKey: .iss)
            sub = try members.decode(String.self, forKey: .sub)
            aud = try? members.decode(String.self, forKey: .aud)
        }
    }

    /// Nil where it names no issuer, or another subject than that.
    init?(_ token: String) {
        guard let bytes = CompactJWS(untrusted: token)?.payloadBytes,
            let members = try? JSONDecoder().decode(Members.self, from: Data(bytes)), members.sub == members.iss
        else { return nil }
        issuer = members.iss
        audience = members.aud
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}
