import Foundation

/// What is to be different about an account. Members that are nil stay as they are; an inner nil clears.
public struct AccountChange: Sendable {
    /// The address; the account is unverified again unless ``emailVerified`` says otherwise.
    public var email: EmailAddress??
    /// Whether the address counts as confirmed.
    public var emailVerified: Bool?
    /// A new password, which the realm's policy judges.
    public var password: Secret<String>?
    /// Whether the account has no password any more.
    public var removesPassword = false
    /// What people call the user.
    public var displayName: String??
    /// The address of a picture.
    public var photoURL: String??
    /// A language tag (``UserProfile/isLocale(_:)``).
    public var locale: String??
    /// The phone number, in the form of ``PhoneNumber``.
    public var phoneNumber: String??
    /// Whether an administrator disables the account.
    public var isDisabled: Bool?
    /// Whether the tokens of programs that a disabled user answers for open again when the change enables the user. Otherwise they end.
    public var keepsMachineTokens = false
    /// All custom claims of the account, in place of those before; ``CustomClaims`` judges them.
    public var customClaims: [String: JSONValue]?
    /// What applications asked for, by name; `null` removes, and what is not named stays.
    public var attributes: [String: JSONValue] = [:]
    /// Tokens issued before this instant count no longer. Where it is no more than five minutes ago it means now,
    /// whatever the clock of the one who says it: then no token at all that was issued so far counts.
    public var revokesTokensAt: Date?
    /// The second factors that stay, some under another name; the others go. Nil leaves them all.
    public var secondFactors: [FactorID: FactorName]?
    /// Whether the session of the user who asks has to show all that the account asks for, in the last minutes.
    var needsFullProof = false
    /// Whether the session of the user who asks goes on where all others end.
    var keepsSession = false
    /// For an account that comes from another system.
    public var createdAt: Date?
    /// For an account that comes from another system.
    public var lastSignInAt: Date?

    /// What a factor that stays is called from now on.
    public enum FactorName: Sendable, Equatable {
        /// As before.
        case unchanged
        /// This name.
        case changed(String)
    }

    /// A change of nothing.
    public init() {}

    /// Seconds that the instant of a revocation may be past and still mean now.
    static let revocationDelay: TimeInterval = 300

    /// Whether a user who makes the change has to have signed in recently: it ends all other sessions of the account.
    public var needsRecentSignIn: Bool { endsSessions || revokesTokensAt != nil }

    /// Whether tokens issued before should not survive it: a new address, a new password.
    var endsSessions: Bool { email != nil || password != nil || removesPassword }
}

extension Accounts {
    /// What came of a change.
    public enum ChangeOutcome: Sendable {
        /// With a fresh session, where one was asked for.
        case changed(User, SignedIn?)
        /// Nothing was changed.
        case refused(AccountRefusal)
    }

