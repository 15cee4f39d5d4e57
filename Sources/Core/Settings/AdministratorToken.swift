import Foundation

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

    /// Puts another in its place, and says so in the log. Servers take it within seconds; the one from before opens nothing
    /// any more.
    public func replace(with fresh: Secret<String>, by actor: ClientContext) async throws {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let sealer = realm.sealer
        try await realm.store.write { transaction in
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
