import Foundation

/// What a device says of itself when it enrols.
public struct DeviceRegistration: Sendable {
    /// What it calls itself.
    public var identifier: String
    /// What people call it.
    public var name: String
    /// The public key by which its answers are verified.
    public var key: DeviceKey
    /// `APNS` or `GCM`; nil where it only asks for itself.
    public var service: String?
    /// Its address at the push service; nil where it only asks for itself.
    public var pushToken: String?

    /// What a device says; the dialect has read its key.
    public init(
        identifier: String, name: String, key: DeviceKey, service: String? = nil, pushToken: String? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.key = key
        self.service = service
        self.pushToken = pushToken
    }
}

/// The answer to a device that has enrolled.
public struct DeviceEnrolment: Sendable {
    /// The factor that the device is now.
    public let factor: FactorRecord
    /// The user whose device it is.
    public let user: User
    /// By which it changes or removes itself, and asks for requests.
    public let token: Secret<String>
    /// The secret of its codes (SHA-1, six digits, 30 s); nil where codes are switched off.
    public let totpSecret: Secret<[UInt8]>?
    /// Nil where the user had one already.
    public let recoveryCode: Secret<String>?
}

/// The result for a user who has enrolled an app that only makes codes.
public struct CodesEnrolment: Sendable {
    /// The factor that the app is now.
    public let factor: FactorRecord
    /// The user whose app it is.
    public let user: User
    /// Nil where the user had one already.
    public let recoveryCode: Secret<String>?
}

extension Enrolments {
    /// What came of an invitation, or of beginning to enrol.
    public enum DeviceOutcome: Sendable {
        /// A device or an app may enrol with the ticket.
        case offered(DeviceTicket)
        /// Nothing may be enrolled.
        case refused(EnrolmentRefusal)
        /// The invitation or the sign-in that the offer is to come from is not one, or not any more.
        case unknown(Refusal.Reason)
    }

    /// Invites a user to enrol a device or an app, in the name of an administrator who has verified the user. Good for
    /// one enrolment within five days.
    public func inviteDevice(
        for userID: UserID, _ invitation: Invitation = Invitation(), by client: ClientContext
    ) async throws -> DeviceOutcome {
        let draft = DeviceDraft(realm: realm, prefix: "gten_")
        let eventIDs = (0..<2).map { _ in AuditEvent.freshID(at: draft.now, random: realm.random) }
        let messageID = AuditEvent.freshID(at: draft.now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(userID) else { return .refused(.userNotFound) }
            var mailTo: EmailAddress?
            var counters: [AttemptCounter] = []
            if let mail = invitation.mail {
                guard let address = mail.to ?? user.email else { return .refused(.noAddress) }
                let limits = try Mailings.limits(of: address, client, draft.sealer, transaction)
                switch try transaction.ask(limits, at: draft.now) {
                case .admitted(let admitted): counters = admitted
                case .refused: return .unknown(.sourceLimited)
                }
                mailTo = address
            }
            let outcome = try draft.offer(
                to: user, kinds: invitation.kinds, onlyAsFirst: !invitation.allowsMore,
                lifetime: invitation.lifetime, client: client, showsCode: false, in: transaction)
            guard case .offered(let ticket) = outcome else { return outcome }
            // An invitation that is refused is no mail.
            try transaction.count(counters)
            try transaction.append(
                AuditEvent(
                    id: eventIDs[0], at: draft.now, kind: .deviceInvited, userID: userID, context: client,
                    details: ["factor": .string(ticket.factorID.rawValue)]))
            if let mail = invitation.mail, let mailTo {
                let template = "enrollment-invitation"
                try transaction.send(
                    OutboxContent(
                        template: template, locale: mail.locale ?? user.profile.locale,
                        values: [
                            "link": mail.link(to: ticket.handle),
                            "email": user.email?.canonical ?? mailTo.canonical,
                        ], expiresAt: draft.now + invitation.lifetime),
                    to: mailTo.canonical, about: userID, id: messageID, at: draft.now, sealer: draft.sealer)
                try transaction.append(
                    AuditEvent(
                        id: eventIDs[1], at: draft.now, kind: .mailQueued, userID: userID, context: client,
                        details: ["template": .string(template)]))
            }
            return outcome
        }
    }