    /// Changes an account.
    ///
    /// A changed address is unverified again unless the change says otherwise. A changed address or password, and the
    /// loss of the last second factor, revoke all tokens; the session that `evidence` describes then goes on with fresh
    /// ones. Enabling a disabled user revokes all tokens too: the user signs in anew, and the tokens of programs that the user answers for end
    /// (docs/decisions/0517). A password that the account has, or
    /// had lately, is refused where the protocol has a word for it, unless an administrator asks.
    /// - Parameters:
    ///   - evidence: what the caller's session was proven with; nil where no session is to go on.
    ///   - session: the session of the user who asks; a revocation since it was judged refuses, and so does a sign-in that is
    ///     not recent, where the change needs a recent one. Nil where an administrator asks.
    ///   - present: sees the user as of the transaction, and throws where that is not what the caller knows; then nothing changes.
    public func change(
        _ id: UserID, _ change: AccountChange, continuing evidence: SessionEvidence? = nil,
        of session: OwnSession? = nil, by client: ClientContext,
        judging present: @escaping @Sendable (User) throws -> Void = { _ in }
    ) async throws -> ChangeOutcome {
        let realm = realm
        let asked = realm.clock.now
        // Before the password is judged and hashed. The transaction decides.
        if let session, change.needsRecentSignIn, !session.evidence.isRecent(at: asked) {
            return .refused(.signInTooOld)
        }
        let settings = try await realm.settings()
        guard let (before, factors) = try await userAndFactors(id) else { return .refused(.userNotFound) }
        if let password = change.password,
            let fault = settings.passwords.fault(
                of: password, email: change.email.flatMap { $0 } ?? before.email,
                secondFactorFollows: AssurancePolicy.asksForMore(
                    factors, settings: settings.secondFactors, proofs: realm.proofs))
        {
            return .refused(.weakPassword(fault))
        }
        if let password = change.password, session != nil, client.refusesFormerPasswords {
            switch try await PasswordHistory(realm: realm).look(for: password, of: id, factors, settings.passwords) {
            case .fresh: break
            case .recent: return .refused(.weakPassword(.recentlyUsed))
            case .limited(let until): return .refused(.newPasswordsLimited(until: until))
            }
        }
        let hash: String? = if let password = change.password { try await realm.hasher.hash(password) } else { nil }
        let now = realm.clock.now
        let draft = SessionDraft(random: realm.random)
        let factorID = FactorID(rawValue: realm.random.uuid())
        let messageIDs = (0..<3).map { _ in AuditEvent.freshID(at: now, random: realm.random) }
        let eventIDs = (0..<6).map { _ in AuditEvent.freshID(at: now, random: realm.random) }
        do {
            return try await realm.writeSending { transaction in
                guard var user = try transaction.user(id) else { return .refused(.userNotFound) }
                try present(user)
                let before = user
                if let session {
                    // As of the request: hashing may have waited.
                    let fault =
                        try change.needsFullProof
                        ? session.faultUnlessFull(user, realm.proofs, at: asked, in: transaction)
                        : change.needsRecentSignIn
                            ? session.faultUnlessRecent(user, at: asked, in: transaction)
                            : session.fault(of: user, at: asked, in: transaction)
                    if let fault { return .refused(fault == .revoked ? .revoked : .signInTooOld) }
                }
                // Everything that can be refused stands before the first write: a refusal does not undo. What an update loses is thrown.
                if let refusal = try change.refusal(for: user, realm.proofs, in: transaction) {
                    return .refused(refusal)
                }
                let kept = change.keepsSession ? session?.session : nil
                try transaction.reserve(user: user, keeping: kept)
                let reopens = change.isDisabled == false && before.isDisabled && !change.keepsMachineTokens
                let ended = reopens ? try transaction.endMachineTokens(of: id, at: now) : []
                var events: [AuditEvent.Kind] = []

                if case .some(let email) = change.email, email != user.email {
                    if let former = user.email {
                        try transaction.assignOutboxMessages(to: former.canonical, of: id)
                    }
                    if let former = user.email, let email {
                        try transaction.send(
                            OutboxContent(
                                template: "email-changed", locale: user.profile.locale ?? client.locale,
                                values: ["email": former.canonical, "newEmail": email.canonical]),
                            to: former.canonical, about: id, id: messageIDs[0], at: now, sealer: realm.sealer)
                    }
                    user.email = email
                    user.profile.emailVerified = false
                    events.append(.emailChanged)
                }
                change.apply(to: &user)
                // An account whose owner wants it removed is as disabled: an administrator's word is kept beside that wish.
                if let isDisabled = change.isDisabled, isDisabled != user.isDisabled || isDisabled != user.isSuspended {
                    user.isDisabled = isDisabled
                    // While a user is disabled each use is refused for that. What was issued before does not come back.
                    if before.isDisabled, !isDisabled { user.revokeTokens(at: now) }
                    events.append(isDisabled ? .userDisabled : .userEnabled)
                }
                if let hash {
                    try transaction.setPassword(hash, of: &user, newFactorID: factorID, at: now, sealer: realm.sealer)
                    user.profile.providers.remove("anonymous")
                    events.append(.passwordChanged)
                } else if change.removesPassword {
                    if let password = try transaction.factors(of: id).password {
                        _ = try transaction.remove(password.id, realm.proofs)
                    }
                    user.profile.providers.remove("password")
                    events.append(.passwordChanged)
                }
                let withdrawn = try change.withdrawFactors(of: id, realm.proofs, in: transaction)
                if let event = withdrawn.event { events.append(event) }
                if let instant = change.revokesTokensAt {
                    events.append(.tokensRevoked)
                    let meansNow = instant > now - AccountChange.revocationDelay
                    if meansNow { user.revokeTokens(at: instant) }
                    // What means now is judged by the epoch alone, whatever the servers' clocks say.
                    if !meansNow || instant > now { user.refuseTokens(issuedBefore: instant) }
                }
                if change.endsSessions || withdrawn == .all { user.revokeTokens(at: now) }
                if let kept { try transaction.carry(kept, into: user, at: now) }
                guard try transaction.update(user) else { throw LostUpdate() }
                user = try transaction.user(id) ?? user
                if events.isEmpty { events = [.userChanged] }
                for (kind, eventID) in zip(events, eventIDs) {
                    let details = kind == .userEnabled ? MachineToken.details(ofEnded: ended) : [:]
                    try transaction.append(
                        AuditEvent(id: eventID, at: now, kind: kind, userID: id, context: client, details: details))
                }
                for (notice, messageID) in zip(change.notices(withdrawn), messageIDs.dropFirst()) {
                    try transaction.notify(notice, before, by: client, id: messageID, at: now, sealer: realm.sealer)
                }
                guard let evidence else { return .changed(user, nil) }
                let signedIn = try draft.open(
                    for: user, evidence: evidence, clientID: client.clientID, settings: settings, at: now,
                    from: client, isSignIn: false, in: transaction)
                return .changed(signedIn.user, signedIn)
            }
        } catch is LostUpdate {
            return .refused(.addressTaken)
        }
    }
}

