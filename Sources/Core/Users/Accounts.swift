import Foundation

/// Users: making, changing and removing them.
///
/// **How the files of this folder meet.** `User` is the row, with its `EmailAddress`, `PhoneNumber` and `CustomClaims`. This type
/// makes users; its files are one verb each: `+Find`, `+Search`, `+Change` (`AccountChangeDraft` is what it writes), `+Delete`, `+Dossier` for what an
/// administrator is shown of an account, `+PersonalData` for all that is stored about its user. `+Import` and `+Export` move users as `PortableAccount`s, a run of many as
/// `ImportExportRuns`; `PortableAccount+differences` says where an account that is there already differs.
public struct Accounts: Sendable {
    let realm: Realm

    /// The user of this id; nil where there is none.
    public func user(_ id: UserID) async throws -> User? {
        try await realm.store.read { try $0.user(id) }
    }

    /// The user of this address; nil where there is none.
    public func user(email: EmailAddress) async throws -> User? {
        try await realm.store.read { try $0.user(email: email) }
    }

    /// A user with the factors, from one snapshot.
    public func userAndFactors(_ id: UserID) async throws -> (user: User, factors: [FactorRecord])? {
        try await realm.store.read { transaction in
            guard let user = try transaction.user(id) else { return nil }
            return (user, try transaction.factors(of: id))
        }
    }

    /// Ordered by id.
    /// - Parameter limit: 1 to 1,000.
    public func users(after id: UserID? = nil, limit: Int = 100) async throws -> [User] {
        let limit = min(max(limit, 1), 1000)
        return try await realm.store.read { try $0.users(after: id, limit: limit) }
    }

    /// Those of these ids that there are, ordered by id.
    public func users(among ids: Set<UserID>) async throws -> [User] {
        try await realm.store.read { try $0.users(among: ids) }.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// A page of them, ordered by id.
    public func list(_ range: ListRange<UserID>) async throws -> ListPage<User, UserID> {
        try await realm.store.read { transaction in
            try range.page(key: \.id) { part in
                let place = part.key.map { UserPlace(key: $0.rawValue, id: $0) }
                return try transaction.users(
                    UserRange(.id, from: place, isBackwards: part.isBackwards, limit: part.limit))
            }
        }
    }

    /// How long a new password of this user has to be; of any user, where none is named.
    public func minimumPasswordLength(of id: UserID?) async throws -> Int {
        try await realm.store.read { transaction in
            let settings = try transaction.settings()
            let factors = try id.map { try transaction.factors(of: $0) } ?? []
            return settings.passwords.minimumLength(
                secondFactorFollows: AssurancePolicy.asksForMore(
                    factors, settings: settings.secondFactors, proofs: realm.proofs))
        }
    }

    // MARK: Signing up

    /// What came of a sign-up.
    public enum SignUpOutcome: Sendable {
        /// The account is there, and signed in.
        case signedUp(SignedIn)
        /// There is no account.
        case refused(AccountRefusal)
    }

    /// Makes an account and signs it in. Without address and password the account is anonymous.
    /// - Throws: ``PasswordHashingOverload``, ``StoreError``.
    public func signUp(
        email: EmailAddress?, password: Secret<String>?, displayName: String? = nil,
        terms: GrantTerms = GrantTerms(),
        by client: ClientContext
    ) async throws -> SignUpOutcome {
        let realm = realm
        let settings = try await realm.settings()
        let isAnonymous = email == nil
        if isAnonymous, !(settings.signUp.anonymous ?? realm.mode.allowsAnonymousUsers) {
            return .refused(.anonymousNotAllowed)
        }
        guard settings.signUp.isOpen else { return .refused(.signUpClosed) }
        if let password, let fault = settings.passwords.fault(of: password, email: email) {
            return .refused(.weakPassword(fault))
        }
        let now = realm.clock.now
        if let refusal = try await admitSignUp(email, by: client, at: now) { return .refused(refusal) }
        let hash: String? = if let password { try await realm.hash(signUpPassword: password, by: client) } else { nil }

        let draft = SessionDraft(random: realm.random)
        let id = UserID(random: realm.random)
        let factorID = FactorID(rawValue: realm.random.uuid())
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            var user = User(
                id: id, email: email,
                profile: UserProfile(displayName: displayName, providers: isAnonymous ? ["anonymous"] : []),
                createdAt: now)
            guard try transaction.insert(user) else { return .refused(.addressTaken) }
            var proof = Proof.anonymous(at: now)
            if let hash {
                try transaction.setPassword(hash, of: &user, newFactorID: factorID, at: now, sealer: realm.sealer)
                _ = try transaction.update(user)
                proof = .password(factorID, at: now)
            }
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: .signedUp, userID: id, context: client))
            let evidence = SessionEvidence(dialect: client.dialect, proofs: [proof], terms: terms)
            var signedIn = try draft.open(
                for: transaction.user(id) ?? user, evidence: evidence, clientID: client.clientID, settings: settings,
                at: now, from: client, in: transaction)
            signedIn.isNewUser = true
            return .signedUp(signedIn)
        }
    }

    /// Charges the limit of accounts per source, and looks whether the address is free before a password is hashed.
    private func admitSignUp(
        _ email: EmailAddress?, by client: ClientContext, at now: Date
    ) async throws -> AccountRefusal? {
        guard let source = client.limitedSource else {
            guard let email else { return nil }
            return try await user(email: email) == nil ? nil : .addressTaken
        }
        return try await realm.store.write { transaction in
            if let until = try transaction.charge(.signUpsPerSource, key: CounterKey.signUps(from: source), at: now) {
                return .limited(until: until)
            }
            guard let email else { return nil }
            return try transaction.user(email: email) == nil ? nil : .addressTaken
        }
    }

    /// Makes an account on an administrator's behalf: no session, no limits, any id that is free.
    /// - Parameter profile: its phone number is in the form of ``PhoneNumber``.
    public func create(
        id: UserID? = nil, email: EmailAddress?, password: Secret<String>?, profile: UserProfile = UserProfile(),
        isDisabled: Bool = false, by client: ClientContext
    ) async throws -> Result<User, AccountRefusal> {
        let realm = realm
        if let password {
            let settings = try await realm.settings()
            if let fault = settings.passwords.fault(of: password, email: email) {
                return .failure(.weakPassword(fault))
            }
        }
        let hash: String? = if let password { try await realm.hasher.hash(password) } else { nil }
        let now = realm.clock.now
        let id = id ?? UserID(random: realm.random)
        let factorID = FactorID(rawValue: realm.random.uuid())
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard try !transaction.isTakenByAnother(id) else { return .failure(.idTaken) }
            var user = User(id: id, email: email, profile: profile, createdAt: now)
            user.isDisabled = isDisabled
            guard try transaction.insert(user) else {
                if try transaction.user(id) != nil { return .failure(.idTaken) }
                if let email, try transaction.user(email: email) != nil { return .failure(.addressTaken) }
                return .failure(.phoneNumberTaken)
            }
            if let hash {
                try transaction.setPassword(hash, of: &user, newFactorID: factorID, at: now, sealer: realm.sealer)
                _ = try transaction.update(user)
            }
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: .userCreated, userID: id, context: client))
            return .success(try transaction.user(id) ?? user)
        }
    }
}

