import Foundation

/// When an account goes whose user wants it removed.
public struct DeletionNotice: Sendable, Equatable {
    /// When the account is removed, unless the wish is withdrawn before.
    public let dueAt: Date
    /// Whether a link that withdraws the wish was mailed; false for accounts without address.
    public let undoMailed: Bool
}

/// What of accounts their users decide, and when.
public struct AccountSettings: Sendable, Equatable, Codable {
    /// Days between the wish to have an account removed and its removal: 0 to 365. At 0 it goes at once.
    public var deletionGraceDays = 14
    /// Names of the attributes that users change themselves. Others are set by applications at sign-up and by administrators. Nil where
    /// none was ever named.
    public var editableAttributes: [String]?

    /// Whether users set a picture themselves, as an address that applications load it from. Without it they can remove one.
    public var takesPictures = false

    /// How many names the setting takes.
    public static let mostAttributes = 50

    /// Fourteen days of grace, and neither an attribute nor a picture that users change themselves.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&deletionGraceDays, .deletionGraceDays)
        editableAttributes = try members.decodeIfPresent([String].self, forKey: .editableAttributes)
        try members.assign(&takesPictures, .takesPictures)
        deletionGraceDays = min(max(deletionGraceDays, 0), 365)
    }
}

extension OwnAccount {
    /// All that is kept about the user, to be handed out; the log says so.
    public func data(of session: OwnSession, by client: ClientContext) async throws -> Result<PersonalData, Refusal> {
        switch try await change(of: session, .full, by: client, { _, user, _ in user.id }) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let id):
            guard let data = try await realm.accounts.personalData(id, by: client) else { return .failure(.revoked) }
            return .success(data)
        }
    }

    /// Has the account removed when the grace period is over (``AccountSettings/deletionGraceDays``). Until then it is as disabled, and the
    /// link that is mailed now withdraws the wish; an administrator can enable the account too. All sessions end, also this one.
    /// - Parameter typedName: what the user typed to make sure: the account's address; its id where it has none.
    public func requestDeletion(
        typedName: String, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<DeletionNotice, Refusal> {
        let realm = realm
        let handle = FlowHandle(random: realm.random)
        return try await change(of: session, .full, by: client) { transaction, user, draft in
            guard user.isNamed(typedName) else { throw Refusal.wrongAddress }
            if try transaction.isLastOwner(user) { throw Refusal.lastOwner }
            let days = try transaction.settings().accounts.deletionGraceDays
            // As long as a former address may take the account back, it does not go.
            let undo = try transaction.openFlows(
                of: user.id, purpose: FlowPurpose.restoreEmail.rawValue, at: draft.now, limit: 1000
            ).map(\.expiresAt).max()
            let dueAt = max(draft.now + Double(days) * 86_400, undo ?? draft.now)
            guard dueAt > draft.now else {
                try transaction.reserve([.user(user.id)])
                guard try transaction.delete(user, at: draft.now, event: draft.id, by: client) else {
                    throw Refusal.revoked
                }
                return DeletionNotice(dueAt: dueAt, undoMailed: false)
            }
            try transaction.scheduleDeletion(of: user, at: dueAt, handle, realm.linkFormat, draft)
            return DeletionNotice(dueAt: dueAt, undoMailed: user.email != nil)
        }
    }
}

extension User {
    /// Whether a text that was typed to make sure names the account.
    public func isNamed(_ typed: String) -> Bool {
        guard let email else { return typed == id.rawValue }
        return EmailAddress(typed.trimmingCharacters(in: .whitespaces)) == email
    }
}

extension StoreTransaction {
    /// Disables an account until it is removed, and mails the link that withdraws that.
    /// - Parameter handle: unused so far.
    func scheduleDeletion(
        of user: User, at dueAt: Date, _ handle: FlowHandle, _ links: any LinkFormat, _ draft: OwnAccount.Draft
    ) throws {
        var after = user
        after.deletionDueAt = dueAt
        after.revokeTokens(at: draft.now)
        try reserve([.user(user.id)])
        guard try update(after) else { throw OwnAccount.Refusal.busy }
        try append(
            draft.event(
                .deletionRequested, of: user.id, ["dueAt": .string(dueAt.formatted(Date.ISO8601FormatStyle()))]))
        guard let email = user.email else { return }
        let body = FlowBody(purpose: .keepAccount, client: draft.client, email: email, challenge: .link)
        _ = try insert(
            FlowRecord(
                digest: handle.digest, userID: user.id, purpose: FlowPurpose.keepAccount.rawValue,
                createdAt: draft.now, expiresAt: dueAt,
                body: try body.sealed(by: draft.sealer, digest: handle.digest, in: self)))
        let locale = user.profile.locale ?? draft.client.locale
        let link = links.path(of: ActionLink(.keepAccount, code: handle.token, locale: locale))
        try send(
            OutboxContent(
                template: "deletion-requested", locale: locale,
                values: [
                    "email": email.canonical, "link": link,
                    "due": String(Date.ISO8601FormatStyle(dateTimeSeparator: .space).format(dueAt).prefix(16)) + " UTC",
                ]),
            to: email.canonical, about: user.id, id: draft.id, at: draft.now, sealer: draft.sealer)
    }
}

extension Accounts {
    /// Removes the accounts whose users wanted that, and whose grace period is over.
    /// - Returns: how many went.
    func deleteDue(by client: ClientContext = .commandLine) async throws -> Int {
        var removed = 0
        while true {
            let now = realm.clock.now
            let random = realm.random
            let ids = try await realm.store.read { try $0.users(deletionDueBy: now, limit: Self.deletionBatch) }
            if ids.isEmpty { return removed }
            let batch = ids.map { (id: $0, event: AuditEvent.freshID(at: now, random: random)) }
            let gone = try await realm.store.write { transaction in
                try transaction.reserve(Set(batch.map { .user($0.id) }))
                return try batch.count { id, event in
                    // The user may have thought otherwise meanwhile.
                    guard let user = try transaction.user(id), let due = user.deletionDueAt, due <= now else {
                        return false
                    }
                    return try transaction.delete(user, at: now, event: event, by: client)
                }
            }
            removed += gone
            if gone == 0 { return removed }
        }
    }
}
