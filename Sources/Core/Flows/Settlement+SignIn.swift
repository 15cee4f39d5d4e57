import Foundation

/// What follows a proof: one decision, for an attempt in one go and for one that goes step by step under one handle
/// (``Journey``). The two differ in the answer to the client.
extension Settlement {
    /// A proof that signs in: whose it is, and what follows.
    func signIn(
        _ user: User?, _ proof: Proof, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        let proven = context.body.proven + [proof]
        if user == nil, policy(context.body).decide(proven: proven, factors: []) == .enrolmentRequired {
            // What is refused makes no account.
            return .verdict(.refused(Refusal(.secondFactorRequired)))
        }
        if result.takesAddress, let email = context.body.address, let holder = try transaction.user(email: email),
            holder.id != user?.id
        {
            return .verdict(.refused(Refusal(.addressTaken)))
        }
        if let user {
            let present =
                result.takesAddress
                ? try linkingAddress(of: user, in: transaction)
                : try provingAddress(of: user, by: proof, in: transaction)
            return try assure(present, proven, in: transaction)
        }
        if let vouched = result.account { return try signIn(vouched, proven, in: transaction) }
        guard let made = try newUser(in: transaction) else { return .verdict(.refused(Refusal(.signUpClosed))) }
        return try assure(made, proven, isNew: true, in: transaction)
    }

    /// The account that another system vouches for; it is made where there is none.
    private func signIn(
        _ vouched: VouchedAccount, _ proven: [Proof], in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        if let present = try transaction.user(vouched.id) {
            if present.isDisabled { return .verdict(.refused(Refusal(.userDisabled))) }
            return try assure(present, proven, in: transaction)
        }
        let fresh = User(
            id: vouched.id, email: nil, profile: UserProfile(providers: [vouched.provider]), createdAt: now)
        guard try transaction.insert(fresh) else { return .verdict(.refused(Refusal(.busy))) }
        return try assure(transaction.user(vouched.id) ?? fresh, proven, isNew: true, in: transaction)
    }

    private func policy(_ body: FlowBody) -> AssurancePolicy {
        AssurancePolicy(
            settings: context.settings.secondFactors, requiresSecondFactor: body.requiresSecondFactor, proofs: proofs)
    }

    /// Opens the session, or says what is missing.
    /// - Parameters:
    ///   - proven: all that the attempt has proven.
    ///   - isNew: whether this answer made the account.
    func assure(
        _ user: User, _ proven: [Proof], isNew: Bool = false, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        var body = context.body
        body.proven = proven
        body.tokenEpoch = user.tokenEpoch
        body.terms.details.merge(result.account?.details ?? [:]) { _, said in said }
        if body.journey != nil, body.email == nil { body.email = user.email?.canonical }
        if case .flow(_, let expectation) = attempt.target {
            body.terms = expectation.terms?.following(body.terms) ?? body.terms
            if expectation.requiresSecondFactor {
                body.requiresSecondFactor = true
                body.journey?.mustGiveSecondFactor = true
            }
        }
        // What the application or the realm asks of everyone may be newer than an attempt, which lives for a quarter of an hour.
        if body.journey != nil, attempt.client.requiresSecondFactor || context.settings.secondFactors.isRequired {
            body.requiresSecondFactor = true
        }
        // Whom the rule names is known only now, in whatever protocol.
        if !body.requiresSecondFactor, !attempt.client.enrolsBySession, context.settings.secondFactors.isRequiredOfSome,
            try transaction.requiresSecondFactor(of: user.id, context.settings.secondFactors)
        {
            body.requiresSecondFactor = true
        }
        if body.purpose == .backchannel {
            // A device that was asked without anything before is one factor, and such an attempt has no step for another.
            let isRequired = try transaction.requiresSecondFactor(of: user.id, context.settings.secondFactors)
            if body.requiresSecondFactor || attempt.client.requiresSecondFactor || isRequired {
                return .verdict(.refused(Refusal(.secondFactorRequired)))
            }
            return try complete(user, body, isNew: isNew, in: transaction)
        }
        var decision = try policy(body).decide(proven: proven, factors: transaction.factors(of: user.id))
        if decision == .enrolmentRequired, let journey = body.journey {
            let mailboxes = try body.usableSecondFactors(
                of: user, context.settings.secondFactors, proofs, sealer, in: transaction)
            if journey.hasRegistered && !journey.mustGiveSecondFactor {
                decision = .enough
            } else if !mailboxes.isEmpty {
                decision = .secondFactor(mailboxes)
            } else if !journey.mustGiveSecondFactor,
                context.settings.secondFactors.isPutOff(by: user.profile, at: now)
            {
                decision = .enough
            }
        }
        switch decision {
        // What a user chose instead of a password is enrolled first, whatever else would do.
        case .enough where body.lacksRegistration: return try askToEnrol(user, body, in: transaction)
        case .enough: return try complete(user, body, isNew: isNew, in: transaction)
        case .secondFactor(let factors): return try ask(user, body, for: factors, in: transaction)
        case .enrolmentRequired: return try askToEnrol(user, body, in: transaction)
        }
    }

    // MARK: Enough

