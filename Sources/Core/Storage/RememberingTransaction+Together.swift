import Foundation

extension RememberingTransaction {
    /// What nearly every transaction asks for: read together, and with an application where one is asked for first.
    static let standingDocuments = [settingsDocument, MasterKeys.checkDocument]

    var knowsNoStandingDocument: Bool { Self.standingDocuments.allSatisfy { !documents.has($0) } }

    func keep(standing found: [String: Data]) {
        if !documents.has(Self.settingsDocument) { standing.saw(settings: found[Self.settingsDocument]) }
        for name in Self.standingDocuments where !documents.has(name) { documents[name] = .some(found[name]) }
    }

    func application(_ id: ClientID, beside documents: [String]) throws -> (Application?, documents: [String: Data]) {
        (try application(id), try self.documents(documents))
    }

    func flow(digest: Data, beside documents: [String]) throws -> HeldFlow {
        let flow = try flow(digest: digest)
        return HeldFlow(
            flow: flow, user: try flow?.userID.flatMap { try user($0) }, documents: try self.documents(documents))
    }

    func heldGrant(_ id: GrantID, beside documents: [String]) throws -> (HeldGrant?, documents: [String: Data]) {
        if !grants.has(id) {
            let bringsDocuments = knowsNoStandingDocument
            let (held, found) = try base.heldGrant(id, beside: bringsDocuments ? Self.standingDocuments : [])
            if bringsDocuments { keep(standing: found) }
            grants[id] = .some(held?.grant)
            if let held {
                sessions[held.session.id] = .some(held.session)
                users[held.user.id] = .some(held.user)
            }
            return (held, try self.documents(documents))
        }
        let found = try self.documents(documents)
        guard let grant = try grant(id), let session = try session(grant.sessionID), let user = try user(grant.userID)
        else { return (nil, found) }
        return (HeldGrant(grant: grant, session: session, user: user), found)
    }

    func documents(_ names: [String]) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in names { found[name] = try document(name) }
        return found
    }

    func readCounters(_ keys: [String]) throws { try base.readCounters(keys) }
    var asksAhead: Bool { base.asksAhead }
    func expect(_ rows: ExpectedRows) throws { try base.expect(rows) }
}
