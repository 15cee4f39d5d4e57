import CountersignCore
import Foundation
import IdentityToolkitWire

/// Makes and reads this dialect's ID tokens (Firebase documentation, "Verify ID Tokens").
struct IDTokens: Sendable {
    let realm: Realm
    let projectID: String
    let isDevelopment: Bool
    let settings: RealmSettings
    /// Whether the realm or the application requires a second factor of every user. Of whom else the realm requires one is asked of each user.
    let requiresSecondFactor: Bool

    /// The claim that carries the user's token epoch, so that a revocation cuts between two tokens of one second.
    static let epochClaim = CustomClaims.epochClaim
    /// Claims that are ours to set.
    static let reservedClaims: Set<String> = [
        "iss", "aud", "sub", "user_id", "auth_time", "iat", "exp", "email", "email_verified", "name", "picture",
        "phone_number", "provider_id", "firebase", "amr", epochClaim, CustomClaims.sessionClaim,
    ]
    var issuer: String { "https://securetoken.google.com/\(projectID)" }

    /// The end of the audience of tokens that allow enrolling a second factor, and no more: no back end takes them.
    private static let enrolmentAudience = "/mfa-enrolment"

    /// What a session's tokens are for.
    private func audience(of evidence: SessionEvidence, _ user: UserID) async throws -> String {
        try await lacksSecondFactor(evidence, of: user) ? projectID + Self.enrolmentAudience : projectID
    }

    /// Whether a session has to have been proven with a second factor and was not. A user of a custom token is asked
    /// for none, nor is an anonymous user.
    func lacksSecondFactor(_ evidence: SessionEvidence, of user: UserID) async throws -> Bool {
        let policy = AssurancePolicy(settings: settings.secondFactors, requiresSecondFactor: true)
        guard policy.decide(proven: evidence.proofs, factors: []) == .enrolmentRequired else { return false }
        if requiresSecondFactor { return true }
        return try await realm.accounts.requiresSecondFactor(of: user, settings.secondFactors)
    }

    /// What a client gets: the ID token, and how long it lives.
    func idToken(for signedIn: SignedIn) async throws -> (token: String, lifetime: Int) {
        let lifetime = settings.tokens.idTokenLifetime
        let audience = try await audience(of: signedIn.evidence, signedIn.user.id)
        let token = try await realm.tokens.issue(
            draft(for: signedIn, to: audience, lifetime: lifetime),
            with: settings.tokens.algorithm(for: .identityToolkit))
        return (token, lifetime)
    }

    private func draft(for signedIn: SignedIn, to audience: String, lifetime: Int) -> TokenDraft {
        let now = realm.clock.now
        let user = signedIn.user
        let evidence = signedIn.evidence
        // Custom claims come first, so that none can replace one of the server's.
        var account = user.profile.customClaims
        if case .object(let claims)? = evidence.details["developer_claims"] {
            account.merge(claims) { _, developer in developer }
        }
        var draft = TokenDraft(
            issuer: issuer, audience: audience, subject: user.id.rawValue,
            issuedAt: now, lifetime: lifetime, parts: Self.parts(of: evidence), signedIn: signedIn,
            account: account,
            spelling: [
                "user_id": .string(user.id.rawValue),
                // Of a session that tells no instant.
                "auth_time": .integer(user.issueTime(now).seconds),
                "email": user.email.map { .string($0.canonical) },
                "email_verified": user.email.map { _ in .bool(user.profile.emailVerified) },
                "name": user.profile.displayName.map { .string($0) },
                "picture": user.profile.photoURL.map { .string($0) },
                "phone_number": user.profile.phoneNumber.map { .string($0) },
                "provider_id": evidence.signInProvider == "anonymous" ? .string("anonymous") : nil,
                "firebase": .object(firebase(user, evidence)),
                CustomClaims.sessionClaim: .string(signedIn.session.id.rawValue),
            ])
        draft.stamp = .afterRevocation
        draft.mayBeUnsigned = true
        return draft
    }

    /// `amr` tells of a passkey whether it verified its user, which the protocol has no word for.
    private static func parts(of evidence: SessionEvidence) -> Set<TokenDraft.Part> {
        evidence.proofs.contains { $0.kind == .passkey }
            ? [.authenticationTime, .epoch, .methods(.each)] : [.authenticationTime, .epoch]
    }

    private func firebase(_ user: User, _ evidence: SessionEvidence) -> [String: JSONValue] {
        var identities: [String: JSONValue] = [:]
        if let email = user.email { identities["email"] = .array([.string(email.canonical)]) }
        if let phone = user.profile.phoneNumber { identities["phone"] = .array([.string(phone)]) }
        var firebase = [String: JSONValue](minimumCapacity: 4)
        firebase["identities"] = .object(identities)
        firebase["sign_in_provider"] = .string(evidence.signInProvider)
        if let second = evidence.secondFactor, let id = second.factorID {
            firebase["sign_in_second_factor"] = .string(second.kind.rawValue)
            firebase["second_factor_identifier"] = .string(id.rawValue)
        }
        return firebase
    }

    /// What a session cookie's issuer begins with. No endpoint takes one for an ID token, whose issuer is another.
    static let cookieIssuer = "https://session.firebase.google.com/"

