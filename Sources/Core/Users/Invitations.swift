import Foundation

/// Invitations to make an account: a link for one address, which its mailbox is mailed, or an administrator passes on
/// (docs/decisions/0295).
///
/// A link opens the page of a new account for that address, also where sign-up is not open to everybody. The account is made as any
/// other: a code to the address proves that its owner asks, so a link that was passed on makes no account for another. It is used up when
/// the account is made.
public struct Invitations: Sendable {
    let realm: Realm

    static let purpose = "invitation"
    static let template = "invitation"

    /// What the row keeps, sealed.
    struct Body: Codable {
        let email: String
    }

    /// What came of an invitation.
    public enum Outcome: Sendable {
        /// - handle: what the link carries.
        case invited(FlowHandle, until: Date)
        /// The address has an account already.
        case addressTaken
        /// The settings make no accounts of invitations.
        case off
        /// So many mails went to the address that no more are sent.
        case limited(until: Date)
    }

    /// - Parameters:
    ///   - link: the path of the link to a handle, below the server's public address.
    ///   - delivers: whether it is mailed; otherwise the administrator passes it on.
    public func invite(
        _ email: EmailAddress, locale: String? = nil, delivers: Bool, link: @escaping @Sendable (FlowHandle) -> String,
        by client: ClientContext
    ) async throws -> Outcome {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        let messageID = AuditEvent.freshID(at: now, random: realm.random)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let until = now + FlowLifetime.invitation
        return try await realm.store.write { transaction in
            guard try transaction.settings().signUp.takesInvitations else { return .off }
            if try transaction.user(email: email) != nil { return .addressTaken }
            if delivers, let refusal = try Mailings.charge(email, client, now, realm.sealer, transaction) {
                return .limited(until: refusal.retryAt ?? now)
            }
            let body = try realm.sealer.seal(
                JSONEncoder().encode(Body(email: email.canonical)), for: .flow(handle.digest), in: transaction)
            guard
                try transaction.insert(
                    FlowRecord(
                        digest: handle.digest, userID: nil, purpose: Self.purpose, createdAt: now, expiresAt: until,
                        body: body))
            else { throw StoreError(.overloaded, "An invitation came up twice.") }
            if delivers {
                try transaction.send(
                    OutboxContent(
                        template: Self.template, locale: locale,
                        values: ["link": link(handle), "email": email.canonical], expiresAt: until),
                    to: email.canonical, about: nil, id: messageID, at: now, sealer: realm.sealer)
            }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .userInvited, userID: nil, context: client,
                    details: ["mailed": .bool(delivers)]))
            return .invited(handle, until: until)
        }
    }

    /// The address that an invitation is for; nil where it is unknown, used, too old, or the settings take none.
    public func address(of handle: FlowHandle) async throws -> EmailAddress? {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { try $0.invited(by: handle.digest, at: now, sealer: realm.sealer) }
    }
}

extension StoreTransaction {
    /// The address that an invitation is for; nil where it makes no account now.
    func invited(by digest: Data, at now: Date, sealer: Sealer) throws -> EmailAddress? {
        guard try settings().signUp.takesInvitations, let record = try flow(digest: digest),
            record.purpose == Invitations.purpose, record.finishedAt == nil, record.expiresAt > now
        else { return nil }
        let body = try JSONDecoder().decode(
            Invitations.Body.self, from: sealer.open(record.body, for: .flow(record.digest)))
        return EmailAddress(kept: body.email)
    }
}

extension Realm {
    /// Invitations to make an account.
    public var invitations: Invitations { Invitations(realm: self) }
}

extension AuditEvent.Kind {
    /// An administrator invited an address to make an account.
    public static let userInvited = Self(rawValue: "user.invited")
}