extension StoreTransaction {
    /// Whether the id that a user is to have names something else: an application, as what says who a token is of must not be one's name
    /// and another's; or the first token, as the log calls it (``AdministratorToken/actor``).
    func isTakenByAnother(_ id: UserID) throws -> Bool {
        try id.rawValue == AdministratorToken.actor || registeredApplication(ClientID(rawValue: id.rawValue)) != nil
    }
}

extension Realm {
    /// Hashes the password of a sign-up that was counted. Where there is too much to hash, the sign-up is not counted:
    /// no account is created, and nothing is disclosed.
    func hash(signUpPassword password: Secret<String>, by client: ClientContext) async throws -> String {
        do {
            return try await hasher.hash(password)
        } catch {
            if let source = client.limitedSource {
                try? await store.write { try $0.refund(key: CounterKey.signUps(from: source)) }
            }
            throw error
        }
    }
}

/// Why an account was not made or changed.
public enum AccountRefusal: Error, Sendable, Equatable {
    /// Another account has the address.
    case addressTaken
    /// Another account has the id, or an application has.
    case idTaken
    /// Another account has the phone number.
    case phoneNumberTaken
    /// The realm's policy does not take the password.
    case weakPassword(PasswordPolicy.Fault)
    /// The realm's settings do not let users sign up.
    case signUpClosed
    /// The realm's settings do not allow accounts without address and password.
    case anonymousNotAllowed
    /// Too many from one source.
    case limited(until: Date)
    /// Too many new passwords that came to nothing.
    case newPasswordsLimited(until: Date)
    /// There is no such user.
    case userNotFound
    /// The caller's tokens were revoked just now.
    case revoked
    /// The user who asks has to sign in again first.
    case signInTooOld
    /// One of the second factors that were to stay is not there.
    case unknownFactor
    /// Without this user there would be no owner of the realm who can sign in (``Administrators``).
    case lastOwner
    /// The account kept changing.
    case busy
}
