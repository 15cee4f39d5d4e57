import Foundation
import Synchronization

/// The bearer token that opens administration, one for all servers of a store: sealed in the store, so that a server that
/// joins, or a restored backup, knows it.
public struct AdministratorToken: Sendable {
    let realm: Realm

    static let name = "admin-token"
    /// What the log calls a holder of it (``ClientContext/administrator``), so that its use is told apart from the command line's.
    public static let actor = "admin-token"

    /// The token; nil where no server has made one yet.
    /// - Throws: ``SealingError`` where it does not open, ``StoreError``.
    public func current() async throws -> Secret<String>? {
        guard let sealed = try await realm.store.read({ try $0.sealedSecret(Self.name) }) else { return nil }
        return Self.text(try await realm.sealer.opened(sealed, for: .secret(Self.name)))
    }

    /// The token; the candidate becomes it where there is none. Of two servers that start at once, the first decides.
    /// - Throws: ``SealingError`` where it does not open, ``StoreError``.
    public func settle(_ candidate: Secret<String>) async throws -> Secret<String> {
        if let present = try await current() { return present }
        let sealer = realm.sealer
        do {
            let sealed = try await realm.store.write { transaction -> Data in
                if let present = try transaction.sealedSecret(Self.name) { return present }
                let sealed = try sealer.seal(Data(candidate.reveal().utf8), for: .secret(Self.name), in: transaction)
                try transaction.putSealedSecret(Self.name, sealed)
                return sealed
            }
            return Self.text(try await sealer.opened(sealed, for: .secret(Self.name)))
        } catch let error as StoreError where error.code == .readOnly {
            // A database of before that takes no writes: this server's own opens it.
            return candidate
        }
    }

    // MARK: Uses

    /// The document that says when the token was last used.
    static let useDocument = "admin-token-use"
    /// Seconds after a use was written within which another one is not: what is written is right to an hour.
    public static let useGranularity: TimeInterval = 3600

    /// Notes that a request brought the token. A request writes nothing for it; ``Maintenance`` does.
    public func noteUse() { realm.tokenUse.note(at: realm.clock.now) }

    /// When the token was last used, to an hour; nil where that is unknown: it was not, or not since servers note it. What other servers have
    /// not written is not looked at.
    /// - Throws: ``StoreError``.
    public func lastUse() async throws -> Date? {
        let written = try await realm.store.read { try $0.lastUseOfAdministratorToken() }
        return [written, realm.tokenUse.waiting].compactMap { $0 }.max()
    }

    /// Writes what this process has noted. What could not be written is noted still.
    public func flushUse() async throws {
        guard let at = realm.tokenUse.waiting else { return }
        let body = try JSONEncoder().encode(AdministratorTokenUse(at: at.microseconds))
        try await realm.store.write { transaction in
            // Another server's clock may be ahead.
            if let later = try transaction.lastUseOfAdministratorToken(), later >= at { return }
            try transaction.putDocument(Self.useDocument, body)
        }
        realm.tokenUse.wrote(at)
    }

    /// Forgets what was noted of a token that another has replaced.
    public func forgetUse() { realm.tokenUse.forget() }

    // MARK: Replacing

    /// Puts another in its place, which was not used yet, and says so in the log. Servers take it within seconds; the one from before opens
    /// nothing any more.
    public func replace(with fresh: Secret<String>, by actor: ClientContext) async throws {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let sealer = realm.sealer
        let unused = try JSONEncoder().encode(AdministratorTokenUse(at: nil))
        forgetUse()
        try await realm.store.write { transaction in
            try transaction.putDocument(Self.useDocument, unused)
            try transaction.putSealedSecret(
                Self.name, sealer.seal(Data(fresh.reveal().utf8), for: .secret(Self.name), in: transaction))
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: .adminTokenReplaced, userID: nil, context: actor))
        }
    }

    private static func text(_ bytes: Data) -> Secret<String> { Secret(String(decoding: bytes, as: UTF8.self)) }
}

extension Realm {
    /// The bearer token of administrators.
    public var administratorToken: AdministratorToken { AdministratorToken(realm: self) }
}

/// When the administrator's token was last used, as the store keeps it.
private struct AdministratorTokenUse: Codable {
    /// Microseconds since 1970-01-01T00:00:00Z; nil: not yet.
    let at: Int64?
}

extension StoreTransaction {
    /// Nil where that is unknown.
    fileprivate func lastUseOfAdministratorToken() throws -> Date? {
        guard let body = try document(AdministratorToken.useDocument) else { return nil }
        return try JSONDecoder().decode(AdministratorTokenUse.self, from: body).at.map { Date(microseconds: $0) }
    }
}

/// The last use of the administrator's token that this process has seen and not written, and the last that it has written.
final class AdministratorTokenNote: Sendable {
    private struct State {
        var waiting: Date?
        var written: Date?
    }

    private let state = Mutex(State())

    var waiting: Date? { state.withLock { $0.waiting } }

    func note(at now: Date) {
        state.withLock { state in
            if let written = state.written,
                now.timeIntervalSince(written) < AdministratorToken.useGranularity
            {
                return
            }
            state.waiting = max(state.waiting ?? now, now)
        }
    }

    func wrote(_ at: Date) {
        state.withLock { state in
            // Forgotten meanwhile, as another token took its place.
            guard state.waiting != nil else { return }
            state = State(waiting: nil, written: at)
        }
    }

    func forget() { state.withLock { $0 = State() } }
}
