import Foundation

/// Sends links and codes to addresses, each with the flow that waits for them.
public struct Mailings: Sendable {
    let realm: Realm

    /// What a mail is for.
    public enum Subject: Sendable {
        /// To the user's own address.
        case verifyEmail(UserID)
        /// Sets a new password for the account of this address.
        case resetPassword(EmailAddress)
        /// Signs in, and up where that is open.
        case signIn(EmailAddress)
        /// To the new address.
        case changeEmail(UserID, to: EmailAddress)
    }

    /// What came of asking for a mail.
    public enum Outcome: Sendable {
        /// On its way, or made to look so. `handle` is nil where there is no recipient.
        case sent(to: EmailAddress, handle: FlowHandle?)
        /// No mail is sent; the reason says why.
        case refused(Refusal)
    }

    /// Query items for the page that completes the link, beside what the link does and its code.
    public struct LinkOptions: Sendable {
        /// Names and values of the query items, not yet percent-encoded.
        public var items: [(name: String, value: String)]
        /// Whether the mail is really sent; false where the caller, an administrator, passes the link on: then limits
        /// of mails do not apply either.
        public var delivers: Bool

        /// A link that is mailed with these items.
        public init(items: [(name: String, value: String)] = [], delivers: Bool = true) {
            self.items = items
            self.delivers = delivers
        }
    }

    /// Mails a link.
    ///
    /// Whether the address has an account is disclosed (`userNotFound`) only where the realm's settings or the application
    /// reveal it; otherwise the answer is the same, and nothing is sent.
    /// - Parameter session: the session of the user who asks, where it has to be of a recent sign-in; otherwise the mail is
    ///   refused with `signInTooOld`, or `flowExpired` where the user's tokens were revoked meanwhile. Where it names itself, it has to go
    ///   on until the link is followed.
    public func sendLink(
        _ subject: Subject, options: LinkOptions = LinkOptions(), of session: OwnSession? = nil,
        by client: ClientContext
    ) async throws -> Outcome {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        let messageID = AuditEvent.freshID(at: now, random: realm.random)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            if let session {
                guard let user = try transaction.user(session.userID) else { return .refused(Refusal(.userNotFound)) }
                if let fault = try session.faultUnlessRecent(user, at: now, in: transaction) {
                    return .refused(Refusal(fault == .signInTooOld ? .signInTooOld : .flowExpired))
                }
            }
            let settings = try transaction.settings()
            let hides = settings.privacy.hidesAddresses && !client.revealsAddresses
            let charge = { (email: EmailAddress) throws -> Refusal? in
                options.delivers ? try Self.charge(email, client, now, realm.sealer, transaction) : nil
            }
            let outgoing: OutgoingLink
            switch try OutgoingLink.find(subject, settings: settings, in: transaction) {
            case .link(let found): outgoing = found
            case .noRecipient(let email):
                if let refusal = try charge(email) { return .refused(refusal) }
                return hides ? .sent(to: email, handle: nil) : .refused(Refusal(.userNotFound))
            case .refused(let refusal):
                // The answer discloses that an address is taken: so it counts as a mail, or a client could ask about
                // any number.
                if case .changeEmail(_, let email) = subject, refusal.reason == .addressTaken,
                    let limited = try charge(email)
                {
                    return .refused(limited)
                }
                return .refused(refusal)
            }
            if let refusal = try charge(outgoing.recipient) { return .refused(refusal) }
            var body = FlowBody(
                purpose: outgoing.purpose, client: client, email: outgoing.about, newEmail: outgoing.newEmail,
                challenge: .link, tokenEpoch: outgoing.purpose == .verifyEmail ? nil : outgoing.user?.tokenEpoch)
            try body.start(by: session?.session, in: transaction)
            let flow = FlowRecord(
                digest: handle.digest, userID: outgoing.user?.id, purpose: outgoing.purpose.rawValue, createdAt: now,
                expiresAt: now + outgoing.lifetime,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction))
            guard try transaction.insert(flow) else { return .refused(Refusal(.busy)) }
            if options.delivers {
                let link = realm.linkFormat.path(
                    of: ActionLink(
                        outgoing.action, code: handle.token, items: options.items, locale: client.locale))
                try transaction.send(
                    OutboxContent(
                        template: outgoing.template, locale: outgoing.user?.profile.locale ?? client.locale,
                        values: ["link": link, "email": outgoing.recipient.canonical].merging(outgoing.values) { $1 },
                        expiresAt: now + outgoing.lifetime),
                    to: outgoing.recipient.canonical, about: outgoing.user?.id, id: messageID, at: now,
                    sealer: realm.sealer
                )
            }
            // A link that the caller passes on opens as much as a mailed one.
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: options.delivers ? .mailQueued : .linkHandedOut,
                    userID: outgoing.user?.id, context: client, details: ["template": .string(outgoing.template)]))
            return .sent(to: outgoing.recipient, handle: handle)
        }
    }

    static func charge(
        _ email: EmailAddress, _ client: ClientContext, _ now: Date, _ sealer: Sealer,
        _ transaction: any StoreTransaction
    ) throws -> Refusal? {
        try transaction.charge(limits(of: email, client, sealer, transaction), at: now)
            .map { Refusal(.sourceLimited, retryAt: $0) }
    }

    /// What a mail counts against: the source that asks for it, and the mailbox.
    static func limits(
        of email: EmailAddress, _ client: ClientContext, _ sealer: Sealer, _ transaction: any StoreTransaction
    ) throws -> [Allowance] {
        let mailbox = try sealer.digest(email.canonical, for: "mailbox", in: transaction)
        let source = client.limitedSource.map { Allowance(.mailsPerSource, CounterKey.mails(from: $0)) }
        return [source, Allowance(.mailsPerAddress, CounterKey.mails(to: mailbox))].compactMap { $0 }
    }
}