    /// What a web site keeps for days: the claims of an ID token, from another issuer and for another time. Its header
    /// says no type.
    /// - Parameter lifetime: seconds.
    func sessionCookie(for bearer: Bearer, lifetime: Int64) async throws -> String {
        let audience = bearer.claims.string("aud") ?? projectID
        let now = realm.clock.now
        var draft = TokenDraft(
            type: .untyped, issuer: Self.cookieIssuer + audience, audience: audience, subject: nil,
            issuedAt: now, lifetime: Int(lifetime), account: bearer.claims.members)
        draft.mayBeUnsigned = true
        return try await realm.tokens.issue(draft, with: settings.tokens.algorithm(for: .identityToolkit))
    }

    /// Whose ID token it is.
    struct Bearer: Sendable {
        let user: User
        let claims: TokenClaims
        /// What the token says that its session was proven with.
        let evidence: SessionEvidence

        /// The session, for what its user may ask about the account.
        var session: OwnSession {
            OwnSession(
                userID: user.id, evidence: evidence, epoch: user.tokenEpoch,
                session: claims.string(CustomClaims.sessionClaim).map(SessionID.init(rawValue:)))
        }
    }

    /// Reads an ID token and makes sure that it still counts.
    /// - Parameters:
    ///   - missing: the word for a token that is not there; it differs between versions.
    ///   - allowsUnenrolled: whether a session counts that has to have a second factor and has none.
    /// - Throws: `IdentityToolkitError`: `INVALID_ID_TOKEN`, `USER_NOT_FOUND`, `TOKEN_EXPIRED`, `USER_DISABLED`,
    ///   `OPERATION_NOT_ALLOWED`, in this order.
    func bearer(
        _ token: String?, missing: ErrorWord = .invalidIDToken, allowsUnenrolled: Bool = false
    ) async throws -> Bearer {
        guard let token, !token.isEmpty else { throw IdentityToolkitError(missing) }
        switch try await realm.tokens.verify(token, expecting: expectation) {
        case .refused(let refusal): throw IdentityToolkitError(idToken: refusal)
        case .good(let token):
            guard let user = token.user else { throw IdentityToolkitError(.invalidIDToken) }
            let evidence = SessionEvidence(claims: token.claims)
            if !allowsUnenrolled {
                var isUnenrolled = isForEnrolment(token.claims)
                if !isUnenrolled { isUnenrolled = try await lacksSecondFactor(evidence, of: user.id) }
                if isUnenrolled {
                    throw IdentityToolkitError(.operationNotAllowed, "A second factor has to be enrolled first.")
                }
            }
            return Bearer(user: user, claims: token.claims, evidence: evidence)
        }
    }

    /// An ID token of this project, which may be one for enrolling alone. The session that it names has to go on: a user who ends a
    /// stranger's session means its ID tokens too, which set passwords and make session cookies. Where the vendor's client signs out, no session ends
    /// here.
    private var expectation: TokenExpectation {
        var expectation = TokenExpectation(
            types: [.jwt], issuers: .oneOf([issuer]),
            audiences: .oneOf([projectID, projectID + Self.enrolmentAudience]),
            subject: .user { claims in
                (claims.string("sub") ?? claims.string("user_id")).map(UserID.init(rawValue:))
            },
            session: { _ in .dialect(.identityToolkit) }, admitsUnsigned: true)
        expectation.sessionClaim = CustomClaims.sessionClaim
        // Those of before tokens named it, and those that the emulator's users write by hand.
        expectation.admitsNoSession = true
        if isDevelopment {
            // The emulator takes a token of any project, and tokens that tests write by hand.
            expectation.types.insert(.untyped)
            expectation.issuers = .anyBeginning(with: "https://securetoken.google.com/")
            expectation.audiences = .any
        }
        return expectation
    }

    private func isForEnrolment(_ claims: TokenClaims) -> Bool {
        claims.string("aud")?.hasSuffix(Self.enrolmentAudience) ?? false
    }
}

extension SessionEvidence {
    /// What tokens call the way in.
    var signInProvider: String {
        switch proofs.first?.kind {
        case .customToken: "custom"
        case .anonymous: "anonymous"
        case .email, .password, nil: "password"
        case let kind?: kind.rawValue
        }
    }

    /// What a session was proven with, as its ID token tells it.
    init(claims: TokenClaims) {
        let at = Date(microseconds: (claims.integer("auth_time") ?? 0) &* 1_000_000)
        let firebase = claims["firebase"]
        let first = FactorKind(rawValue: firebase?["sign_in_provider"]?.stringValue ?? "unknown")
        var proofs = [Proof(kind: first, at: at)]
        if first == .passkey, case .array(let methods)? = claims["amr"], methods.contains("mfa") {
            proofs[0].assurance = [.possession, .phishingResistant, .userVerified]
        }
        if let kind = firebase?["sign_in_second_factor"]?.stringValue,
            let id = firebase?["second_factor_identifier"]?.stringValue
        {
            proofs.append(
                Proof(
                    kind: FactorKind(rawValue: kind), factorID: FactorID(rawValue: id), at: at, isSecondFactor: true))
        }
        var details: [String: JSONValue] = [:]
        if first == .customToken {
            // What the developer's back end said goes on with the session.
            let developers = claims.members.filter { !IDTokens.reservedClaims.contains($0.key) }
            if !developers.isEmpty { details["developer_claims"] = .object(developers) }
        }
        self.init(dialect: .identityToolkit, proofs: proofs, terms: GrantTerms(details: details))
    }
}
