import Foundation

/// Decides what is missing of a request for authorization: by the request, the session and what the user has said. Looking again with
/// the same gives the same.
struct AuthorizationJudge: Sendable {
    let realm: Realm
    let request: AuthorizationRequest
    let body: AuthorizationBody
    let application: Application
    /// When the request came: what is to be fresh was proven since.
    let since: Date
    let now: Date

    private var isSilent: Bool { request.prompts.contains(.none) }

    func standing(for given: Session?, in transaction: any StoreTransaction) throws -> AuthorizationStanding {
        if body.isDenied { return .impossible(.accessDenied) }
        let needed = try neededClass(of: given?.userID, in: transaction)
        // Where no accounts are made, the request is one to sign in.
        let creates = try request.prompts.contains(.create) && transaction.settings().signUp.isOpen
        guard let session = try given.flatMap({ try living($0, in: transaction) }) else {
            return signIn(.loginRequired, needed) { $0.createsAccount = creates }
        }
        if let hinted = request.hintedUser, hinted != session.userID {
            return signIn(.loginRequired, needed) {
                $0.isFresh = true
                $0.user = hinted
            }
        }
        let isSignedInSince = (session.proofs.map(\.at).min() ?? .distantPast) >= since
        if creates, !isSignedInSince {
            return signIn(.interactionRequired, needed) { $0.createsAccount = true }
        }
        if request.prompts.contains(.selectAccount), body.chosenSession != session.id, !isSignedInSince {
            return signIn(.accountSelectionRequired, needed) { $0.selectsAccount = true }
        }
        let isUnavailable = body.withoutSecondFactor == session.userID
        let present = realm.proofs.contextClass(of: session.proofs)
        if !isFresh(session, for: present) {
            return signIn(.loginRequired, needed) {
                $0.isFresh = true
                $0.identifier = request.loginHint
            }
        }
        let resistance = realm.proofs.resistanceClasses(of: session.proofs)
        if request.prefersResistance, !resistance.contains(ContextClass.phishingResistant) {
            let isOnlyWord = request.isACREssential && request.classes.isEmpty
            let canBeGiven =
                try body.withoutPasskey != session.userID && hasResistantFactor(session.userID, in: transaction)
            if canBeGiven, !isSilent {
                return signIn(.interactionRequired, needed) {
                    $0.user = session.userID
                    $0.needsPasskey = true
                }
            }
            if isOnlyWord {
                // A passkey that is enrolled on the way is in software as often as not, which meets no `phrh`.
                guard request.acrValues.contains(ContextClass.phishingResistant) else {
                    return .impossible(.unmetAuthenticationRequirements)
                }
                return try enrolling(session, needed, in: transaction) ?? .impossible(.unmetAuthenticationRequirements)
            }
            if canBeGiven { return .impossible(.interactionRequired) }
        }
        if case .two(let isEssential) = needed, present < .aal2 {
            if isSilent {
                return .impossible(isEssential ? .unmetAuthenticationRequirements : .interactionRequired)
            }
            if !isUnavailable, try canGiveSecondFactor(session.userID, in: transaction) { return .secondFactor }
            if isEssential { return .impossible(.unmetAuthenticationRequirements) }
        }
        if request.isACREssential, !request.acrValues.isEmpty,
            !request.classes.contains(where: { $0 == present || $0 == .aal1 }),
            resistance.isDisjoint(with: request.acrValues)
        {
            return .impossible(.unmetAuthenticationRequirements)
        }
        if let user = try transaction.user(session.userID),
            try transaction.settings().terms.asked(of: user.profile) != nil
        {
            return isSilent ? .impossible(.interactionRequired) : .terms
        }
        return try consent(of: session.userID, in: transaction)
    }

    // MARK: Sessions

    private func living(_ session: Session, in transaction: any StoreTransaction) throws -> Session? {
        guard let user = try transaction.user(session.userID), !user.isDisabled, session.isLiving(of: user, at: now),
            !user.refuses(issuedAt: session.createdAt)
        else { return nil }
        return session
    }

    private func signIn(
        _ failure: AuthorizationFailure, _ needed: Needed, _ change: (inout SignInDemand) -> Void
    ) -> AuthorizationStanding {
        if isSilent { return .impossible(failure) }
        var demand = SignInDemand()
        demand.identifier = request.loginHint
        if case .two = needed { demand.needsTwoFactors = true }
        change(&demand)
        return .signIn(demand)
    }

    /// Seconds since the sign-in at most, where there is a bound.
    private var askedAge: Int? { request.maxAge ?? application.registration.oauth.defaultMaxAge }

    /// Whether the session was proven lately enough (`prompt=login`, `max_age`).
    private func isFresh(_ session: Session, for present: ContextClass) -> Bool {
        guard let proven = realm.proofs.authenticationTime(of: session.proofs, for: present) else { return false }
        let isAsked = request.prompts.contains(.login) || askedAge != nil
        // How long ago something was proven is not known where the clock has been set back since.
        if isAsked, proven > now + TokenTimes.leeway { return false }
        if request.prompts.contains(.login) { return proven >= since }
        guard let age = askedAge else { return true }
        return proven >= since || age > 0 && now.timeIntervalSince(proven) <= Double(age)
    }

