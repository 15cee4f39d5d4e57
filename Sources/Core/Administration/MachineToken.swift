import Crypto
import Foundation

/// A bearer token with which a program administers: for some rights, for some time. Only a digest of it is kept.
///
/// The administrator's token of the data directory (``AdministratorToken``) is the first of them: it has the scope `*`, no end, and
/// a row of its own kind.
public struct MachineToken: Sendable, Equatable {
    /// Names the token in lists and in the log; no secret.
    public let id: String
    /// SHA-256 of the token's text.
    public let digest: Data
    /// For people.
    public let name: String
    /// What the token opens; its rights are those of all of them.
    public let scopes: Set<AdministrationScope>
    /// Who answers for the token, as the log names them; nil for the command line. Of a token that was made with another one that a user answers
    /// for it is that user.
    public let createdBy: String?
    /// When the token was made.
    public let createdAt: Date
    /// From when on the token opens nothing.
    public let expiresAt: Date
    /// To ``MachineTokens/useGranularity``.
    public let lastUsedAt: Date?

    /// The row as stores read and write it. ``MachineTokens/add(name:scopes:lifetime:by:)`` makes tokens.
    public init(
        id: String, digest: Data, name: String, scopes: Set<AdministrationScope>, createdBy: String?, createdAt: Date,
        expiresAt: Date, lastUsedAt: Date? = nil
    ) {
        self.id = id
        self.digest = digest
        self.name = name
        self.scopes = scopes
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
    }

    /// Everything that the token allows.
    public var rights: Set<AdministrationRight> { scopes.reduce(into: []) { $0.formUnion($1.rights) } }

    /// Whether a token opens what its scopes say.
    public enum Standing: String, Sendable {
        /// It does.
        case open
        /// The user who answers for it may do less than its scopes say, and so may the token.
        case limited
        /// The user who answers for it has no role any more, is disabled or was removed: it opens nothing. With the role it opens again; when the
        /// user is enabled it ends, unless it is kept.
        case dormant
        /// Its time is over.
        case expired
    }

    /// The user who answers for it; nil for a token of the command line's or of the data directory's.
    var maker: UserID? {
        guard let createdBy, createdBy.hasPrefix(Self.user) else { return nil }
        return UserID(rawValue: String(createdBy.dropFirst(Self.user.count)))
    }

    /// What the log calls who asks with it.
    public var actor: String { Self.actorPrefix + id }

    static let actorPrefix = "token:"
    private static let user = "user:"

    /// The token with those of its rights alone that are among others.
    fileprivate func limited(to rights: Set<AdministrationRight>) -> MachineToken {
        MachineToken(
            id: id, digest: digest, name: name, scopes: Set(self.rights.intersection(rights).map { .right($0) }),
            createdBy: createdBy, createdAt: createdAt, expiresAt: expiresAt, lastUsedAt: lastUsedAt)
    }
}

/// The tokens of machines.
public struct MachineTokens: Sendable {
    let realm: Realm

    /// What every token begins with, so that a leaked one is recognised.
    public static let prefix = "csadm_"
    /// Characters of a token: the prefix, and 32 random bytes in base64url.
    static let length = prefix.utf8.count + 43
    /// Seconds for which a use is not noted again.
    public static let useGranularity: TimeInterval = 3600
    /// Seconds that a token may live: a minute to ten years.
    public static let lifetimes: ClosedRange<TimeInterval> = 60...(3653 * 86_400)
    /// How many there may be.
    public static let most = 1000
    /// Characters that a name may have.
    public static let longestName = 100

    /// Why a token opens nothing.
    public enum Refusal: Error, Sendable, Equatable {
        /// No token has this text, or the one that had it was ended.
        case unknown
        /// The token's time is over.
        case expired
        /// The user who answers for it does not administer.
        case dormant
    }

    /// Why no token was made.
    public enum AdditionRefusal: Error, Sendable, Equatable {
        /// There are ``most`` tokens.
        case full
        /// The token that it was asked for with was revoked meanwhile: no user would answer for the new one.
        case ended
    }

