import Crypto
import Foundation

/// An initial access token: an application that shows it is registered, so often and until then (RFC 7591, section 3). Only a digest of it
/// is kept.
public struct RegistrationToken: Sendable, Equatable, Codable {
    /// Names the token in lists, in the log and in registrations; no secret.
    public let id: String
    /// SHA-256 of the token's text.
    let digest: Data
    /// For people.
    public let name: String
    /// As the log names administrators; nil for the command line.
    public let createdBy: String?
    /// When the token was made.
    public let createdAt: Date
    /// From when on it registers nothing.
    public let expiresAt: Date
    /// How many applications it still registers; nil where only its end bounds it.
    public internal(set) var remaining: Int?
    /// How many it has registered.
    public internal(set) var used: Int
    /// When it last did.
    public internal(set) var lastUsedAt: Date?
    /// What those applications may have.
    public let allowance: RegistrationAllowance

    /// Whether it registers an application at an instant.
    public func isOpen(at now: Date) -> Bool { now < expiresAt && remaining != 0 }
}

/// The initial access tokens. They are one small document: there are few, and each use changes one.
public struct RegistrationTokens: Sendable {
    let realm: Realm

    /// What every one begins with, so that a leaked one is recognised.
    public static let prefix = "csreg_"
    /// Characters of one: the prefix, and 32 random bytes in base64url.
    static let length = prefix.utf8.count + 43
    /// Seconds that one may live: a minute to a year.
    public static let lifetimes: ClosedRange<TimeInterval> = 60...(366 * 86_400)
    /// How many applications one may be good for.
    public static let counts = 1...10_000
    /// How many there may be.
    public static let most = 200
    static let document = "registration-tokens"

    /// Makes a token.
    /// - Parameters:
    ///   - lifetime: seconds, in ``lifetimes``.
    ///   - count: for how many applications, in ``counts``; nil for as many as come until its end.
    /// - Returns: the token's row, and its text, which is nowhere else; nil where there are ``most`` that are still good.
    public func add(
        name: String, lifetime: TimeInterval, count: Int?, allowance: RegistrationAllowance, by client: ClientContext
    ) async throws -> (token: RegistrationToken, text: Secret<String>)? {
        let now = realm.clock.now
        let text = Self.prefix + realm.random.bytes(32).base64URL
        let token = RegistrationToken(
            id: realm.random.string(12, of: .alphanumeric), digest: Self.digest(text), name: name,
            createdBy: client.administrator, createdAt: now, expiresAt: now + lifetime, remaining: count, used: 0,
            allowance: allowance)
        let event = AuditEvent.freshID(at: now, random: realm.random)
        let isMade = try await realm.store.write { transaction in
            var all = try transaction.registrationTokens()
            // Those that are over make room.
            if all.count >= Self.most { all.removeAll { !$0.isOpen(at: now) } }
            guard all.count < Self.most else { return false }
            try transaction.put(all + [token])
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .registrationTokenAdded, userID: nil, context: client,
                    details: token.details))
            return true
        }
        return isMade ? (token, Secret(text)) : nil
    }

    /// All of them, in the order in which they were made.
    public func list() async throws -> [RegistrationToken] {
        try await realm.store.read { try $0.registrationTokens() }
    }

    /// A page of them, in the order in which they were made.
    public func list(_ range: ListRange<CreationPlace>) async throws -> ListPage<RegistrationToken, CreationPlace> {
        range.page(of: try await list()) { CreationPlace(createdAt: $0.createdAt, id: $0.id) }
    }

    /// Ends a token: it registers nothing from the next request on. Applications that it registered stay. Nil where there is none of the
    /// id.
    public func remove(_ id: String, by client: ClientContext) async throws -> RegistrationToken? {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            let all = try transaction.registrationTokens()
            guard let token = all.first(where: { $0.id == id }) else { return nil }
            try transaction.put(all.filter { $0.id != id })
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .registrationTokenRemoved, userID: nil, context: client,
                    details: token.details))
            return token
        }
    }

    static func digest(_ text: String) -> Data { SHA256.digest(of: text) }
}

extension StoreTransaction {
    func registrationTokens() throws -> [RegistrationToken] {
        let tokens = try decodedDocument(RegistrationTokens.document) { document in
            do {
                return try JSONDecoder().decode([RegistrationToken].self, from: document)
            } catch {
                throw StoreError(.corrupt, "The document of initial access tokens cannot be read: \(error)")
            }
        }
        return tokens ?? []
    }

    fileprivate func put(_ tokens: [RegistrationToken]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try putDocument(RegistrationTokens.document, encoder.encode(tokens))
    }

    /// A token that registers an application now; nil where it is unknown, over or used up.
    ///
    /// It is found by comparing every digest: how long that takes tells nothing of a token, since a caller cannot choose digests.
    func openRegistrationToken(_ text: Secret<String>, at now: Date) throws -> RegistrationToken? {
        let text = text.reveal()
        guard text.utf8.count == RegistrationTokens.length else { return nil }
        let digest = RegistrationTokens.digest(text)
        var found: RegistrationToken?
        for token in try registrationTokens() where ConstantTime.equal(token.digest, digest) { found = token }
        return found.flatMap { $0.isOpen(at: now) ? $0 : nil }
    }

    /// Counts a use of a token, in the transaction that read it as open and registers the application: of many at once so many come
    /// through as it is good for.
    func countUse(ofRegistrationToken id: String, at now: Date) throws {
        var all = try registrationTokens()
        guard let index = all.firstIndex(where: { $0.id == id }) else { return }
        all[index].remaining = all[index].remaining.map { $0 - 1 }
        all[index].used += 1
        all[index].lastUsedAt = now
        try put(all)
    }
}

extension RegistrationToken {
    fileprivate var details: [String: JSONValue] {
        var details: [String: JSONValue] = [
            "token": .string(id), "name": .string(name), "expiresAt": .integer(Int64(expiresAt.timeIntervalSince1970)),
            "grantTypes": .array(allowance.grantTypes.map { .string($0) }),
            "resources": .array(allowance.resources.map { .string($0) }),
        ]
        details["count"] = remaining.map { .integer(Int64($0)) }
        details["scopes"] = allowance.scopes.map { .array($0.map { .string($0) }) }
        return details
    }
}

extension AuditEvent.Kind {
    /// An application registered itself.
    public static let applicationRegistered = Self(rawValue: "application.registered")
    /// An administrator looked at an application that registered itself, and vouches for it, or does no more.
    public static let applicationApproved = Self(rawValue: "application.approved")
    /// An initial access token was made.
    public static let registrationTokenAdded = Self(rawValue: "registration-token.added")
    /// An initial access token was ended.
    public static let registrationTokenRemoved = Self(rawValue: "registration-token.removed")
}

extension Realm {
    /// The initial access tokens with which applications register themselves.
    public var registrationTokens: RegistrationTokens { RegistrationTokens(realm: self) }
    /// Applications that register themselves.
    public var registrations: Registrations { Registrations(realm: self) }
}
