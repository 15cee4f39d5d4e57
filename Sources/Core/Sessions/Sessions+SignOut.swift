import Foundation

/// Signing out of a browser.
extension Sessions {
    /// Takes a session from its browser. What applications got without `offline_access` ends with it; what they got with it goes on under
    /// the same session, which no cookie opens any more. A session without such grants ends.
    /// - Returns: false where the session is over, or not the user's.
    public func signOut(_ id: SessionID, of userID: UserID, by client: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var session = try transaction.session(id), session.userID == userID, session.revokedAt == nil else {
                return false
            }
            let living = try transaction.grants(of: id, limit: Session.longestList).filter { $0.isLiving(at: now) }
            let staying = living.filter { $0.terms.scopes.contains("offline_access") }
            if staying.isEmpty {
                guard try transaction.end(session, at: now) else { return false }
            } else {
                let ending = living.filter { !$0.terms.scopes.contains("offline_access") }
                try transaction.reserve(Set(ending.map { .grant($0.id) } + [.session(id)]))
                session.browserDigest = nil
                guard try transaction.update(session) else { return false }
                for grant in ending { _ = try transaction.end(grant, at: now) }
            }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .signedOut, userID: userID, context: client,
                    details: ["session": .string(id.rawValue)]))
            return true
        }
    }
}

extension AuditEvent.Kind {
    /// A user signed out of a browser.
    public static let signedOut = Self(rawValue: "session.signed-out")
}