    /// Makes a token. A user who makes one, or has it made with a token that the user answers for, answers for it: it opens what the user may
    /// do (`docs/decisions/0490`).
    /// - Parameter lifetime: seconds, in ``lifetimes``.
    /// - Returns: the token's row, and its text, which is nowhere else.
    public func add(
        name: String, scopes: Set<AdministrationScope>, lifetime: TimeInterval, by client: ClientContext
    ) async throws -> Result<(token: MachineToken, text: Secret<String>), AdditionRefusal> {
        let now = realm.clock.now
        let text = Self.prefix + realm.random.bytes(32).base64URL
        let id = realm.random.string(12, of: .alphanumeric)
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            let present = try transaction.machineTokens(after: nil, limit: Self.most)
            var maker = client.administrator
            if let actor = maker, actor.hasPrefix(MachineToken.actorPrefix) {
                guard let parent = present.first(where: { $0.actor == actor }) else { return .failure(.ended) }
                if parent.maker != nil { maker = parent.createdBy }
            }
            let token = MachineToken(
                id: id, digest: Self.digest(text), name: name, scopes: scopes, createdBy: maker, createdAt: now,
                expiresAt: now + lifetime)
            guard present.count < Self.most, try transaction.insert(token) else { return .failure(.full) }
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .machineTokenAdded, userID: nil, context: client, details: token.details))
            return .success((token: token, text: Secret(text)))
        }
    }

    /// All of them, ordered by id.
    public func list() async throws -> [MachineToken] {
        try await realm.store.read { try $0.machineTokens(after: nil, limit: Self.most) }
    }

    /// A page of them with what they open, ordered by id.
    public func list(
        _ range: ListRange<String>
    ) async throws -> ListPage<(token: MachineToken, standing: MachineToken.Standing), String> {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try range.page(key: \.token.id) { part in
                try transaction.machineTokens(part).map {
                    (token: $0, standing: try transaction.standing(of: $0, at: now))
                }
            }
        }
    }

    /// How many tokens there are that a user answers for, and that have not expired.
    public func count(of user: UserID) async throws -> Int {
        let now = realm.clock.now
        return try await realm.store.read { try $0.machineTokens(of: user, at: now).count }
    }

    /// Ends a token: it opens nothing from the next request on. Nil where there is none of the id.
    public func revoke(_ id: String, by client: ClientContext) async throws -> MachineToken? {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let token = try transaction.machineTokens(after: nil, limit: Self.most).first(where: { $0.id == id }),
                try transaction.deleteMachineToken(id)
            else { return nil }
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .machineTokenRevoked, userID: nil, context: client,
                    details: token.details))
            return token
        }
    }

    /// Judges what a request brings, and notes the use.
    ///
    /// The token is found by its digest: how long the search takes tells nothing of a token, since a caller cannot choose digests.
    /// - Returns: nil where the text does not look like a token of a machine.
    public func judge(_ text: Secret<String>) async throws -> Result<MachineToken, Refusal>? {
        let text = text.reveal()
        guard text.hasPrefix(Self.prefix), text.utf8.count == Self.length else { return nil }
        let digest = Self.digest(text)
        let found = try await realm.store.read { transaction in
            try transaction.machineToken(digest: digest).map {
                (token: $0, rights: try transaction.rightsOfMaker(of: $0))
            }
        }
        guard let (token, rights) = found else { return .failure(.unknown) }
        let now = realm.clock.now
        guard now < token.expiresAt else { return .failure(.expired) }
        if let rights, rights.isEmpty { return .failure(.dormant) }
        if token.lastUsedAt.map({ now.timeIntervalSince($0) >= Self.useGranularity }) ?? true {
            do {
                try await realm.store.write { try $0.touchMachineToken(token.id, usedAt: now) }
            } catch let error as StoreError where error.code == .readOnly {
                // Reading goes on where nothing can be written; the use is not noted.
            }
        }
        return .success(rights.map { token.limited(to: $0) } ?? token)
    }

    private static func digest(_ text: String) -> Data { SHA256.digest(of: text) }
}

extension StoreTransaction {
    /// What the user who answers for a token may do; nil where no user does, and all of its scopes count.
    fileprivate func rightsOfMaker(of token: MachineToken) throws -> Set<AdministrationRight>? {
        guard let maker = token.maker else { return nil }
        // An id that was given anew is not the user who made it.
        guard let administrator = try administrator(maker), let user = try user(maker), !user.isDisabled,
            user.createdAt <= token.createdAt
        else { return [] }
        return administrator.role.rights
    }

    fileprivate func standing(of token: MachineToken, at now: Date) throws -> MachineToken.Standing {
        guard now < token.expiresAt else { return .expired }
        guard let rights = try rightsOfMaker(of: token) else { return .open }
        if rights.isEmpty { return .dormant }
        return token.rights.isSubset(of: rights) ? .open : .limited
    }

    /// The tokens that a user answers for, and that have not expired.
    func machineTokens(of user: UserID, at now: Date) throws -> [MachineToken] {
        try machineTokens(after: nil, limit: MachineTokens.most).filter { $0.isLiving(of: user, at: now) }
    }

    /// Ends the tokens that a user answers for, and names them: another may have made or read them. Their rows are locked after those of
    /// the user and the sessions.
    /// - Parameter since: only those that were made at that instant or later; nil for all.
    func endMachineTokens(of user: UserID, madeSince since: Date? = nil, at now: Date) throws -> [String] {
        try machineTokens(of: user, at: now).filter { token in since.map { token.createdAt >= $0 } ?? true }
            .map(\.id).filter { try deleteMachineToken($0) }
    }
}

extension MachineToken {
    /// What the log says of tokens that ended with something else; nothing where there are none.
    static func details(ofEnded ids: [String]) -> [String: JSONValue] {
        ids.isEmpty ? [:] : ["tokens": .array(ids.map { .string($0) })]
    }

    /// Whether a user answers for it, and it has not expired.
    func isLiving(of user: UserID, at now: Date) -> Bool { maker == user && now < expiresAt }

    fileprivate var details: [String: JSONValue] {
        [
            "token": .string(id), "name": .string(name),
            "scopes": .array(scopes.map(\.description).sorted().map { .string($0) }),
        ]
    }
}

extension Realm {
    /// The tokens of machines that administer.
    public var machineTokens: MachineTokens { MachineTokens(realm: self) }
}
