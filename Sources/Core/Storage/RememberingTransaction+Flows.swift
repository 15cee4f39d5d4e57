import Foundation

extension RememberingTransaction {
    func flow(digest: Data) throws -> FlowRecord? {
        if let known = flows[digest] { return known }
        let bringsDocuments = knowsNoStandingDocument
        let found = try base.flow(digest: digest, beside: bringsDocuments ? Self.standingDocuments : [])
        if bringsDocuments { keep(standing: found.documents) }
        flows[digest] = .some(found.flow)
        if let user = found.user {
            if !users.has(user.id) { users[user.id] = .some(user) }
        } else if let standIn = found.standIn {
            // Known not to be there: to ask for one would be a way to the database more than for a user who came along.
            users[standIn] = .some(nil)
        }
        return found.flow
    }

    func insert(_ flow: FlowRecord) throws -> Bool {
        flows[flow.digest] = nil
        return try base.insert(flow)
    }

    func update(_ flow: FlowRecord) throws -> Bool {
        flows[flow.digest] = nil
        guard try base.update(flow) else { return false }
        var kept = flow
        kept.revision += 1
        flows[flow.digest] = .some(kept)
        return true
    }

    func deleteFlow(digest: Data) throws -> Bool {
        flows[digest] = nil
        return try base.deleteFlow(digest: digest)
    }

    func openFlows(of user: UserID, purpose: String, at now: Date, limit: Int) throws -> [FlowRecord] {
        try base.openFlows(of: user, purpose: purpose, at: now, limit: limit)
    }

    func openFlow(offering factor: FactorID, at now: Date) throws -> FlowRecord? {
        try base.openFlow(offering: factor, at: now)
    }

    func flows(of user: UserID, limit: Int) throws -> [FlowRecord] { try base.flows(of: user, limit: limit) }

    func flowRevisions(among digests: Set<Data>) throws -> [Data: Int] { try base.flowRevisions(among: digests) }

    func deleteFlows(expiredBefore instant: Date, limit: Int) throws -> Int {
        flows = [:]
        return try base.deleteFlows(expiredBefore: instant, limit: limit)
    }
}
