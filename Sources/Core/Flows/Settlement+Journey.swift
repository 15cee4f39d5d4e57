import Foundation

extension Settlement {
    /// A right answer in an attempt that goes step by step: what comes next.
    func advance(
        _ user: User?, _ proof: Proof?, _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        switch (journey.stage, context.body.purpose) {
        case (.firstProof, .signIn):
            guard let user, let proof else { return .verdict(.refused(Refusal(.wrongAnswer))) }
            let proven = try provingAddress(of: user, by: proof, in: transaction)
            return try assure(proven, [proof], in: transaction)
        case (.firstProof, .signUp):
            guard let proof else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
            return try signUp([proof], journey, in: transaction)
        case (.firstProof, .resetPassword):
            guard let user, let proof else { return .verdict(.refused(Refusal(.wrongAnswer))) }
            return try mayReset(user, proof, journey, in: transaction)
        case (.details, _):
            return try signUp(context.body.proven, journey, in: transaction)
        case (.newPassword, _):
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try reset(user, journey, in: transaction)
        case (.secondFactor, _):
            guard let user, let proof else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
            return try assure(user, context.body.proven + [proof], in: transaction)
        case (.registration, _) where fitting?.isEnrolment == true:
            guard let user, let proof else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
            return try assure(user, context.body.proven + [proof], in: transaction)
        case (.registration, _) where journey.contact?.confirmsAddress == true:
            guard let user, proof != nil else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
            return try confirmAddress(of: user, journey, in: transaction)
        case (.registration, _):
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try register(user, proof, journey, in: transaction)
        case (.complete, _):
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            if case .claim(let email?) = attempt.answer.content, email != user.email {
                return .verdict(.refused(Refusal(.wrongAnswer)))
            }
            return try assure(user, context.body.proven, in: transaction)
        default:
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
    }

    // MARK: Signing up

    /// The address is proven: makes the account, or asks for what it lacks.
    private func signUp(
        _ proven: [Proof], _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let address = context.body.email, var draft = journey.draft else {
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
        guard context.settings.signUp.isOpen || context.body.invitation != nil else {
            return .verdict(.refused(Refusal(.signUpClosed)))
        }
        let email = EmailAddress(kept: address)
        if try transaction.user(email: email) != nil {
            // The mailbox's reader may know.
            try finishFlow(in: transaction)
            return .verdict(.refused(Refusal(.addressTaken)))
        }
        switch attempt.answer.content {
        case .newPassword: draft.passwordHash = attempt.newPasswordHash
        case .attributes(let given): draft.attributes.merge(given) { _, new in new }
        case .enrolling: draft.wantsPassword = false
        default: break
        }
        var (body, journey) = (context.body, journey)
        body.proven = proven
        journey.draft = draft
        if case .enrolling(let kind) = attempt.answer.content { journey.registers = kind }
        if draft.wantsPassword && draft.passwordHash == nil {
            body.challenge = .newPassword
            return try step(.password, body, journey, stage: .details, in: transaction)
        }
        if isConsulted(.attributes), draft.prefill == nil {
            guard let prefill = advice.prefill else {
                throw ConsultationNeeded.attributes(signUpContext(email, draft))
            }
            draft.prefill = prefill
            journey.draft = draft
        }
        if draft.missing.isEmpty, isConsulted(.account) {
            switch advice.signUp {
            case nil: throw ConsultationNeeded.account(signUpContext(email, draft))
            case .take(let attributes)?: draft.attributes = attributes
            case .ask(let attributes)?: draft.require(attributes)
            }
            journey.draft = draft
        }
        if !draft.missing.isEmpty {
            body.challenge = .attributes
            return try step(.attributes(draft.missing), body, journey, stage: .details, in: transaction)
        }
        if let invitation = context.body.invitation {
            guard try transaction.invited(by: invitation, at: now, sealer: sealer) == email else {
                return .verdict(.refused(Refusal(.signUpClosed)))
            }
            if let settled = try useInvitation(in: transaction) { return settled }
            body.invitation = nil
        }
        guard let user = try newUser(email, draft, in: transaction) else {
            return .verdict(.refused(Refusal(.addressTaken)))
        }
        body.tokenEpoch = user.tokenEpoch
        body.challenge = .claim
        journey.draft = nil
        try record(.signedUp, user: user.id, in: transaction)
        return try step(
            .complete, body, journey, stage: .complete, user: user.id, expiresAt: now + FlowLifetime.standard,
            in: transaction)
    }

    private func signUpContext(_ email: EmailAddress, _ draft: SignUpDraft) -> SignUpContext {
        let isAboutAttributes = if case .attributes = attempt.answer.content { true } else { false }
        return SignUpContext(email: email, attributes: draft.attributes, isAboutAttributes: isAboutAttributes)
    }

    func isConsulted(_ step: ConsultedStep) -> Bool { attempt.consultant?.steps.contains(step) ?? false }

    private func newUser(
        _ email: EmailAddress, _ draft: SignUpDraft, in transaction: any StoreTransaction
    ) throws -> User? {
        var attributes = draft.attributes
        var profile = UserProfile(emailVerified: true, providers: draft.passwordHash == nil ? ["emailLink"] : [])
        // What every account has a place for is not kept twice.
        profile.displayName = attributes.removeValue(forKey: "displayName")?.stringValue
        profile.locale = draft.locale
        profile.attributes = attributes
        var user = User(id: userID, email: email, profile: profile, createdAt: now)
        guard try transaction.insert(user) else { return nil }
        if let hash = draft.passwordHash {
            try transaction.setPassword(hash, of: &user, newFactorID: factorID, at: now, sealer: sealer)
            guard try transaction.update(user) else { return nil }
        }
        return try transaction.user(user.id)
    }

    // MARK: Resetting

    private func mayReset(
        _ user: User, _ proof: Proof, _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard try transaction.factors(of: user.id).password != nil else {
            try finishFlow(in: transaction)
            return .verdict(.refused(Refusal(.noPassword)))
        }
        var body = context.body
        body.proven = [proof]
        body.challenge = .newPassword
        let until = now + FlowLifetime.mailedCode
        return try step(
            .newPassword(until: until), body, journey, stage: .newPassword, expiresAt: until, in: transaction)
    }

    private func reset(
        _ user: User, _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard user.email?.canonical == context.body.email, let hash = attempt.newPasswordHash else {
            return .verdict(.refused(Refusal(.unknownFlow)))
        }
        guard let user = try replacePassword(of: user, by: hash, in: transaction) else { return .stale }
        var body = context.body
        body.tokenEpoch = user.tokenEpoch
        body.challenge = .claim
        return try step(
            .complete, body, journey, stage: .complete, expiresAt: now + FlowLifetime.standard, in: transaction)
    }

    // MARK: Common steps

    var request: Secret<String>? {
        if case .flow(_, let expectation) = attempt.target { expectation.request } else { nil }
    }

    /// Writes down how far the attempt has come.
    func step(
        _ next: JourneyStep, _ body: FlowBody, _ journey: Journey, stage: JourneyStage? = nil, isOver: Bool = false,
        user: UserID? = nil, expiresAt: Date? = nil, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard var flow = try presentFlow(in: transaction) else { return .stale }
        var (body, journey) = (body, journey)
        if let stage { journey.stage = stage }
        try journey.remember(
            request, .advanced(next), at: now, attempts: flow.attempts, sealer: sealer, in: transaction)
        body.journey = journey
        flow.body = try body.sealed(by: sealer, digest: flow.digest, in: transaction)
        if let user { flow.userID = user }
        if let expiresAt { flow.expiresAt = expiresAt }
        if isOver { flow.finishedAt = now }
        guard try transaction.update(flow) else { return .stale }
        return .verdict(.advanced(next))
    }
}
