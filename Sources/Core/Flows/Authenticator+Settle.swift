import Foundation

extension Authenticator {
    enum Settled: Sendable {
        case verdict(Verdict)
        /// What the answer was judged by has changed.
        case stale
        /// Nothing was written: somebody has to be asked first.
        case needs(ConsultationNeeded)

        /// Whether the owner of the account was perhaps told of a change. A plain sign-in tells nobody.
        var mayHaveSentMail: Bool {
            switch self {
            case .verdict(.accomplished(.signedIn(let signedIn))): signedIn.recoveryCode != nil
            case .verdict(.accomplished(.decided)), .verdict(.accomplished(.emailVerified)): false
            case .verdict(.accomplished), .verdict(.advanced): true
            case .verdict(.more), .verdict(.refused), .stale, .needs: false
            }
        }
    }

    /// Makes a right answer count, once; or writes down why it was not right.
    func settle(
        _ attempt: Attempt, _ matter: Matter, _ judgement: Judgement, _ advice: Advice
    ) async throws -> Settled {
        let settlement = Settlement(attempt: attempt, matter: matter, advice: advice, realm: realm)
        switch judgement {
        case .wrong(let reason):
            let refusal = try await realm.store.write { transaction -> Refusal in
                if let refusal = try settlement.renewCharge(in: transaction) { return refusal }
                try settlement.endCharge(.kept, in: transaction)
                try settlement.record(.answerRefused, reason: reason, in: transaction)
                return Refusal(reason)
            }
            return .verdict(.refused(refusal))
        case .right, .decided:
            let settled: Settled
            do {
                settled = try await realm.store.write { transaction in
                    if let refusal = try settlement.renewCharge(in: transaction) {
                        return .verdict(.refused(refusal))
                    }
                    let settled = try settlement.accept(judgement, in: transaction)
                    if case .verdict(.refused(let refusal)) = settled {
                        // A right answer that opens nothing is told, and so stays counted.
                        // With a user who is gone, the counters of the factors are.
                        try settlement.endCharge(refusal.reason == .userNotFound ? .returned : .kept, in: transaction)
                        try settlement.record(.answerRefused, reason: refusal.reason, in: transaction)
                    }
                    return settled
                }
            } catch let question as ConsultationNeeded {
                return .needs(question)
            }
            if settled.mayHaveSentMail || attempt.linksAddress {
                realm.notifier.notify([OutboxMessage.Channel.email.topic])
            }
            return settled
        }
    }
}

/// The last step of an attempt: pure but for the transaction that it is given, so that a store may run it twice.
struct Settlement: Sendable {
    let attempt: Attempt
    let matter: Matter
    /// What was said by those who were asked so far.
    let advice: Advice
    let sealer: Sealer
    /// Drawn before the transaction: its body may run twice and must not produce new random values.
    let session: SessionDraft
    let handle: FlowHandle
    let userID: UserID
    let factorID: FactorID
    private let eventIDs: [String]
    let messageID: String
    let deviceToken: Secret<String>
    let recoveryCode: Secret<String>
    let approvalID: String

    var now: Date { attempt.now }

    init(attempt: Attempt, matter: Matter, advice: Advice, realm: Realm) {
        self.attempt = attempt
        self.matter = matter
        self.advice = advice
        sealer = realm.sealer
        let random = realm.random
        session = SessionDraft(random: random)
        handle = FlowHandle(random: random)
        userID = UserID(random: random)
        factorID = FactorID(rawValue: random.uuid())
        eventIDs = EventPlace.allCases.map { _ in AuditEvent.freshID(at: attempt.now, random: random) }
        messageID = AuditEvent.freshID(at: attempt.now, random: random)
        deviceToken = Secret(random.bytes(32).base64URL)
        recoveryCode = RecoveryCodeFactor.fresh(random: random)
        approvalID = random.bytes(16).hex
    }