    private func complete(
        _ user: User, _ body: FlowBody, isNew: Bool, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        if body.journey == nil, case .flow(_, let expectation) = attempt.target, expectation.isFetchedLater,
            let proof = body.proven.last
        {
            return try keepForLater(proof, in: transaction)
        }
        if isConsulted(.session), !advice.clearsSession { throw ConsultationNeeded.session(user) }
        if let journey = body.journey { return try openSession(user, body, journey, in: transaction) }
        if request == nil { try finishFlow(in: transaction) }
        var signedIn = try open(user, body, in: transaction)
        if request != nil {
            try finishFlow(
                answering: .signedIn(signedIn.session.id, refreshToken: signedIn.refreshToken.reveal()), in: transaction
            )
        }
        signedIn.isNewUser = isNew
        signedIn.recoveryCode = result.replacement
        var details: [String: JSONValue] = ["session": .string(signedIn.session.id.rawValue)]
        if let last = body.proven.last, last.isSecondFactor, !result.isLogged {
            details["kind"] = .string(last.kind.rawValue)
        }
        details[AuditCount.secondFactorMember] = body.secondFactorInLog
        try record(.signedIn, user: user.id, details: details, in: transaction)
        return .verdict(.accomplished(.signedIn(signedIn)))
    }

    /// Opens the session that a body describes.
    func open(_ user: User, _ body: FlowBody, in transaction: any StoreTransaction) throws -> SignedIn {
        let evidence = SessionEvidence(dialect: body.dialect, proofs: body.proven, terms: body.terms)
        return try session.open(
            for: user, evidence: evidence, clientID: body.clientID, settings: context.settings, at: now,
            from: attempt.client, in: transaction)
    }

    private func openSession(
        _ user: User, _ body: FlowBody, _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard var flow = try presentFlow(in: transaction) else { return .stale }
        flow.userID = user.id
        var signedIn = try open(user, body, in: transaction)
        signedIn.recoveryCode = result.replacement
        var (body, journey) = (body, journey)
        // The token is in the sealed body for as long as its answer may have been lost, and useless once it was traded.
        try journey.remember(
            request, .signedIn(signedIn.session.id, refreshToken: signedIn.refreshToken.reveal()), at: now,
            attempts: flow.attempts, sealer: sealer, in: transaction)
        body.journey = journey
        flow.body = try body.sealed(by: sealer, digest: flow.digest, in: transaction)
        flow.finishedAt = now
        guard try transaction.update(flow) else { return .stale }
        var details: [String: JSONValue] = ["session": .string(signedIn.session.id.rawValue)]
        if let second = body.secondFactorInLog { details[AuditCount.secondFactorMember] = second }
        try record(.signedIn, user: user.id, details: details, in: transaction)
        return .verdict(.accomplished(.signedIn(signedIn)))
    }

    // MARK: Not enough

    private func ask(
        _ user: User, _ body: FlowBody, for factors: [FactorRecord], in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let journey = body.journey else { return try keep(user, body, for: factors, in: transaction) }
        guard journey.abilities.givesSecondFactor, factors.contains(where: { journey.abilities.answers($0, proofs) })
        else {
            return try step(.beyondClient(lacksRegistration: false), body, journey, isOver: true, in: transaction)
        }
        var body = body
        body.challenge = .secondFactor
        try record(.secondFactorAsked, user: user.id, details: body.firstProofInLog, in: transaction)
        return try step(.secondFactor, body, journey, stage: .secondFactor, user: user.id, in: transaction)
    }

    private func askToEnrol(
        _ user: User, _ body: FlowBody, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let journey = body.journey else {
            guard case .opening(let opening) = attempt.target, opening.canEnrol else {
                return .verdict(.refused(Refusal(.secondFactorRequired)))
            }
            return try keep(user, body, for: [], in: transaction)
        }
        guard journey.abilities.registersSecondFactor else {
            return try step(.beyondClient(lacksRegistration: true), body, journey, isOver: true, in: transaction)
        }
        var body = body
        body.challenge = .unasked
        return try step(.registration, body, journey, stage: .registration, user: user.id, in: transaction)
    }

    /// Keeps what was proven, under a fresh handle.
    private func keep(
        _ user: User, _ body: FlowBody, for factors: [FactorRecord], in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        try finishFlow(in: transaction)
        var body = body
        body.challenge = .secondFactor
        var lifetime = FlowLifetime.secondFactor
        if case .opening(let opening) = attempt.target {
            body.canEnrol = opening.canEnrol && factors.isEmpty
            lifetime = opening.lifetime
        }
        let flow = FlowRecord(
            digest: handle.digest, userID: user.id, purpose: body.purpose.rawValue, createdAt: now,
            expiresAt: now + lifetime, body: try body.sealed(by: sealer, digest: handle.digest, in: transaction))
        guard try transaction.insert(flow) else { return .verdict(.refused(Refusal(.busy))) }
        try record(.secondFactorAsked, user: user.id, details: body.firstProofInLog, in: transaction)
        return .verdict(.more(Continuation(handle: handle, user: user, factors: factors, expiresAt: flow.expiresAt)))
    }
}

extension FlowBody {
    /// What the first step was proven with, for the user who says that another took it.
    fileprivate var firstProofInLog: [String: JSONValue] {
        guard let id = proven.last(where: { !$0.isSecondFactor })?.factorID else { return [:] }
        return ["factor": .string(id.rawValue)]
    }

    /// The kind of the last second factor that was proven, for those who count sign-ins.
    fileprivate var secondFactorInLog: JSONValue? {
        proven.last { $0.isSecondFactor }.map { .string($0.kind.rawValue) }
    }
}