    /// Begins the enrolment that an invitation is for. It may be begun several times (thirty an hour), and completed once.
    public func beginDevice(invitation handle: FlowHandle, by client: ClientContext) async throws -> DeviceOutcome {
        let draft = DeviceDraft(realm: realm)
        return try await realm.store.write { transaction in
            guard
                let found = try transaction.flow(
                    of: handle, expecting: .enrolmentTicket, at: draft.now, sealer: draft.sealer),
                let userID = found.record.userID, case .registration(let offer) = found.body.challenge,
                found.body.invitation == nil
            else { return .unknown(.unknownFlow) }
            let (flow, body) = (found.record, found.body)
            if flow.finishedAt != nil { return .unknown(.flowFinished) }
            if flow.expiresAt <= draft.now { return .unknown(.flowExpired) }
            guard let user = try transaction.user(userID) else { return .refused(.userNotFound) }
            guard try body.goesOn(for: user, at: draft.now, in: transaction) else { return .refused(.revoked) }
            guard
                try transaction.charge(.offersPerTicket, key: CounterKey.offers(by: flow.digest), at: draft.now) == nil
            else { return .unknown(.sourceLimited) }
            return try draft.offer(
                to: user, kinds: offer.kinds, onlyAsFirst: offer.isOnlyFirst, lifetime: FlowLifetime.deviceTicket,
                client: client, invitation: flow.digest, startedBy: body.startedBy, in: transaction)
        }
    }

    /// Begins to enrol a first second factor in the middle of a sign-in that needs one.
    ///
    /// Never for a user who has one: a password alone must not add another. A code that is right completes the sign-in
    /// (``Answer/enrolmentCode(_:name:)`` to the sign-in); a device that enrols has to be asked afterwards.
    ///
    /// - Parameters:
    ///   - expectation: what the handle has to be.
    ///   - kinds: what may be enrolled; nil is either.
    public func beginDevice(
        during handle: FlowHandle, expecting expectation: FlowExpectation, kinds: [FactorKind]? = nil,
        by client: ClientContext
    ) async throws -> DeviceOutcome {
        let draft = DeviceDraft(realm: realm)
        return try await realm.store.write { transaction in
            let found = try find(handle, expectation, at: draft.now, in: transaction)
            guard case .open(let attempt) = found else { return found.deviceOutcome }
            var (flow, body) = (attempt.flow, attempt.body)
            guard try draft.proofs.secondFactors(among: transaction.factors(of: attempt.user.id)).isEmpty else {
                return .refused(.limitReached)
            }
            if let fault = attempt.fault { return fault.deviceOutcome }
            if let limited = try charge(attempt, at: draft.now, in: transaction) { return limited.deviceOutcome }
            let wanted = (kinds ?? draft.proofs.kindsByTicket).filter { body.registers($0) }
            let outcome = try draft.offer(
                to: attempt.user, kinds: wanted, onlyAsFirst: true, lifetime: FlowLifetime.deviceTicket, client: client,
                startedBy: body.startedBy, in: transaction)
            if case .offered(let ticket) = outcome {
                body.enrolment = ticket.offer
                if attempt.isStep { body.challenge = .unasked }
                flow.body = try body.sealed(by: draft.sealer, digest: flow.digest, in: transaction)
                guard try transaction.update(flow) else { return .unknown(.busy) }
            }
            return outcome
        }
    }

    /// What is offered in the middle of a sign-in, for a page that shows it again; nil where nothing was offered yet.
    public func offered(
        during handle: FlowHandle, expecting expectation: FlowExpectation
    ) async throws -> (user: User, totpSecret: Secret<[UInt8]>, recoveryCode: Secret<String>?)? {
        let now = realm.clock.now
        let sealer = realm.sealer
        return try await realm.store.read { transaction in
            guard let found = try transaction.flow(of: handle, expecting: expectation, at: now, sealer: sealer),
                found.record.finishedAt == nil, found.record.expiresAt > now, let offer = found.body.enrolment,
                let secret = offer.totpSecret, let user = try found.record.userID.flatMap({ try transaction.user($0) })
            else { return nil }
            return (user, Secret(Array(secret)), offer.recoveryCode.map { Secret($0) })
        }
    }

