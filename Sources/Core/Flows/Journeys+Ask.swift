import Foundation

extension Journeys {
    public enum AskOutcome: Sendable {
        /// A code went there, or was made to look so.
        case mailed(to: EmailAddress)
        /// The password is asked for.
        case password
        /// A code of that authenticator is asked for.
        case code(FactorRecord)
        /// The device is to be asked, with ``Approvals``; or was asked by this very request, which came again.
        case device(FactorRecord, isAsked: Bool)
        /// The mailbox is to be registered and needs no code.
        case proven(EmailAddress)
        case refused(Refusal)
    }

    /// Asks for what comes next: sends a code, a new one each time, or says what is asked for.
    ///
    /// A new code takes the place of the one before. An address without account looks like any other, and gets nothing.
    /// - Parameter factorID: the second factor that somebody chose; nil chooses the first.
    public func ask(
        _ handle: FlowHandle, expecting expectation: FlowExpectation, factor factorID: FactorID? = nil,
        by client: ClientContext
    ) async throws -> AskOutcome {
        let mail = JourneyMail(realm: realm, handle: handle, expectation: expectation, client: client)
        return try await realm.writeSending(by: .email, .otp) { transaction in
            switch try Journeys.find(handle, expectation, at: mail.now, sealer: mail.sealer, in: transaction) {
            case .refused(let refusal): return .refused(refusal)
            case .open(var record, var body, var journey, let user):
                guard let email = body.email.map(EmailAddress.init(kept:)) else {
                    return .refused(Refusal(.unexpectedAnswer))
                }
                let isRepeated = try mail.isRepeated(in: journey, record)
                switch (journey.stage, body.challenge) {
                case (.firstProof, .password), (.details, .newPassword): return .password
                case (.firstProof, _):
                    if isRepeated { return .mailed(to: email) }
                    // A sign-up's code goes to any address: only its owner learns whether there is an account.
                    let recipient = body.purpose == .signUp || user != nil ? email : nil
                    if let refusal = try mail.send(to: recipient, of: email, &record, body, journey, in: transaction) {
                        return .refused(refusal)
                    }
                    return .mailed(to: email)
                case (.secondFactor, _):
                    guard let user else { return .refused(Refusal(.unexpectedAnswer)) }
                    let settings = try transaction.settings().secondFactors
                    let usable = try body.usableSecondFactors(of: user, settings, mail.sealer, in: transaction)
                    guard let chosen = usable.first(where: { factorID == nil || $0.id == factorID }) else {
                        return .refused(Refusal(.unknownFactor))
                    }
                    journey.asked = Journey.AskedFactor(id: chosen.id, kind: chosen.kind)
                    if chosen.kind == .email {
                        let address = try MailboxFactor.address(of: chosen, with: mail.sealer)
                        if isRepeated { return .mailed(to: address) }
                        let refusal = try mail.send(to: address, of: address, &record, body, journey, in: transaction)
                        return refusal.map { .refused($0) } ?? .mailed(to: address)
                    }
                    if isRepeated, chosen.kind == .push, let approval = body.approval, approval.devices == [chosen.id],
                        case .pending = approval.state(at: mail.now)
                    {
                        return .device(chosen, isAsked: true)
                    }
                    body.challenge = .secondFactor
                    try journey.remember(
                        expectation.request, .asked, at: mail.now, attempts: record.attempts, sealer: mail.sealer,
                        in: transaction)
                    body.journey = journey
                    record.body = try body.sealed(by: mail.sealer, digest: record.digest, in: transaction)
                    guard try transaction.update(record) else { return .refused(Refusal(.busy)) }
                    return chosen.kind == .push ? .device(chosen, isAsked: false) : .code(chosen)
                default: return .refused(Refusal(.unexpectedAnswer))
                }
            }
        }
    }

