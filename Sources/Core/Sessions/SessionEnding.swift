import Foundation

/// A session that ended in a transaction, or left its browser, with the applications that had grants of it until then.
struct SessionEnding: Sendable {
    /// Grants of a user, or of a session, that are looked at one by one when it ends. Where there are more, applications are told of the user
    /// alone, or without a look at the protocol.
    static let mostTold = 500

    /// Before the end.
    let user: User
    /// Before the end; nil for all sessions of the user.
    let session: Session?
    let holders: [GrantHolder]

    func wasLiving(at now: Date) -> Bool { session.map { $0.isLiving(of: user, at: now) } ?? true }
}

extension GrantHolder {
    init(of grant: Grant) { self.init(client: grant.clientID, expiresAt: grant.expiresAt) }
}

extension SessionEnding {
    /// The sessions of a user that end with a change of the user's row.
    /// - Parameters:
    ///   - after: nil where the row is deleted.
    ///   - transaction: has the user's grants and sessions still.
    static func all(
        from before: User, to after: User?, in transaction: any StoreTransaction
    ) throws -> [SessionEnding] {
        guard after?.endsSessions(of: before) ?? true else { return [] }
        var grants = try transaction.grants(of: before.id, limit: mostTold)
        if grants.count == mostTold {
            // Most may have ended before: then those alone that go on.
            grants = try transaction.grants(of: before.id, ListRange(limit: mostTold))
        }
        guard grants.count < mostTold else {
            // One word about the user for each application, in place of thousands about sessions.
            return [
                SessionEnding(
                    user: before, session: nil, holders: try transaction.holders(ofGrantsOf: before.id))
            ]
        }
        let told = grants.filter(\.isToldOfEnd)
        var endings: [SessionEnding] = []
        for (id, grants) in Dictionary(grouping: told, by: \.sessionID).sorted(by: {
            $0.key.rawValue < $1.key.rawValue
        }) {
            guard let session = try transaction.session(id), session.ends(from: before, to: after) else { continue }
            endings.append(SessionEnding(user: before, session: session, holders: grants.map(GrantHolder.init(of:))))
        }
        return endings
    }

    /// The end of a session that is revoked, or whose browser lets go of it; nil where the change is no end, or no application is told of it.
    /// - Parameter transaction: has the session's grants still.
    init?(from before: Session, to after: Session, in transaction: some StoreTransaction) throws {
        guard before.ends(with: after) else { return nil }
        let grants = try transaction.grants(of: after.id, limit: Self.mostTold)
        var holders = grants.filter(\.isToldOfEnd).map(GrantHolder.init(of:))
        // What protocol their grants are of is not looked at: an application that is told too much signs a user out who is signed out.
        if grants.count == Self.mostTold { holders += try transaction.holders(ofGrantsOf: after.id) }
        guard !holders.isEmpty, let user = try transaction.user(after.userID) else { return nil }
        self.init(user: user, session: before, holders: holders)
    }
}

extension User {
    /// Whether the change from what the user was before ends sessions.
    func endsSessions(of before: User) -> Bool {
        tokenEpoch != before.tokenEpoch || isDisabled && !before.isDisabled
            || tokensRefusedBefore > before.tokensRefusedBefore
    }
}

extension Session {
    /// Whether the session, as far as its user decides, went on before a change of the user and does not after it.
    /// - Parameter after: nil where the user is deleted.
    func ends(from before: User, to after: User?) -> Bool {
        func isOfPresent(_ user: User) -> Bool {
            tokenEpoch == user.tokenEpoch && !user.refuses(issuedAt: createdAt)
        }
        guard isOfPresent(before) else { return false }
        guard let after, !after.isDisabled else { return true }
        return !isOfPresent(after)
    }

    /// Whether a change revokes the session, or has its browser let go of it.
    func ends(with after: Session) -> Bool {
        revokedAt == nil && (after.revokedAt != nil || browserDigest != nil && after.browserDigest == nil)
    }
}
