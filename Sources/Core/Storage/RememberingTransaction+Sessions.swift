import Foundation

extension RememberingTransaction {
    func session(_ id: SessionID) throws -> Session? { try row(&sessions, id) { try $0.session(id) } }

    func sessions(of user: UserID, _ range: ListRange<SessionPlace>) throws -> [Session] {
        try base.sessions(of: user, range)
    }

    func sessions(
        of user: UserID, epoch: Int, expiringAfter instant: Date, _ range: ListRange<SessionPlace>
    ) throws -> [Session] {
        try base.sessions(of: user, epoch: epoch, expiringAfter: instant, range)
    }

    func insert(_ session: Session) throws -> Bool {
        sessions[session.id] = nil
        return try base.insert(session)
    }

    func update(_ session: Session) throws -> Bool {
        let before = try self.session(session.id)
        sessions[session.id] = nil
        guard try base.update(session) else { return false }
        if let before, let ending = try SessionEnding(from: before, to: session, in: self) { notes.ended(ending) }
        var kept = session
        kept.revision += 1
        sessions[session.id] = .some(kept)
        return true
    }

    func deleteSessions(expiredBefore instant: Date, limit: Int) throws -> Int {
        (sessions, grants) = ([:], [:])
        return try base.deleteSessions(expiredBefore: instant, limit: limit)
    }
}