    func accept(
        _ judgement: Judgement, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        try transaction.reserve(writtenRows(judgement, in: transaction))
        var user: User?
        if let judged = matter.user {
            guard let present = try transaction.user(judged.id) else {
                return .verdict(.refused(Refusal(.userNotFound)))
            }
            if present.isDisabled { return .verdict(.refused(Refusal(.userDisabled))) }
            if present.tokenEpoch != judged.tokenEpoch { return .stale }
            user = present
        }
        if let judged = matter.flow {
            guard let present = try transaction.flow(digest: judged.digest), present.finishedAt == nil,
                present.body == judged.body
            else { return .stale }
        }
        if case .decided(let decision) = judgement {
            return try decide(decision, in: transaction)
        }
        var newPayload: Data?
        if case .right(let judged) = judgement { newPayload = judged }
        var proof: Proof?
        switch matter.judged {
        case .factor(var factor):
            guard let present = try transaction.factor(factor.id), present.revision == factor.revision else {
                return .stale
            }
            factor.lastUsedAt = now
            if factor.kind == .recoveryCode { newPayload = try RecoveryCodeFactor.payload(of: recoveryCode) }
            if let newPayload {
                factor.payload = try sealer.seal(newPayload, for: .factor(factor.id), in: transaction)
                guard try transaction.update(factor) else { return .stale }
            }
            if factor.kind == .recoveryCode, let user { try notify(.init(.recoveryCodeUsed), user, in: transaction) }
            // What is judged here of a device is its code. Its signature comes as a decision.
            proof = Proof(
                kind: factor.kind == .push ? .totp : factor.kind, factorID: factor.id, at: now,
                isSecondFactor: !matter.body.proven.isEmpty)
        case .mailedCode:
            proof = Proof(
                kind: .email, factorID: matter.body.journey?.asked?.id, at: now,
                isSecondFactor: !matter.body.proven.isEmpty)
        case .handle:
            switch attempt.answer {
            case .link, .addressLink: proof = Proof(kind: .email, at: now)
            default: break
            }
        case .allowed(let decision):
            // Given then, by that device; the one who waits only fetches it.
            guard try transaction.factor(decision.by) != nil else { return .stale }
            proof = Proof(kind: decision.kind, factorID: decision.by, at: decision.at, isSecondFactor: true)
        case .enrolment(let kind, _) where matter.body.purpose == .signIn:
            // Offered in the middle of this sign-in, which it completes.
            guard let user, let offer = matter.body.offer, let newPayload else {
                return .verdict(.refused(Refusal(.unexpectedAnswer)))
            }
            switch try enrolCodes(of: user, offer, payload: newPayload, in: transaction) {
            case .refused(let settled): return settled
            case .enrolled(let factor, _):
                proof = Proof(kind: kind, factorID: factor.id, at: now, isSecondFactor: true)
            }
        case .enrolment, .decoy, .device, .registration:
            break
        }
        if let key = matter.counterKey { try transaction.deleteCounter(key) }
        try endCharge(.returned, in: transaction)
        return try accomplish(user, proof, newPayload, in: transaction)
    }

