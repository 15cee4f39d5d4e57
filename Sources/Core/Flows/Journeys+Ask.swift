import Foundation

extension Journeys {
    /// Seconds that pages have people wait before another code is mailed.
    public static let pauseBetweenMails: TimeInterval = 30

    /// What came of asking for the next proof.
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
        /// What comes next is nothing that the client takes. Nothing was sent, and the attempt is where it was.
        case beyondClient(FirstMethod)
        /// Nothing was sent, and the attempt is where it was.
        case refused(Refusal)
    }

    /// Asks for what comes next: sends a code, a new one each time, or says what is asked for.
    ///
    /// A new code takes the place of the one before. An address without account looks like any other, and gets nothing.
    /// - Parameters:
    ///   - factorID: the second factor that the user chose; nil chooses the first.
    ///   - taken: what the client can ask for first.
    ///   - pause: seconds that have to be between two mails of the attempt; sooner it is refused with `mailedLately`.
    public func ask(
        _ handle: FlowHandle, expecting expectation: FlowExpectation, factor factorID: FactorID? = nil,
        taking taken: Set<FirstMethod> = Set(FirstMethod.allCases), pausing pause: TimeInterval = 0,
        by client: ClientContext
    ) async throws -> AskOutcome {
        let mail = JourneyMail(
            realm: realm, handle: handle, expectation: expectation, client: client, pause: pause)
        let proofs = realm.proofs
        return try await realm.store.write { transaction in
            switch try Journeys.find(handle, expectation, at: mail.now, sealer: mail.sealer, in: transaction) {
            case .refused(let refusal): return .refused(refusal)
            case .open(var record, var body, var journey, let user):
                if let next = journey.firstMethod(at: body.challenge), !taken.contains(next) {
                    return .beyondClient(next)
                }
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
                    if let refusal = try mail.send(
                        to: recipient, of: email, user, &record, body, journey, in: transaction)
                    {
                        return .refused(refusal)
                    }
                    return .mailed(to: email)
                case (.secondFactor, _):
                    guard let user else { return .refused(Refusal(.unexpectedAnswer)) }
                    let settings = try transaction.settings().secondFactors
                    let usable = try body.usableSecondFactors(
                        of: user, settings, proofs, mail.sealer, in: transaction)
                    guard let chosen = usable.first(where: { factorID == nil || $0.id == factorID }) else {
                        return .refused(Refusal(.unknownFactor))
                    }
                    journey.asked = Journey.AskedFactor(id: chosen.id, kind: chosen.kind)
                    let prompt = proofs.traits(chosen.kind)?.prompt
                    if prompt == .mail {
                        let address = try chosen.mailbox(with: mail.sealer)
                        if isRepeated { return .mailed(to: address) }
                        let refusal = try mail.send(
                            to: address, of: address, user, &record, body, journey, in: transaction)
                        return refusal.map { .refused($0) } ?? .mailed(to: address)
                    }
                    if isRepeated, prompt == .device, let approval = body.approval, approval.devices == [chosen.id],
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
                    return prompt == .device ? .device(chosen, isAsked: false) : .code(chosen)
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
        return try await realm.store.write { transaction in
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
                let refusal = try mail.send(to: contact, of: contact, user, &record, body, journey, in: transaction)
                return refusal.map { .refused($0) } ?? .mailed(to: contact)
            }
        }
    }

    /// Mails a code to the account's own address, in the middle of an attempt that wants a second factor registered: that needs an
    /// address that was proven. The right code proves it, and the attempt is where it was.
    /// - Parameter pause: seconds that have to be between two mails of the attempt; sooner it is refused with `mailedLately`.
    public func confirmAddress(
        for handle: FlowHandle, expecting expectation: FlowExpectation, pausing pause: TimeInterval = 0,
        by client: ClientContext
    ) async throws -> AskOutcome {
        let mail = JourneyMail(
            realm: realm, handle: handle, expectation: expectation, client: client, pause: pause)
        return try await realm.store.write { transaction in
            switch try Journeys.find(handle, expectation, at: mail.now, sealer: mail.sealer, in: transaction) {
            case .refused(let refusal): return .refused(refusal)
            case .open(var record, let body, var journey, let user):
                guard journey.stage == .registration, let user, let address = user.email,
                    address.canonical == body.email
                else { return .refused(Refusal(.unexpectedAnswer)) }
                if user.profile.emailVerified { return .proven(address) }
                if try mail.isRepeated(in: journey, record) { return .mailed(to: address) }
                journey.contact = Journey.Contact(
                    address: address.canonical, isProven: false, confirmsAddress: true)
                let refusal = try mail.send(to: address, of: address, user, &record, body, journey, in: transaction)
                return refusal.map { .refused($0) } ?? .mailed(to: address)
            }
        }
    }

    // MARK: Methods

    /// A second factor that may be given.
    public struct Method: Sendable {
        /// The factor that may be given.
        public let factor: FactorRecord
        /// Where its codes go, for a mailbox.
        public let address: EmailAddress?
    }

    /// What may come next in an attempt that waits for a second factor.
    public enum MethodsOutcome: Sendable {
        /// One of these may be given.
        case secondFactors([Method])
        /// A mailbox can be registered; the account's own address is one that suits, or there is none.
        case registration(suggestion: EmailAddress?)
        /// The attempt is none that waits for a second factor.
        case refused(Refusal)
    }

    /// What may be given or registered next.
    public func methods(
        _ handle: FlowHandle, expecting expectation: FlowExpectation
    ) async throws -> MethodsOutcome {
        let now = realm.clock.now
        let (sealer, proofs) = (realm.sealer, realm.proofs)
        return try await realm.store.read { transaction in
            switch try Journeys.find(handle, expectation, at: now, sealer: sealer, in: transaction) {
            case .refused(let refusal): return .refused(refusal)
            case .open(_, let body, let journey, let user):
                guard let user else { return .refused(Refusal(.unexpectedAnswer)) }
                switch journey.stage {
                case .secondFactor:
                    let settings = try transaction.settings().secondFactors
                    return .secondFactors(
                        try body.usableSecondFactors(of: user, settings, proofs, sealer, in: transaction).map {
                            factor in
                            Method(
                                factor: factor,
                                address: proofs.traits(factor.kind)?.prompt == .mail
                                    ? try factor.mailbox(with: sealer) : nil)
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

extension Journey {
    /// What the address, or the password of a sign-up, is asked for now; nil later in an attempt.
    fileprivate func firstMethod(at challenge: FlowChallenge) -> FirstMethod? {
        switch (stage, challenge) {
        case (.firstProof, _): method
        case (.details, .newPassword): .password
        default: nil
        }
    }
}