    // MARK: Classes

    private enum Needed {
        case any
        case two(isEssential: Bool)
    }

    /// Whether the user has a second factor that is asked for, or may enrol one.
    private func canGiveSecondFactor(_ user: UserID, in transaction: any StoreTransaction) throws -> Bool {
        let settings = try transaction.settings().secondFactors
        if AssurancePolicy.asksForMore(
            try transaction.factors(of: user), settings: settings, proofs: realm.proofs)
        {
            return true
        }
        return settings.state != .disabled
            && (realm.proofs.kindsByTicket + realm.proofs.kindsByResponse).contains {
                realm.proofs.isOffered($0, settings)
            }
    }

    /// Whether the user has what proves `phr`.
    private func hasResistantFactor(_ user: UserID, in transaction: any StoreTransaction) throws -> Bool {
        let settings = try transaction.settings().secondFactors
        return try transaction.factors(of: user).contains {
            realm.proofs.assurance(of: $0.kind).contains(.phishingResistant)
                && realm.proofs.isOffered($0.kind, settings)
        }
    }

    /// How a user without a passkey comes to one, where nothing else will do. A password alone must not enrol one beside another factor:
    /// that is asked for first, and all factors anew where they were given too long ago. Nil where the user has said no, or none can be
    /// enrolled.
    private func enrolling(
        _ session: Session, _ needed: Needed, in transaction: any StoreTransaction
    ) throws -> AuthorizationStanding? {
        let settings = try transaction.settings()
        let evidence = SessionEvidence(dialect: .oauth, proofs: session.proofs)
        guard !isSilent, body.withoutPasskey != session.userID, body.withoutSecondFactor != session.userID,
            realm.passkeySite(in: settings) != nil, evidence.allowsEnrolment(realm.proofs),
            try !hasResistantFactor(session.userID, in: transaction)
        else { return nil }
        let factors = try transaction.factors(of: session.userID)
        guard evidence.mayChange(factors, realm.proofs) else {
            return AssurancePolicy.asksForMore(factors, settings: settings.secondFactors, proofs: realm.proofs)
                ? .secondFactor : nil
        }
        guard evidence.isRecent(at: now) else {
            return signIn(.loginRequired, needed) {
                $0.isFresh = true
                $0.user = session.userID
            }
        }
        return .passkeyEnrolment
    }

    /// - Parameter user: who is signed in; nil where that is not known.
    private func neededClass(of user: UserID?, in transaction: any StoreTransaction) throws -> Needed {
        let settings = try transaction.settings().secondFactors
        let isRequired =
            try application.registration.requiresSecondFactor || settings.isRequired
            || user.map { try transaction.requiresSecondFactor(of: $0, settings) } ?? false
        if isRequired {
            let isPutOff = try user.map { try transaction.putsOffEnrolment($0, settings, at: now, realm.proofs) }
            if isPutOff != true { return .two(isEssential: true) }
        }
        return try neededByRequest(in: transaction)
    }

    /// Whether the request can do without a second factor, where no rule of the realm or of the application requires one: only then
    /// can its user put off enrolling one.
    func canDoWithoutSecondFactor(in transaction: any StoreTransaction) throws -> Bool {
        if case .two(isEssential: true) = try neededByRequest(in: transaction) { return false }
        return !request.isACREssential || request.acrValues.isEmpty || request.classes.contains(.aal1)
    }

    private func neededByRequest(in transaction: any StoreTransaction) throws -> Needed {
        if try transaction.resources().contains(where: { $0.wantsTwoFactors(forSome: request.scopes) }) {
            return .two(isEssential: true)
        }
        guard request.classes.first == .aal2 else { return .any }
        return .two(isEssential: request.isACREssential && !request.classes.contains(.aal1))
    }

    // MARK: Consent

    private func consent(of user: UserID, in transaction: any StoreTransaction) throws -> AuthorizationStanding {
        if body.consentedBy == user,
            try transaction.stands(body.consentBasis, of: user, to: request.client, since: since)
        {
            return .ready
        }
        let isAsked = request.prompts.contains(.consent)
        if !isAsked {
            if application.registration.oauth.isFirstParty { return .ready }
            if let given = try transaction.consent(of: user, to: request.client, sealer: realm.sealer),
                given.createdAt >= application.known,
                given.covers(scopes: request.scopes, resources: request.resources)
            {
                return .ready
            }
        }
        if isSilent { return .impossible(.consentRequired) }
        let resources = try transaction.resources()
        return .consent(
            ConsentQuestion(
                scopes: resources.questions(about: request.scopes),
                resources: resources.filter { request.resources.contains($0.uri) }))
    }
}