    private func accomplish(
        _ user: User?, _ proof: Proof?, _ newPayload: Data?, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        if let journey = matter.body.journey { return try advance(user, proof, journey, in: transaction) }
        switch matter.body.purpose {
        case .signIn, .backchannel:
            guard let proof else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
            return try signIn(user, proof, in: transaction)
        case .enrolFactor:
            if case .registration(let offer) = matter.judged { return try enrolDevice(user, offer, in: transaction) }
            if case .registration(let offer) = matter.body.challenge {
                guard let user, let newPayload else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
                return try enrolInvited(user, offer, payload: newPayload, in: transaction)
            }
            guard let user, let newPayload else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
            return try enrol(user, payload: newPayload, in: transaction)
        case .verifyEmail:
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try verifyEmail(user, in: transaction)
        case .resetPassword:
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try resetPassword(user, in: transaction)
        case .changeEmail:
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try changeEmail(user, in: transaction)
        case .approve, .signUp:
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
    }

    // MARK: Sign-in

    private func signIn(
        _ user: User?, _ proof: Proof, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        let policy = AssurancePolicy(
            settings: matter.settings.secondFactors, requiresSecondFactor: matter.body.requiresSecondFactor)
        if user == nil, policy.decide(proven: matter.body.proven + [proof], factors: []) == .enrolmentRequired {
            // What is refused makes no account.
            return .verdict(.refused(Refusal(.secondFactorRequired)))
        }
        if attempt.linksAddress, let email = matter.body.email,
            let holder = try transaction.user(email: EmailAddress(kept: email)), holder.id != user?.id
        {
            return .verdict(.refused(Refusal(.addressTaken)))
        }
        var isNew = false
        let user =
            try user.map { present in
                attempt.linksAddress
                    ? try linkingAddress(of: present, in: transaction)
                    : try provingAddress(of: present, by: proof, in: transaction)
            }
            ?? { () throws -> User? in
                isNew = true
                return try newUser(in: transaction)
            }()
        guard let user else {
            return .verdict(.refused(Refusal(.signUpClosed)))
        }
        let proven = matter.body.proven + [proof]
        switch policy.decide(proven: proven, factors: try transaction.factors(of: user.id)) {
        case .enrolmentRequired:
            guard case .opening(let opening) = attempt.target, opening.canEnrol else {
                return .verdict(.refused(Refusal(.secondFactorRequired)))
            }
            return try askForMore(user, proven, [], in: transaction)
        case .secondFactor(let factors):
            return try askForMore(user, proven, factors, in: transaction)
        case .enough:
            if case .flow(_, let expectation) = attempt.target, expectation.isFetchedLater {
                return try keepForLater(proof, in: transaction)
            }
            try finishFlow(in: transaction)
            var signedIn = try open(user, proven: proven, in: transaction)
            signedIn.isNewUser = isNew
            if proof.kind == .recoveryCode { signedIn.recoveryCode = recoveryCode }
            var details: [String: JSONValue] = [:]
            // Of what a device allowed its own event speaks already.
            if case .allowed = matter.judged {
            } else if proof.isSecondFactor {
                details["kind"] = .string(proof.kind.rawValue)
            }
            try record(.signedIn, user: user.id, details: details, in: transaction)
            return .verdict(.accomplished(.signedIn(signedIn)))
        }
    }

    /// Keeps what was proven, behind a fresh handle.
    private func askForMore(
        _ user: User, _ proven: [Proof], _ factors: [FactorRecord], in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        try finishFlow(in: transaction)
        var body = matter.body
        body.proven = proven
        body.challenge = .secondFactor
        body.tokenEpoch = user.tokenEpoch
        if case .opening(let opening) = attempt.target { body.canEnrol = opening.canEnrol && factors.isEmpty }
        let lifetime =
            if case .opening(let opening) = attempt.target { opening.lifetime } else { FlowLifetime.secondFactor }
        let flow = FlowRecord(
            digest: handle.digest, userID: user.id, purpose: body.purpose.rawValue, createdAt: now,
            expiresAt: now + lifetime, body: try body.sealed(by: sealer, digest: handle.digest, in: transaction))
        guard try transaction.insert(flow) else { return .verdict(.refused(Refusal(.busy))) }
        try record(.secondFactorAsked, user: user.id, in: transaction)
        return .verdict(.more(Continuation(handle: handle, user: user, factors: factors, expiresAt: flow.expiresAt)))
    }

    func open(
        _ user: User, proven: [Proof], in transaction: any StoreTransaction
    ) throws -> SignedIn {
        let body = matter.body
        let evidence = SessionEvidence(
            dialect: body.dialect, proofs: proven, scopes: body.terms.scopes, details: body.terms.details)
        return try session.open(
            for: user, evidence: evidence, clientID: body.clientID, settings: matter.settings, at: now,
            in: transaction)
    }

    /// Somebody followed a link to an address: it is theirs. What a stranger set up before the address was ever proven
    /// must not let the stranger in afterwards: the password goes. A second factor stays and is asked for, as it opens
    /// nothing by itself, and a mailbox alone must not get past it.
    func provingAddress(
        of user: User, by proof: Proof, in transaction: any StoreTransaction
    ) throws -> User {
        guard proof.kind == .email, !proof.isSecondFactor, !user.profile.emailVerified,
            user.email?.canonical == matter.body.email
        else { return user }
        var user = user
        user.profile.emailVerified = true
        user.profile.providers = ["emailLink"]
        for factor in try transaction.factors(of: user.id) where factor.kind == .password {
            _ = try transaction.remove(factor.id)
        }
        user.revokeTokens(at: now)
        _ = try transaction.update(user)
        return try transaction.user(user.id) ?? user
    }

    /// Somebody signed in followed a link to an address: it is theirs from now on, and proven. Their password stays, as the
    /// session and the mailbox are in the same hands. A former address is told, and its sessions end.
    private func linkingAddress(of user: User, in transaction: any StoreTransaction) throws -> User {
        guard let email = matter.body.email.map(EmailAddress.init(kept:)) else { return user }
        var user = user
        if email != user.email {
            if let former = user.email {
                try tell(former, of: email, user.id, in: transaction)
            }
            user.email = email
            user.revokeTokens(at: now)
            try record(.emailChanged, at: .alert, user: user.id, in: transaction)
        }
        user.profile.emailVerified = true
        user.profile.providers.insert("emailLink")
        user.profile.providers.remove("anonymous")
        _ = try transaction.update(user)
        return try transaction.user(user.id) ?? user
    }

    /// A link to an address without account makes one, where people may sign up.
    private func newUser(in transaction: any StoreTransaction) throws -> User? {
        guard matter.settings.signUp.isOpen, case .handle = matter.judged, let email = matter.body.email else {
            return nil
        }
        let user = User(
            id: userID, email: EmailAddress(kept: email),
            profile: UserProfile(emailVerified: true, providers: ["emailLink"]), createdAt: now)
        guard try transaction.insert(user) else { return nil }
        return user
    }

    // MARK: The other purposes

    private func enrol(
        _ user: User, payload: Data, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard case .enrolment(let kind, _) = matter.judged, case .enrolmentCode(_, let name) = attempt.answer,
            let type = FactorRegistry.type(kind)
        else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
        let present = try transaction.factors(of: user.id)
        guard present.count(where: { $0.kind == kind }) < type.limitPerUser else {
            return .verdict(.refused(Refusal(.factorLimitReached)))
        }
        let factor = FactorRecord(
            id: factorID, userID: user.id, kind: kind, name: name, createdAt: now,
            lastUsedAt: now,
            payload: try sealer.seal(payload, for: .factor(factorID), in: transaction))
        guard try transaction.insert(factor) else { return .verdict(.refused(Refusal(.busy))) }
        try finishFlow(in: transaction)
        let proof = Proof(kind: kind, factorID: factor.id, at: now, isSecondFactor: true)
        let signedIn = try open(user, proven: matter.body.proven + [proof], in: transaction)
        try record(.factorEnrolled, user: user.id, details: ["factor": .string(factor.id.rawValue)], in: transaction)
        try notify(.init(.factorAdded, factorName: factor.name), user, in: transaction)
        return .verdict(.accomplished(.enrolled(factor, signedIn)))
    }

    private func verifyEmail(
        _ user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard user.email?.canonical == matter.body.email else { return .verdict(.refused(Refusal(.unknownFlow))) }
        var user = user
        user.profile.emailVerified = true
        guard try transaction.update(user) else { return .stale }
        try finishFlow(in: transaction)
        try record(.emailVerified, user: user.id, in: transaction)
        return .verdict(.accomplished(.emailVerified(user)))
    }

    private func resetPassword(
        _ user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard user.email?.canonical == matter.body.email, let hash = attempt.newPasswordHash else {
            return .verdict(.refused(Refusal(.unknownFlow)))
        }
        guard let user = try replacePassword(of: user, by: hash, in: transaction) else { return .stale }
        try finishFlow(in: transaction)
        return .verdict(.accomplished(.passwordReset(user)))
    }

    /// Gives a new password to somebody who has shown that the mailbox is theirs, and ends what the old one opened. Nil where
    /// the user changed meanwhile.
    func replacePassword(
        of user: User, by hash: String, in transaction: any StoreTransaction
    ) throws -> User? {
        var user = user
        try transaction.setPassword(hash, of: &user, newFactorID: factorID, at: now, sealer: sealer)
        user.profile.emailVerified = true
        user.revokeTokens(at: now)
        guard try transaction.update(user) else { return nil }
        try record(.passwordReset, user: user.id, in: transaction)
        try notify(.init(.passwordChanged), user, in: transaction)
        return user
    }

    private func changeEmail(
        _ user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let newEmail = matter.body.newEmail, user.email?.canonical == matter.body.email else {
            return .verdict(.refused(Refusal(.unknownFlow)))
        }
        let address = EmailAddress(kept: newEmail)
        if let holder = try transaction.user(email: address), holder.id != user.id {
            return .verdict(.refused(Refusal(.addressTaken)))
        }
        var user = user
        let former = user.email
        if let former { try tell(former, of: address, user.id, in: transaction) }
        user.email = address
        user.profile.emailVerified = true
        user.revokeTokens(at: now)
        guard try transaction.update(user) else { return .stale }
        try finishFlow(in: transaction)
        try record(
            .emailChanged, user: user.id, details: ["former": former.map { .string($0.canonical) } ?? .null],
            in: transaction)
        return .verdict(.accomplished(.emailChanged(user)))
    }

    /// Tells a former address which one has taken its place.
    private func tell(
        _ former: EmailAddress, of address: EmailAddress, _ id: UserID, in transaction: any StoreTransaction
    ) throws {
        try transaction.assignOutboxMessages(to: former.canonical, of: id)
        try transaction.send(
            OutboxContent(
                template: "email-changed", locale: attempt.client.locale,
                values: ["email": former.canonical, "newEmail": address.canonical]),
            to: former.canonical, about: id, id: messageID, at: now, sealer: sealer)
    }

    // MARK: Common steps

    /// Tells the owner of a change. One settlement has at most one: the message's id is drawn beforehand.
    func notify(_ notice: AccountNotice, _ user: User, in transaction: any StoreTransaction) throws {
        try transaction.notify(notice, user, by: attempt.client, id: messageID, at: now, sealer: sealer)
    }

    /// What a right answer writes in another order than the one that all transactions keep.
    private func writtenRows(
        _ judgement: Judgement, in transaction: any StoreTransaction
    ) throws -> Set<ReservedRow> {
        var rows: Set<ReservedRow> = []
        var flows: Set<Data> = []
        if let user = matter.user { rows.insert(.user(user.id)) }
        if case .device(let factor, let challenge) = matter.judged {
            rows.insert(.factor(factor.id))
            flows.insert(challenge.flow)
            if case .decided(let decision) = judgement, decision.reason == DeviceDecision.disowned,
                let user = matter.user
            {
                flows.formUnion(
                    try otherAttempts(than: challenge.flow, of: user.id, in: transaction).map(\.digest))
            }
        }
        if let invitation = matter.body.invitation { flows.insert(invitation) }
        // The flow that is answered is written beside others only where there are any.
        if let own = matter.flow?.digest, !flows.isEmpty { flows.insert(own) }
        return rows.union(flows.map { .flow($0) })
    }

    /// An answer is counted before it is told.
    /// - Returns: why it is not to be told now.
    func renewCharge(in transaction: any StoreTransaction) throws -> Refusal? {
        try matter.charge.flatMap { try transaction.renew($0, at: now) }
    }

    func endCharge(_ end: ChargeEnd, in transaction: any StoreTransaction) throws {
        if let charge = matter.charge { try transaction.end(charge, end) }
    }

    /// A handle is good for one success.
    func finishFlow(in transaction: any StoreTransaction) throws {
        guard let judged = matter.flow, var flow = try transaction.flow(digest: judged.digest) else { return }
        flow.finishedAt = now
        _ = try transaction.update(flow)
    }

    /// The events that one settlement may write, each at most once: their ids are drawn beforehand.
    enum EventPlace: Int, CaseIterable {
        case outcome, refusal, alert, enrolment
    }

    func eventID(_ place: EventPlace) -> String { eventIDs[place.rawValue] }

    func record(
        _ kind: AuditEvent.Kind, reason: Refusal.Reason? = nil, at place: EventPlace = .outcome, user: UserID? = nil,
        details: [String: JSONValue] = [:], in transaction: any StoreTransaction
    ) throws {
        var details = details
        details["purpose"] = .string(matter.body.purpose.rawValue)
        if reason != nil { details.merge(matter.auditDetails) { present, _ in present } }
        try transaction.append(
            AuditEvent(
                id: eventID(reason == nil ? place : .refusal), at: now, kind: kind, userID: user ?? matter.user?.id,
                context: attempt.client, reason: reason?.rawValue, details: details))
    }
}

extension Matter {
    /// What the log says of an answer that is refused: what it was for, and what it was to prove.
    var auditDetails: [String: JSONValue] {
        let kind: FactorKind? =
            switch judged {
            case .factor(let factor), .device(let factor, _): factor.kind
            case .decoy: .password
            case .enrolment(let kind, _): kind
            case .mailedCode: .email
            case .handle, .allowed, .registration: nil
            }
        var details: [String: JSONValue] = ["purpose": .string(body.purpose.rawValue)]
        details["kind"] = kind.map { .string($0.rawValue) }
        return details
    }

