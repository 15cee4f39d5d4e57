import Foundation

extension Authenticator {
    /// The audience that custom tokens are made for (Identity Toolkit spec, section 2.6).
    static let customTokenAudience =
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
        let claims: TokenClaims
        switch judged {
        case .refused(let reason):
            try await realm.store.write { transaction in
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .answerRefused, userID: nil, context: client,
                        reason: reason.rawValue, details: ["purpose": "custom-token"]))
            }
            return .refused(Refusal(reason))
        case .good(let good): claims = good
        }
        let uid = claims.string("uid") ?? claims.string("user_id") ?? ""
        // Text with a zero byte is text up to there for stores: another user's id.
        guard (1...128).contains(uid.utf8.count), !uid.utf8.contains(0) else {
            return .refused(Refusal(.malformedCredential))
        }
        var terms = terms
        if case .object(let developerClaims)? = claims["claims"] {
            guard try JSONEncoder().encode(developerClaims).count <= Self.largestDeveloperClaims else {
                return .refused(Refusal(.claimsTooLarge))
            }
            terms.details["developer_claims"] = .object(developerClaims)
        }
        let draft = SessionDraft(random: realm.random)
        let details = terms
        return try await realm.store.write { transaction in
            let id = UserID(rawValue: uid)
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
                sealer: realm.sealer, in: transaction)
            signedIn.isNewUser = isNew
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: .signedIn, userID: id, context: client))
            return .accomplished(.signedIn(signedIn))
        }
    }

    private enum JudgedToken {
        case good(TokenClaims)
        case refused(Refusal.Reason)
    }

    private func judge(customToken token: String, settings: RealmSettings, now: Date) async -> JudgedToken {
        if realm.mode.usesUnsignedTokens, let claims = await realm.keyring.unsigned(token) { return .good(claims) }
        guard let unverified = TokenClaims(unverified: token), let issuer = unverified.string("iss"),
            unverified.string("sub") == issuer, unverified.string("uid") != nil,
            let issuedAt = unverified.integer("iat"), let expiresAt = unverified.integer("exp")
        else { return .refused(.malformedCredential) }
        guard unverified.string("aud") == Self.customTokenAudience,
            let pem = settings.tokens.customTokenKeys[issuer],
            let claims = await realm.keyring.verified(token, byPublicKeyPEM: pem)
        else { return .refused(.foreignCredential) }
        // The difference of two numbers of a stranger's may be none.
        let (lifetime, overflow) = expiresAt.subtractingReportingOverflow(issuedAt)
        guard expiresAt > now.seconds, issuedAt <= now.seconds + 300, !overflow, lifetime <= 3600 else {
            return .refused(.flowExpired)
        }
        return .good(claims)
    }
}

extension TokenClaims {
    /// What a token says before anybody checked it: good for finding the key to check it with.
    init?(unverified token: String) {
        guard token.utf8.count <= 16_384 else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = [UInt8](base64URL: parts[1]), bytes.isShallowJSON,
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
        else { return nil }
        self.init(members)
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}
