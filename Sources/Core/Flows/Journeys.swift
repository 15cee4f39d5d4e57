import Foundation

/// Attempts that go step by step under one handle: sign-in, sign-up and reset as apps without a browser lead through them.
///
/// Here they begin, and here codes are sent. What is answered goes through the one door (``Authenticator``), which says
/// with ``Verdict/advanced(_:)`` what comes next.
public struct Journeys: Sendable {
    let realm: Realm

    /// What an attempt is begun for.
    public enum Opening: Sendable {
        /// To sign in to the account of this address.
        case signIn(EmailAddress)
        /// To make an account of this address.
        case signUp(EmailAddress, SignUpDetails)
        /// To set a new password for the account of this address.
        case resetPassword(EmailAddress)

        var email: EmailAddress {
            switch self {
            case .signIn(let email), .signUp(let email, _), .resetPassword(let email): email
            }
        }

        var purpose: FlowPurpose {
            switch self {
            case .signIn: .signIn
            case .signUp: .signUp
            case .resetPassword: .resetPassword
            }
        }
    }

    /// What a user who signs up has submitted, and what the application asks for.
    public struct SignUpDetails: Sendable {
        /// The password that the account is to have; nil where it was not submitted yet.
        public var password: Secret<String>?
        /// Whether the account is to have a password.
        public var wantsPassword: Bool
        /// The attributes that were submitted so far, by name.
        public var attributes: [String: JSONValue]
        /// The attributes that the application asks for.
        public var required: [ApplicationRegistration.Attribute]
        /// What makes the account where sign-up is not open: an invitation for this address.
        public var invitation: FlowHandle?
        /// The user's language.
        public var locale: String?

        /// What a sign-up brings; the application's registration says what it asks for.
        public init(
            password: Secret<String>? = nil, wantsPassword: Bool, attributes: [String: JSONValue] = [:],
            required: [ApplicationRegistration.Attribute] = [], invitation: FlowHandle? = nil, locale: String? = nil
        ) {
            self.invitation = invitation
            self.locale = locale
            self.password = password
            self.wantsPassword = wantsPassword
            self.attributes = attributes
            self.required = required
        }
    }

    /// What came of beginning an attempt.
    public enum BeginOutcome: Sendable {
        /// The attempt goes on under this handle.
        case begun(FlowHandle)
        /// The address is asked for something that the client does not take.
        case beyondClient(FirstMethod)
        /// No attempt began.
        case refused(Refusal)
    }