    /// Begins to register a mailbox as a second factor, in the middle of an attempt that requires one. A code goes there,
    /// but where it is the account's own address, which was proven before; there too where the client has asked for a second
    /// factor to be given.
    ///
    /// The mailbox that gave the first proof cannot be the second factor too: then the refusal is `unsuitableContact`.
    public func register(
        _ contact: EmailAddress, for handle: FlowHandle, expecting expectation: FlowExpectation,
        by client: ClientContext
    ) async throws -> AskOutcome {
        let mail = JourneyMail(realm: realm, handle: handle, expectation: expectation, client: client)
        return try await realm.writeSending(by: .email, .otp) { transaction in
            switch try Journeys.find(handle, expectation, at: mail.now, sealer: mail.sealer, in: transaction) {
            case .refused(let refusal): return .refused(refusal)
            case .open(var record, var body, var journey, let user):
                guard journey.stage == .registration, let user else { return .refused(Refusal(.unexpectedAnswer)) }
                let isOwn =
                    contact == user.email && user.profile.emailVerified && !journey.mustGiveSecondFactor
                if try contact == user.email && !body.mayRegisterOwnMailbox(of: user, in: transaction) {
                    return .refused(Refusal(.unsuitableContact))
                }
                let isRepeated = try mail.isRepeated(in: journey, record)
                if isRepeated { return isOwn ? .proven(contact) : .mailed(to: contact) }
                journey.contact = Journey.Contact(address: contact.canonical, isProven: isOwn)
                if isOwn {
                    try journey.remember(
                        expectation.request, .asked, at: mail.now, attempts: record.attempts, sealer: mail.sealer,
                        in: transaction)
                    body.challenge = .confirmation
                    body.journey = journey
                    record.body = try body.sealed(by: mail.sealer, digest: record.digest, in: transaction)
                    guard try transaction.update(record) else { return .refused(Refusal(.busy)) }
                    return .proven(contact)
                }
                let refusal = try mail.send(to: contact, of: contact, &record, body, journey, in: transaction)
                return refusal.map { .refused($0) } ?? .mailed(to: contact)
            }
        }
    }

    // MARK: Methods

    /// A second factor that may be given.
    public struct Method: Sendable {
        public let factor: FactorRecord
        /// Where its codes go, for a mailbox.
        public let address: EmailAddress?
    }

    public enum MethodsOutcome: Sendable {
        case secondFactors([Method])
        /// A mailbox can be registered; the account's own address is one that suits, or there is none.
        case registration(suggestion: EmailAddress?)
        case refused(Refusal)
    }

    /// What may be given or registered next.
    public func methods(
        _ handle: FlowHandle, expecting expectation: FlowExpectation
    ) async throws -> MethodsOutcome {
        let now = realm.clock.now
        let sealer = realm.sealer
        return try await realm.store.read { transaction in
            switch try Journeys.find(handle, expectation, at: now, sealer: sealer, in: transaction) {
            case .refused(let refusal): return .refused(refusal)
            case .open(_, let body, let journey, let user):
                guard let user else { return .refused(Refusal(.unexpectedAnswer)) }
                switch journey.stage {
                case .secondFactor:
                    let settings = try transaction.settings().secondFactors
                    return .secondFactors(
                        try body.usableSecondFactors(of: user, settings, sealer, in: transaction).map { factor in
                            Method(
                                factor: factor,
                                address: factor.kind == .email
                                    ? try MailboxFactor.address(of: factor, with: sealer) : nil)
                        })
                case .registration:
                    let isSuitable = try body.mayRegisterOwnMailbox(of: user, in: transaction)
                    return .registration(suggestion: isSuitable ? user.email : nil)
                default: return .refused(Refusal(.unexpectedAnswer))
                }
            }
        }
    }
}

extension FlowBody {
    /// Whether the account's own mailbox can become its second factor in this attempt: not where it is the first, be it for
    /// want of a password or because a code to it began this very sign-in, sign-up or reset.
    fileprivate func mayRegisterOwnMailbox(of user: User, in transaction: any StoreTransaction) throws -> Bool {
        if proven.contains(where: { $0.kind == .email && !$0.isSecondFactor }) { return false }
        return try transaction.factors(of: user.id).contains { $0.kind == .password }
    }