/// A link to be mailed: its recipient, and what it does when it is followed.
private struct OutgoingLink {
    var user: User?
    var recipient: EmailAddress
    /// The address that the flow is about.
    var about: EmailAddress?
    var newEmail: EmailAddress?
    var purpose: FlowPurpose
    var template: String
    var action: ActionLink.Action
    var lifetime: TimeInterval
    /// What the template puts in beside link and address.
    var values: [String: String] = [:]

    enum Lookup {
        case link(OutgoingLink)
        case noRecipient(EmailAddress)
        case refused(Refusal)
    }

    static func find(
        _ subject: Mailings.Subject, settings: RealmSettings, in transaction: any StoreTransaction
    ) throws -> Lookup {
        switch subject {
        case .verifyEmail(let id):
            guard let user = try transaction.user(id) else { return .refused(Refusal(.userNotFound)) }
            guard let email = user.email else { return .refused(Refusal(.unexpectedAnswer)) }
            return .link(
                OutgoingLink(
                    user: user, recipient: email, about: email, purpose: .verifyEmail, template: "verify-email",
                    action: .verifyEmail, lifetime: FlowLifetime.verificationLink))
        case .resetPassword(let email):
            guard let user = try transaction.user(email: email), !user.isDisabled else { return .noRecipient(email) }
            let password = try transaction.factors(of: user.id).password
            return .link(
                OutgoingLink(
                    user: user, recipient: email, about: email, purpose: .resetPassword, template: "reset-password",
                    action: .resetPassword, lifetime: FlowLifetime.link,
                    values: password?.frozenAt == nil ? [:] : ["frozen": "true"]))
        case .signIn(let email):
            let user = try transaction.user(email: email)
            if user == nil && !settings.signUp.isOpen { return .noRecipient(email) }
            return .link(
                OutgoingLink(
                    user: user, recipient: email, about: email, purpose: .signIn, template: "sign-in", action: .signIn,
                    lifetime: FlowLifetime.link))
        case .changeEmail(let id, let newEmail):
            guard let user = try transaction.user(id) else { return .refused(Refusal(.userNotFound)) }
            if let holder = try transaction.user(email: newEmail), holder.id != id {
                return .refused(Refusal(.addressTaken))
            }
            return .link(
                OutgoingLink(
                    user: user, recipient: newEmail, about: user.email, newEmail: newEmail, purpose: .changeEmail,
                    template: "change-email", action: .changeEmail, lifetime: FlowLifetime.link))
        }
    }
}
