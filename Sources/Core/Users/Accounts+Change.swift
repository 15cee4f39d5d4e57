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
    /// A changed address is unverified again unless the change says otherwise; a former one that was proven takes the user's own change back
    /// for a day. A changed address or password, and the
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
        var hash: String?
        if let password = change.password {
            let looksBack = session != nil && client.refusesFormerPasswords
            if let refusal = try await refusal(
                of: password, for: before, with: change, factors, settings, looksBack: looksBack)
            {
                return .refused(refusal)
            }
            hash = try await realm.hasher.hash(password)
        }
        let draft = AccountChangeDraft(change, hash: hash, isOwn: session != nil, of: realm, by: client)
        do {
            return try await realm.store.write { transaction in
                guard let before = try transaction.user(id) else { return .refused(.userNotFound) }
                try present(before)
                // As of the request: hashing may have waited.
                if let session,
                    let refusal = try change.refusal(
                        of: session, for: before, realm.proofs, at: asked, in: transaction)
                {
                    return .refused(refusal)
                }
                // Everything that can be refused stands before the first write: a refusal does not undo. What an update loses is thrown.
                if let refusal = try change.refusal(for: before, realm.proofs, in: transaction) {
                    return .refused(refusal)
                }
                let kept = change.keepsSession ? session?.session : nil
                let user = try draft.write(over: before, keeping: kept, in: transaction)
                guard let evidence else { return .changed(user, nil) }
                let signedIn = try draft.session.open(
                    for: user, evidence: evidence, clientID: client.clientID, settings: settings, at: draft.now,
                    from: client, isSignIn: false, in: transaction)
                return .changed(signedIn.user, signedIn)
            }
        } catch is AccountChangeDraft.LostUpdate {
            return .refused(.addressTaken)
        }
    }

    /// Why the password cannot be the user's: by the policy, and by what the account had before, where that is looked for.
    private func refusal(
        of password: Secret<String>, for user: User, with change: AccountChange, _ factors: [FactorRecord],
        _ settings: RealmSettings, looksBack: Bool
    ) async throws -> AccountRefusal? {
        if let fault = settings.passwords.fault(
            of: password, email: change.email.flatMap { $0 } ?? user.email,
            secondFactorFollows: AssurancePolicy.asksForMore(
                factors, settings: settings.secondFactors, proofs: realm.proofs))
        {
            return .weakPassword(fault)
        }
        guard looksBack else { return nil }
        let history = PasswordHistory(realm: realm)
        switch try await history.look(for: password, of: user.id, factors, settings.passwords) {
        case .fresh: return nil
        case .recent: return .weakPassword(.recentlyUsed)
        case .limited(let until): return .newPasswordsLimited(until: until)
        }
    }
}