    /// Begins to enrol a device for a user who has signed in recently.
    /// - Parameters:
    ///   - evidence: the evidence of the caller's session: the second factor too, where there is one.
    ///   - epoch: the token epoch in which that session was found good; a revocation since then refuses.
    ///   - session: names that session: where it is ended, nothing is enrolled any more.
    public func beginDevice(
        for userID: UserID, kinds: [FactorKind]? = nil, evidence: SessionEvidence, asOf epoch: Int? = nil,
        in session: SessionID? = nil, by client: ClientContext
    ) async throws -> DeviceOutcome {
        let draft = DeviceDraft(realm: realm)
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(userID) else { return .refused(.userNotFound) }
            if let epoch, epoch != user.tokenEpoch { return .refused(.revoked) }
            if let session, try transaction.session(session)?.isLiving(of: user, at: draft.now) != true {
                return .refused(.revoked)
            }
            guard user.email == nil || user.profile.emailVerified else { return .refused(.unverifiedEmail) }
            guard evidence.allowsEnrolment(draft.proofs) else { return .refused(.unsupportedFirstFactor) }
            guard evidence.isRecent(at: draft.now) else { return .refused(.signInTooOld) }
            let hasSecondFactor = try !draft.proofs.secondFactors(among: transaction.factors(of: userID)).isEmpty
            guard !hasSecondFactor || draft.proofs.provesTwoFactors(evidence) else {
                return .refused(.unsupportedFirstFactor)
            }
            switch try transaction.ask([Allowance(.offersPerUser, CounterKey.offers(to: userID))], at: draft.now) {
            case .refused(_, let refusal): return .refused(.limited(until: refusal.instant))
            case .admitted(let counters):
                let outcome = try draft.offer(
                    to: user, kinds: kinds, onlyAsFirst: false, lifetime: FlowLifetime.deviceTicket, client: client,
                    evidence: evidence, startedBy: session, in: transaction)
                if case .offered = outcome { try transaction.count(counters) }
                return outcome
            }
        }
    }

    /// Where an invitation, or what was begun with one, stands.
    public enum TicketStatus: Sendable {
        /// There is no such ticket, or its user is gone.
        case unknown
        /// Its time is over.
        case expired
        /// Used, with what it enrolled or by another beginning of the same invitation.
        /// - Parameter recoveryCode: while its screen is still shown, and the code is good.
        case used(recoveryCode: Secret<String>?)
        /// It may be used.
        case open(DeviceTicket)
    }

    /// Where a ticket stands. Telling changes nothing.
    public func status(ofTicket handle: FlowHandle) async throws -> TicketStatus {
        let now = realm.clock.now
        let (sealer, proofs) = (realm.sealer, realm.proofs)
        return try await realm.store.read { transaction in
            guard
                let found = try transaction.flow(of: handle, expecting: .enrolmentTicket, at: now, sealer: sealer),
                let userID = found.record.userID, case .registration(let offer) = found.body.challenge,
                let user = try transaction.user(userID)
            else { return .unknown }
            let (flow, body) = (found.record, found.body)
            let invitation = try body.invitation.flatMap { try transaction.flow(digest: $0) }
            if flow.finishedAt != nil || invitation?.finishedAt != nil {
                var code: Secret<String>?
                if flow.expiresAt > now, let shown = offer.recoveryCode,
                    let method = proofs.standIn, let kept = proofs.standIn(among: try transaction.factors(of: userID)),
                    try transaction.factor(offer.factorID)?.userID == userID,
                    try method.matches(shown, row: sealer.open(kept.payload, for: .factor(kept.id)))
                {
                    code = Secret(shown)
                }
                return .used(recoveryCode: code)
            }
            if flow.expiresAt <= now { return .expired }
            if try !body.goesOn(for: user, at: now, in: transaction) { return .expired }
            return .open(
                DeviceTicket(
                    handle: handle, offer: offer, user: user, expiresAt: flow.expiresAt,
                    settings: try transaction.settings().secondFactors, proofs: proofs))
        }
    }
}
