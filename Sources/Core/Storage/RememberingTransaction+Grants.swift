import Foundation

extension RememberingTransaction {
    func grant(_ id: GrantID) throws -> Grant? { try row(&grants, id) { try $0.grant(id) } }

    func grants(of session: SessionID, limit: Int) throws -> [Grant] { try base.grants(of: session, limit: limit) }

    func grants(of user: UserID, limit: Int) throws -> [Grant] { try base.grants(of: user, limit: limit) }

    func grants(of client: ClientID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try base.grants(of: client, range)
    }

    func grants(of session: SessionID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try base.grants(of: session, range)
    }

    func grants(of user: UserID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try base.grants(of: user, range)
    }

    func holders(ofGrantsOf session: SessionID) throws -> [GrantHolder] { try base.holders(ofGrantsOf: session) }

    func holders(ofGrantsOf user: UserID) throws -> [GrantHolder] { try base.holders(ofGrantsOf: user) }

    func grants(of user: UserID, to client: ClientID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try base.grants(of: user, to: client, range)
    }

    func insert(_ grant: Grant) throws -> Bool {
        grants[grant.id] = nil
        guard try base.insert(grant) else { return false }
        notes.inserted(grant)
        return true
    }

    func update(_ grant: Grant) throws -> Bool {
        grants[grant.id] = nil
        guard try base.update(grant) else { return false }
        notes.updated(grant)
        var kept = grant
        kept.revision += 1
        grants[grant.id] = .some(kept)
        return true
    }

    func deleteGrant(_ id: GrantID) throws -> Bool {
        grants[id] = nil
        return try base.deleteGrant(id)
    }

    func deleteGrants(expiredBefore instant: Date, limit: Int) throws -> Int {
        grants = [:]
        return try base.deleteGrants(expiredBefore: instant, limit: limit)
    }
}