    /// Whether wrong answers are counted against the authenticator and the source.
    var isGuessable: Bool {
        switch judged {
        case .handle, .allowed, .registration: false
        case .factor, .decoy, .enrolment, .mailedCode, .device: true
        }
    }
}

extension StoreTransaction {
    /// Removes a factor with the count of its wrong answers, and with the last second factor the recovery code, which
    /// stands in for nothing any more. False where it is gone.
    func remove(_ id: FactorID) throws -> Bool {
        guard let factor = try factor(id) else { return false }
        try reserve(Set(factors(of: factor.userID).map { .factor($0.id) } + [.user(factor.userID)]))
        try deleteCounter(CounterKey.factor(id, factor.kind))
        guard try deleteFactor(id) else { return false }
        guard factor.kind.isSecondFactor else { return true }
        let left = try factors(of: factor.userID)
        if !left.contains(where: \.kind.isSecondFactor) {
            for code in left where code.kind == .recoveryCode { _ = try remove(code.id) }
        }
        return true
    }

    /// Replaces the password of a user who is about to be updated, and forgives earlier wrong ones. As many of those before
    /// it are remembered as the settings say.
    func setPassword(_ hash: String, of user: inout User, newFactorID: FactorID, at now: Date, sealer: Sealer) throws {
        try reserve([.user(user.id)])
        if var factor = try factors(of: user.id).first(where: { $0.kind == .password }) {
            let former = try JSONDecoder().decode(
                PasswordFactor.Payload.self, from: sealer.open(factor.payload, for: .factor(factor.id)))
            let payload = try PasswordFactor.payload(
                hash: hash, earlier: former.last(settings().passwords.remembered - 1))
            factor.payload = try sealer.seal(payload, for: .factor(factor.id), in: self)
            _ = try update(factor)
            try deleteCounter(CounterKey.factor(factor.id, factor.kind))
            try deleteCounter(CounterKey.newPasswords(of: user.id))
        } else {
            let payload = try PasswordFactor.payload(hash: hash)
            _ = try insert(
                FactorRecord(
                    id: newFactorID, userID: user.id, kind: .password, name: "", createdAt: now,
                    payload: try sealer.seal(payload, for: .factor(newFactorID), in: self)))
        }
        user.passwordChangedAt = now
        user.profile.providers.insert("password")
    }
}