    /// Begins an attempt. Nothing is sent yet.
    ///
    /// Addresses without account are treated like those with one, at the same cost: what they are asked for is decided by
    /// a keyed digest of the address where the application has both kinds of accounts. Where the client reveals addresses,
    /// the answer is `unknownUser`, `addressTaken` or `noPassword` instead.
    /// - Parameters:
    ///   - offered: what the application's accounts are asked for first.
    ///   - taken: what the client can ask for.
    public func begin(
        _ opening: Opening, offered: Set<FirstMethod>, taken: Set<FirstMethod>,
        abilities: JourneyAbilities = JourneyAbilities(), by client: ClientContext
    ) async throws -> BeginOutcome {
        let realm = realm
        let now = realm.clock.now
        let tenant = try await realm.tenant()
        let draft: SignUpDraft?
        switch try await self.draft(of: opening, by: client, at: now) {
        case .success(let made): draft = made
        case .failure(let refusal): return .refused(refusal.refusal)
        }
        let handle = FlowHandle(random: realm.random)
        return try await realm.store.write { transaction in
            // Sign-ups have a limit of their own.
            if let source = client.limitedSource, opening.purpose != .signUp,
                let until = try transaction.charge(
                    .attemptsPerSource, key: CounterKey.attempts(from: source), at: now)
            {
                return .refused(Refusal(.sourceLimited, retryAt: until))
            }
            let email = opening.email
            let settings = try transaction.settings()
            let reveals = client.revealsAddresses || !settings.privacy.hidesAddresses
            let user = try transaction.user(email: email)
            // Decided and looked for in either case, so that both cost the same.
            let decoy = tenant.decoyMethod(for: email)
            let seemsToHavePassword = (offered.count == 1 ? offered.first : decoy) == .password
            let factors = try transaction.factors(
                of: user?.id ?? (seemsToHavePassword ? .placeholderWithPassword : .placeholder))
            let hasPassword = factors.password != nil

            var method = FirstMethod.mailedCode
            switch opening {
            case .signIn:
                if reveals, user == nil { return .refused(Refusal(.unknownUser)) }
                let kind: FirstMethod = user == nil ? decoy : hasPassword ? .password : .mailedCode
                // An application with one kind asks every user for that.
                guard let only = offered.count == 1 ? offered.first : offered.isEmpty ? nil : kind else {
                    return .beyondClient(.mailedCode)
                }
                method = only
            case .signUp(_, let details):
                if let invitation = details.invitation {
                    guard try transaction.invited(by: invitation.digest, at: now, sealer: realm.sealer) == email else {
                        return .refused(Refusal(.signUpClosed))
                    }
                } else if !settings.signUp.isOpen {
                    return .refused(Refusal(.signUpClosed))
                }
                if reveals, user != nil { return .refused(Refusal(.addressTaken)) }
            case .resetPassword:
                if reveals, user == nil { return .refused(Refusal(.unknownUser)) }
                if reveals, !hasPassword { return .refused(Refusal(.noPassword)) }
            }
            guard taken.contains(method) else { return .beyondClient(method) }

            let isSignUp = opening.purpose == .signUp
            var body = FlowBody(
                purpose: opening.purpose, client: client, email: email,
                challenge: method == .password ? .password : .unasked, tokenEpoch: isSignUp ? nil : user?.tokenEpoch)
            body.journey = Journey(stage: .firstProof, method: method, abilities: abilities, draft: draft)
            if case .signUp(_, let details) = opening { body.invitation = details.invitation?.digest }
            let flow = FlowRecord(
                digest: handle.digest, userID: isSignUp ? nil : user?.id, purpose: opening.purpose.rawValue,
                createdAt: now, expiresAt: now + FlowLifetime.standard,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction))
            guard try transaction.insert(flow) else { return .refused(Refusal(.busy)) }
            return .begun(handle)
        }
    }

    private struct DraftRefusal: Error {
        let refusal: Refusal
    }

    /// Judges and hashes the password of a sign-up, which is limited by source.
    private func draft(
        of opening: Opening, by client: ClientContext, at now: Date
    ) async throws -> Result<SignUpDraft?, DraftRefusal> {
        guard case .signUp(let email, let details) = opening else { return .success(nil) }
        let settings = try await realm.settings()
        guard settings.signUp.isOpen || details.invitation != nil else {
            return .failure(DraftRefusal(refusal: Refusal(.signUpClosed)))
        }
        if let password = details.password, let fault = settings.passwords.fault(of: password, email: email) {
            return .failure(DraftRefusal(refusal: Refusal(.weakPassword, passwordFault: fault)))
        }
        if let source = client.limitedSource {
            let until = try await realm.store.write { transaction in
                try transaction.charge(.signUpsPerSource, key: CounterKey.signUps(from: source), at: now)
            }
            if let until { return .failure(DraftRefusal(refusal: Refusal(.sourceLimited, retryAt: until))) }
        }
        var hash: String?
        if let password = details.password { hash = try await realm.hash(signUpPassword: password, by: client) }
        return .success(
            SignUpDraft(
                passwordHash: hash, wantsPassword: details.wantsPassword, attributes: details.attributes,
                required: details.required, locale: details.locale))
    }

    // MARK: Finding

    enum Lookup {
        case open(FlowRecord, FlowBody, Journey, User?)
        case refused(Refusal)
    }

    /// An attempt that goes on.
    static func find(
        _ handle: FlowHandle, _ expectation: FlowExpectation, at now: Date, sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws -> Lookup {
        guard let found = try transaction.flow(of: handle, expecting: expectation, at: now, sealer: sealer),
            let journey = found.body.journey
        else { return .refused(Refusal(.unknownFlow)) }
        let (record, body) = (found.record, found.body)
        if record.finishedAt != nil { return .refused(Refusal(.flowFinished)) }
        if record.expiresAt <= now { return .refused(Refusal(.flowExpired)) }
        if record.attempts >= body.maximumAttempts { return .refused(Refusal(.flowExhausted)) }
        let user = try transaction.user(record.userID ?? .placeholder)
        if record.userID != nil && user == nil { return .refused(Refusal(.userNotFound)) }
        if let user, try !body.goesOn(for: user, at: now, in: transaction) { return .refused(Refusal(.flowExpired)) }
        return .open(record, body, journey, user)
    }
}

extension UserID {
    /// An id longer than any user's may be. Reads for an address without account use it, so that they cost the same.
    static let placeholder = UserID(rawValue: String(repeating: "nobody ", count: 20))

    /// The same where an account of that address would have a password: of this one, stores read the row of a password that they do not
    /// give.
    package static let placeholderWithPassword = UserID(rawValue: String(repeating: "no one ", count: 20))
}

extension Realm {
    /// Attempts that go step by step.
    public var journeys: Journeys { Journeys(realm: self) }
}
