import Foundation

/// Signing out of a browser.
extension Sessions {
    /// Takes a session from its browser. What applications got without `offline_access` ends with it; what they got with it goes on under
    /// the same session, which no cookie opens any more. A session without such grants ends.
    ///
    /// Where more grants end than one transaction may end, the cookie goes with the last of them: a sign-out that fails in between can
    /// be repeated.
    /// - Returns: false where the session is over, or not the user's.
    public func signOut(_ id: SessionID, of userID: UserID, by client: ClientContext) async throws -> Bool {
        let most = Session.mostEndedAtOnce
        let parts = try await realm.writeParts { transaction, now, eventIDs -> WrittenPart<Bool> in
            let over = WrittenPart(done: false, isFull: false)
            guard var session = try transaction.session(id), session.userID == userID, session.revokedAt == nil
            else { return over }
            let stays = try !transaction.grants(of: id, most: 1) { $0.isLiving(at: now) && $0.isOffline }.isEmpty
            if stays {
                let ending = try transaction.grants(of: id, most: most) { $0.isLiving(at: now) && !$0.isOffline }
                try transaction.reserve(Set(ending.map { .grant($0.id) } + [.session(id)]))
                let isFull = ending.count == most
                if !isFull {
                    // All that have something of it until now are told.
                    session.browserDigest = nil
                    guard try transaction.update(session) else { return over }
                }
                for grant in ending { _ = try transaction.end(grant, at: now) }
                if isFull {
                    try transaction.announceEnds(of: ending, isLast: false, at: now)
                    return WrittenPart(done: false, isFull: true)
                }
            } else {
                guard try transaction.end(session, at: now) else { return over }
            }
            try transaction.append(
                AuditEvent(
                    id: eventIDs[0], at: now, kind: .signedOut, userID: userID, context: client,
                    details: ["session": .string(id.rawValue)]))
            return WrittenPart(done: true, isFull: false)
        }
        return parts.last ?? false
    }
}

extension Grant {
    /// Whether it goes on when its user signs out of the browser.
    fileprivate var isOffline: Bool { terms.scopes.contains("offline_access") }
}

extension AuditEvent.Kind {
    /// A user signed out of a browser.
    public static let signedOut = Self(rawValue: "session.signed-out")
}
