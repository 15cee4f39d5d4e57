import Foundation

/// The account that a sign-up by a response makes, until the response comes.
struct NewAccount: Codable, Sendable, Equatable {
    /// Drawn beforehand: authenticators keep it beside the key (WebAuthn Level 3, section 5.4.3).
    var id: UserID
    var profile: UserProfile
}

extension NewAccount: StoredJSON {}

extension Authenticator {
    /// What an account is to be that is signed up for by a response.
    public struct SignUp: Sendable {
        /// The address that the account is to have. It is not proven.
        public var email: EmailAddress
        /// What people are to call the user; nil where nothing was said.
        public var displayName: String?

        /// An account of this address.
        public init(email: EmailAddress, displayName: String? = nil) {
            self.email = email
            self.displayName = displayName
        }
    }

    /// Begins a sign-up by a factor that the client makes (`ResponseEnrolledProof`). There is no account before the response, which goes
    /// to the flow with ``Answer/registration(of:response:name:)``, makes the account and signs in; one response, right or wrong.
    ///
    /// The address is not proven by it. Like other sign-ups this one tells that an address has an account.
    /// - Parameters:
    ///   - terms: what the session will be like, where the request with the response says nothing else.
    ///   - handleApart: whether the handle is another random value than the challenge; then both have to be of one attempt.
    /// - Returns: ``BeginOutcome/begun(_:)``; refused with `signUpClosed`, `addressTaken`, `factorNotOffered`, `sourceLimited`.
    public func begin(
        signingUp account: SignUp, by kind: FactorKind, terms: GrantTerms = GrantTerms(),
        lifetime: TimeInterval = FlowLifetime.standard, handleApart: Bool = false, from client: ClientContext
    ) async throws -> BeginOutcome {
        let realm = realm
        guard let method = realm.proofs.method(kind) as? any ResponseEnrolledProof, method.traits.role.isFirst else {
            return .refused(Refusal(.unexpectedAnswer))
        }
        let now = realm.clock.now
        let (handle, nonce) = FlowHandle.drawn(apart: handleApart, realm.random)
        let id = UserID(random: realm.random)
        return try await realm.store.write { transaction in
            let settings = try transaction.settings()
            guard realm.proofs.isOffered(kind, settings.secondFactors) else {
                return .refused(Refusal(.factorNotOffered))
            }
            guard settings.signUp.isOpen else { return .refused(Refusal(.signUpClosed)) }
            let user = User(
                id: id, email: account.email, profile: UserProfile(displayName: account.displayName), createdAt: now)
            guard
                let opened = try method.open(
                    for: user, having: [], settings: settings, nonce: nonce, at: now, by: client, wish: nil,
                    realm: realm)
            else { return .refused(Refusal(.factorNotOffered)) }
            if let source = client.limitedSource,
                let until = try transaction.charge(.signUpsPerSource, key: CounterKey.signUps(from: source), at: now)
            {
                return .refused(Refusal(.sourceLimited, retryAt: until))
            }
            guard try transaction.user(email: account.email) == nil else { return .refused(Refusal(.addressTaken)) }
            var body = FlowBody(
                purpose: .signUp, client: client, email: account.email,
                challenge: .enrolment(kind: kind, payload: opened.kept), maximumAttempts: 1, terms: terms)
            body.newAccount = NewAccount(id: id, profile: user.profile)
            let flow = FlowRecord(
                digest: handle.digest, userID: nil, purpose: FlowPurpose.signUp.rawValue, createdAt: now,
                expiresAt: now + lifetime,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction))
            guard try transaction.insert(flow) else { return .refused(Refusal(.busy)) }
            return .begun(
                BegunProof(handle: handle, kind: kind, challenge: opened.shown, expiresAt: flow.expiresAt))
        }
    }
}

extension Settlement {
    /// The response made what opens the account: makes the account, and signs in.
    func signUp(_ kind: FactorKind, payload: Data, in transaction: any StoreTransaction) throws -> Authenticator.Settled
    {
        guard let account = context.body.newAccount, let email = context.body.address else {
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
        guard context.settings.signUp.isOpen else { return .verdict(.refused(Refusal(.signUpClosed))) }
        guard try transaction.user(email: email) == nil else { return .verdict(.refused(Refusal(.addressTaken))) }
        if let id = result.factorID, try transaction.factor(id) != nil {
            return .verdict(.refused(Refusal(.replayed)))
        }
        let user = User(id: account.id, email: email, profile: account.profile, createdAt: now)
        guard try transaction.insert(user) else { return .verdict(.refused(Refusal(.addressTaken))) }
        switch try insert(kind, payload: payload, of: user, at: .enrolment, tellsOwner: false, in: transaction) {
        case .refused(let refused):
            // The credential was registered meanwhile: what opens nothing makes no account.
            _ = try transaction.deleteUser(user.id)
            return refused
        case .inserted(let factor):
            // One settlement has no alarm and a new account.
            try record(.signedUp, at: .alert, user: user.id, in: transaction)
            var first = proof(of: factor)
            first.isSecondFactor = false
            return try assure(transaction.user(user.id) ?? user, [first], isNew: true, in: transaction)
        }
    }
}
