import Foundation

/// A code on its way; its random values were drawn before the transaction.
struct JourneyMail: Sendable {
    let now: Date
    let sealer: Sealer
    let client: ClientContext
    let request: Secret<String>?
    let code: String
    let digest: Data
    let messageID: String
    /// Seconds that have to be between two mails of the attempt.
    let pause: TimeInterval

    init(
        realm: Realm, handle: FlowHandle, expectation: FlowExpectation, client: ClientContext, pause: TimeInterval = 0
    ) {
        self.pause = pause
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
        try journey.memory?.outcome(of: request, at: now, attempts: record.attempts, sealer: sealer) == .asked
    }

    /// Puts the code into the flow in place of any earlier one, and into the outbox.
    /// - Parameters:
    ///   - recipient: nil for no user, which costs as much.
    ///   - address: whose limit of mails it counts against.
    ///   - user: whose language it is in.
    /// - Returns: why nothing was sent.
    func send(
        to recipient: EmailAddress?, of address: EmailAddress, _ user: User?, _ record: inout FlowRecord,
        _ body: FlowBody, _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Refusal? {
        if pause > 0, let last = journey.mailedAt, now < last + pause {
            return Refusal(.mailedLately, retryAt: last + pause)
        }
        if let refusal = try Mailings.charge(address, client, now, sealer, transaction) { return refusal }
        var (body, journey) = (body, journey)
        if let earlier = try body.challenge.mailedCode {
            try transaction.deleteCounter(CounterKey.mailedCode(earlier.digest))
        }
        body.challenge = try .mailedCode(
            digest: try MailedCode.digest(code, flow: digest, sealer: sealer, in: transaction),
            expiresAt: now + FlowLifetime.mailedCode)
        try journey.remember(
            request, .asked, at: now, attempts: record.attempts, sealer: sealer, in: transaction)
        journey.mailedAt = now
        body.journey = journey
        record.body = try body.sealed(by: sealer, digest: digest, in: transaction)
        guard try transaction.update(record) else { return Refusal(.busy) }
        let listener = try transaction.customExtensions().listener(for: .otpSend, of: body.clientID)
        let content = OutboxContent(
            template: "code", locale: user?.profile.locale ?? client.locale,
            values: ["code": code, "email": address.canonical],
            expiresAt: now + FlowLifetime.mailedCode,
            occasion: listener.map { _ in
                OutboxContent.Occasion(
                    application: body.clientID, requestType: body.purpose.requestType, source: client.source,
                    correlationID: client.correlationID)
            })
        // A message without recipient is written and rolled back, because the difference would show in the time.
        try transaction.send(
            content, to: address.canonical, about: recipient == nil ? .placeholder : record.userID,
            by: listener == nil ? .email : .otp, id: messageID, at: now, sealer: sealer)
        if recipient == nil { try transaction.deleteOutboxMessages(of: .placeholder, recipient: nil) }
        return nil
    }
}

extension FlowPurpose {
    /// The purpose of a code, for services that send codes. The vendor's documents show `signUp`; the others are our
    /// choice.
    fileprivate var requestType: String {
        switch self {
        case .signUp: "signUp"
        case .resetPassword: "passwordReset"
        default: "signIn"
        }
    }
}
