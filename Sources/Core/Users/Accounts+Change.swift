import Foundation

/// What is to be different about an account. Members that are nil stay as they are; an inner nil clears.
public struct AccountChange: Sendable {
    public var email: EmailAddress??
    public var emailVerified: Bool?
    public var password: Secret<String>?
    public var removesPassword = false
    public var displayName: String??
    public var photoURL: String??
    public var phoneNumber: String??
    public var isDisabled: Bool?
    public var customClaims: [String: JSONValue]?
    /// Revokes all tokens, as of this instant.
    public var revokesTokensAt: Date?

    public init() {}

    /// Whether tokens issued before should not survive it: a new address, a new password.
    var endsSessions: Bool { email != nil || password != nil || removesPassword || revokesTokensAt != nil }
}

extension Accounts {
    public enum ChangeOutcome: Sendable {
        /// With a fresh session, where one was asked for.
        case changed(User, SignedIn?)
        case refused(AccountRefusal)
    }

    /// Changes an account.
    ///
    /// A changed address is unverified again unless the change says otherwise. A changed address or password revokes all
    /// tokens; the session that `evidence` describes then goes on with fresh ones.
    /// - Parameters:
    ///   - evidence: what the caller's session was proven with; nil where no session is to go on.
    ///   - epoch: the token epoch in which that session was found good; a revocation since then refuses.
    public func change(
        _ id: UserID, _ change: AccountChange, continuing evidence: SessionEvidence? = nil, asOf epoch: Int? = nil,
        by client: ClientContext
    ) async throws -> ChangeOutcome {
        let realm = realm
        let settings = try await realm.settings()
        guard let (before, factors) = try await userAndFactors(id) else { return .refused(.userNotFound) }
        if let password = change.password,
            let fault = settings.passwords.fault(
                of: password, email: change.email.flatMap { $0 } ?? before.email,
                secondFactorFollows: AssurancePolicy.asksForMore(factors, settings: settings.secondFactors))
        {
            return .refused(.weakPassword(fault))
        }
        let hash: String? = if let password = change.password { try await realm.hasher.hash(password) } else { nil }
        let now = realm.clock.now
        let draft = SessionDraft(random: realm.random)
        let factorID = FactorID(rawValue: realm.random.uuid())
        let messageID = AuditEvent.freshID(at: now, random: realm.random)
        let eventIDs = (0..<4).map { _ in AuditEvent.freshID(at: now, random: realm.random) }
        return try await realm.store.write { transaction in
            guard var user = try transaction.user(id) else { return .refused(.userNotFound) }
            if let epoch, epoch != user.tokenEpoch { return .refused(.revoked) }
            var events: [AuditEvent.Kind] = []

            if case .some(let email) = change.email, email != user.email {
                if let email, let holder = try transaction.user(email: email), holder.id != id {
                    return .refused(.addressTaken)
                }
                if let former = user.email, let email {
                    try transaction.send(
                        OutboxContent(
                            template: "email-changed", locale: client.locale,
                            values: ["email": former.canonical, "newEmail": email.canonical]),
                        to: former.canonical, id: messageID, at: now, sealer: realm.sealer)
                }
                user.email = email
                user.profile.emailVerified = false
                events.append(.emailChanged)
            }
            change.apply(to: &user)
            if let isDisabled = change.isDisabled, isDisabled != user.isDisabled {
                user.isDisabled = isDisabled
                events.append(isDisabled ? .userDisabled : .userEnabled)
            }
            if let hash {
                try transaction.setPassword(hash, of: &user, newFactorID: factorID, at: now, sealer: realm.sealer)
                user.profile.providers.remove("anonymous")
                events.append(.passwordChanged)
            } else if change.removesPassword {
                for factor in try transaction.factors(of: id) where factor.kind == .password {
                    _ = try transaction.remove(factor.id)
                }
                user.profile.providers.remove("password")
                events.append(.passwordChanged)
            }
            if change.endsSessions {
                user.revokeTokens(at: change.revokesTokensAt ?? now)
                if change.revokesTokensAt != nil { events.append(.tokensRevoked) }
            }
            guard try transaction.update(user) else { return .refused(.addressTaken) }
            user = try transaction.user(id) ?? user
            if events.isEmpty { events = [.userChanged] }
            for (kind, eventID) in zip(events, eventIDs) {
                try transaction.append(AuditEvent(id: eventID, at: now, kind: kind, userID: id, context: client))
            }
            guard let evidence else { return .changed(user, nil) }
            let signedIn = try draft.open(
                for: user, evidence: evidence, clientID: client.clientID, settings: settings, at: now,
                isSignIn: false, in: transaction)
            return .changed(signedIn.user, signedIn)
        }
    }
}

extension AccountChange {
    /// The members that need no other row.
    fileprivate func apply(to user: inout User) {
        if let emailVerified { user.profile.emailVerified = emailVerified }
        if let displayName { user.profile.displayName = displayName }
        if let photoURL { user.profile.photoURL = photoURL }
        if let phoneNumber { user.profile.phoneNumber = phoneNumber }
        if let customClaims { user.profile.customClaims = customClaims }
    }
}