    /// What may prove the rest. A mailbox only where there is nothing stronger and a second factor is required, and never
    /// the one that gave the first proof.
    func usableSecondFactors(
        of user: User, _ settings: SecondFactorSettings, _ sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> [FactorRecord] {
        let factors = try transaction.factors(of: user.id)
        let policy = AssurancePolicy(settings: settings, requiresSecondFactor: requiresSecondFactor)
        if case .secondFactor(let strong) = policy.decide(proven: proven, factors: factors) { return strong }
        guard requiresSecondFactor else { return [] }
        let usedUp = proven.contains { $0.kind == .email && !$0.isSecondFactor } ? email : nil
        return try factors.filter {
            try $0.kind == .email && MailboxFactor.address(of: $0, with: sealer).canonical != usedUp
        }
    }
}

/// A code on its way; its random values were drawn before the transaction.
private struct JourneyMail: Sendable {
    let now: Date
    let sealer: Sealer
    let client: ClientContext
    let request: Secret<String>?
    let code: String
    let digest: Data
    let messageID: String

    init(realm: Realm, handle: FlowHandle, expectation: FlowExpectation, client: ClientContext) {
        now = realm.clock.now
        sealer = realm.sealer
        self.client = client
        request = expectation.request
        code = MailedCode.fresh(random: realm.random)
        digest = handle.digest
        messageID = AuditEvent.freshID(at: now, random: realm.random)
    }

    /// Whether this very request was answered before, and its code is on its way.
    func isRepeated(in journey: Journey, _ record: FlowRecord) throws -> Bool {
        try journey.repeats(request, at: now, attempts: record.attempts, sealer: sealer) == .asked
    }

    /// Puts the code into the flow in place of any earlier one, and into the outbox.
    /// - Parameters:
    ///   - recipient: nil for nobody, which costs as much.
    ///   - address: whose limit of mails it counts against.
    /// - Returns: why nothing was sent.
    func send(
        to recipient: EmailAddress?, of address: EmailAddress, _ record: inout FlowRecord, _ body: FlowBody,
        _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Refusal? {
        if let refusal = try Mailings.charge(address, client, now, sealer, transaction) { return refusal }
        var (body, journey) = (body, journey)
        if case .mailedCode(let earlier, _) = body.challenge {
            try transaction.deleteCounter(CounterKey.mailedCode(earlier))
        }
        body.challenge = .mailedCode(
            digest: try MailedCode.digest(code, flow: digest, sealer: sealer, in: transaction),
            expiresAt: now + FlowLifetime.mailedCode)
        try journey.remember(
            request, .asked, at: now, attempts: record.attempts, sealer: sealer, in: transaction)
        body.journey = journey
        record.body = try body.sealed(by: sealer, digest: digest, in: transaction)
        guard try transaction.update(record) else { return Refusal(.busy) }
        let listener = try transaction.customExtensions().listener(for: .otpSend, of: body.clientID)
        let content = OutboxContent(
            template: "code", locale: client.locale, values: ["code": code, "email": address.canonical],
            expiresAt: now + FlowLifetime.mailedCode,
            occasion: listener.map { _ in
                OutboxContent.Occasion(
                    application: body.clientID, requestType: body.purpose.requestType, source: client.source,
                    correlationID: client.correlationID)
            })
        // What goes to nobody is written and taken back, as the difference would show in the time that it takes.
        try transaction.send(
            content, to: address.canonical, about: recipient == nil ? .nobody : record.userID,
            by: listener == nil ? .email : .otp, id: messageID, at: now, sealer: sealer)
        if recipient == nil { try transaction.deleteOutboxMessages(of: .nobody, recipient: nil) }
        return nil
    }
}

extension FlowPurpose {
    /// What a service that sends codes is told that a code is for. The vendor's documents show `signUp`; the others are
    /// our choice.
    fileprivate var requestType: String {
        switch self {
        case .signUp: "signUp"
        case .resetPassword: "passwordReset"
        default: "signIn"
        }
    }
}
