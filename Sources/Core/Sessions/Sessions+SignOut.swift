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
        while true {
            let now = realm.clock.now
            let eventID = AuditEvent.freshID(at: now, random: realm.random)
            let part = try await realm.store.write { transaction -> Bool? in
                guard var session = try transaction.session(id), session.userID == userID, session.revokedAt == nil
                else { return false }
                let stays = try !transaction.grants(of: id, most: 1) { $0.isLiving(at: now) && $0.isOffline }.isEmpty
                if stays {
                    let ending = try transaction.grants(of: id, most: Session.mostEndedAtOnce) {
                        $0.isLiving(at: now) && !$0.isOffline
                    }
                    try transaction.reserve(Set(ending.map { .grant($0.id) } + [.session(id)]))
                    let isLast = ending.count < Session.mostEndedAtOnce
                    if isLast {
                        session.browserDigest = nil
                        guard try transaction.update(session) else { return false }
                    }
                    for grant in ending where try transaction.end(grant, at: now) {
                        if !isLast { try transaction.announceEnd(of: grant) }
                    }
                    guard isLast else { return nil }
                } else {
                    guard try transaction.end(session, at: now) else { return false }
                }
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .signedOut, userID: userID, context: client,
                        details: ["session": .string(id.rawValue)]))
                return true
            }
            if let part { return part }
        }
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