/// Another user got the address or the number after both were looked for: the transaction is undone, with the password, the factors, the
/// mails and the ended tokens that it has written by then.
private struct LostUpdate: Error {}

extension AccountChange {
    /// The members that need no other row.
    fileprivate func apply(to user: inout User) {
        if let emailVerified { user.profile.emailVerified = emailVerified }
        if let displayName { user.profile.displayName = displayName }
        if let photoURL { user.profile.photoURL = photoURL }
        if let locale { user.profile.locale = locale }
        if let phoneNumber { user.profile.phoneNumber = phoneNumber }
        if let customClaims { user.profile.customClaims = customClaims }
        for (name, value) in attributes { user.profile.attributes[name] = value == .null ? nil : value }
        if let createdAt { user.createdAt = createdAt }
        if let lastSignInAt { user.lastSignInAt = lastSignInAt }
    }

    /// What the change wants and cannot have.
    fileprivate func refusal(
        for user: User, _ proofs: ProofRegistry, in transaction: any StoreTransaction
    ) throws -> AccountRefusal? {
        if case .some(.some(let email)) = email, let holder = try transaction.user(email: email), holder.id != user.id {
            return .addressTaken
        }
        if case .some(.some(let number)) = phoneNumber,
            let holder = try transaction.user(phoneNumber: PhoneNumber(kept: number)), holder.id != user.id
        {
            return .phoneNumberTaken
        }
        if let secondFactors {
            let present = Set(proofs.secondFactors(among: try transaction.factors(of: user.id)).map(\.id))
            guard present.isSuperset(of: secondFactors.keys) else { return .unknownFactor }
        }
        if isDisabled == true, try transaction.isLastOwner(user) { return .lastOwner }
        return nil
    }

    /// What became of the second factors.
    fileprivate enum Withdrawal: Equatable {
        case none
        /// - Parameter name: of the factor, where it was one.
        case some(name: String?)
        case all

        var event: AuditEvent.Kind? {
            switch self {
            case .none: nil
            case .some: .factorWithdrawn
            case .all: .factorsReset
            }
        }
    }

    /// What the owner's notice says of the change; of a changed address an own mail tells.
    fileprivate func notices(_ withdrawn: Withdrawal) -> [AccountNotice] {
        var notices: [AccountNotice] = []
        if password != nil {
            notices.append(AccountNotice(.passwordChanged))
        } else if removesPassword {
            notices.append(AccountNotice(.passwordRemoved))
        }
        switch withdrawn {
        case .none: break
        case .some(let name): notices.append(AccountNotice(.factorRemoved, factorName: name))
        case .all: notices.append(AccountNotice(.factorsRemoved))
        }
        return notices
    }

    fileprivate func withdrawFactors(
        of id: UserID, _ proofs: ProofRegistry, in transaction: any StoreTransaction
    ) throws -> Withdrawal {
        guard let secondFactors else { return .none }
        let present = proofs.secondFactors(among: try transaction.factors(of: id))
        var gone: [FactorRecord] = []
        for var factor in present {
            switch secondFactors[factor.id] {
            case nil:
                _ = try transaction.remove(factor.id, proofs)
                gone.append(factor)
            case .unchanged?: break
            case .changed(let name)?:
                factor.name = name
                _ = try transaction.update(factor)
            }
        }
        if gone.isEmpty { return .none }
        return gone.count == present.count ? .all : .some(name: gone.count == 1 ? gone[0].name : nil)
    }
}
