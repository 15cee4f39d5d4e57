import Crypto
import Foundation

/// A session that ended in a transaction, or left its browser, with the grants that applications had of it until then.
struct SessionEnding: Sendable {
    let session: Session
    /// Before the end.
    let user: User
    let grants: [Grant]
}

/// Tells applications which want to know that sessions of their users ended: in the transaction that ends them, so that neither
/// happens without the other (OpenID Connect Back-Channel Logout 1.0; `docs/decisions/0200`).
///
/// What ends a session – a sign-out, an administrator, a new epoch of the user's tokens, a disabled or deleted user – is seen where the
/// row is written (``RememberingTransaction``), so that no way of ending a session can forget the notice.
struct LogoutNotices: Sendable {
    let sealer: Sealer
    let clock: any WallClock

    /// The template of such messages.
    static let template = "backchannel-logout"
    /// Names of what a message says.
    enum Value {
        static let user = "user"
        static let session = "session"
    }

    /// Writes a message for each application and session.
    /// - Returns: whether there was any.
    func write(_ endings: [SessionEnding], in transaction: any StoreTransaction) throws -> Bool {
        guard !endings.isEmpty else { return false }
        let now = clock.now
        var told: Set<String> = []
        for ending in endings where !ending.user.isDisabled && ending.session.isLiving(of: ending.user, at: now) {
            for grant in ending.grants where grant.dialect == .oauth && grant.isLiving(at: now) {
                guard told.insert("\(grant.clientID) \(ending.session.id)").inserted,
                    try transaction.application(grant.clientID)?.registration.oauth.backchannelLogoutURI != nil
                else { continue }
                try transaction.send(
                    OutboxContent(
                        template: Self.template,
                        values: [
                            Value.user: ending.user.id.rawValue, Value.session: ending.session.id.rawValue,
                        ]),
                    // Of no user, so that the message outlives a user who is deleted.
                    to: grant.clientID.rawValue, about: nil, by: .logout, id: Self.id(of: ending, grant, at: now),
                    at: now, sealer: sealer)
            }
        }
        return !told.isEmpty
    }

    /// Of what it is about, so that a transaction which runs twice writes the same.
    private static func id(of ending: SessionEnding, _ grant: Grant, at now: Date) -> String {
        let text = "\(ending.session.id) \(ending.session.revision) \(ending.user.revision) \(grant.clientID)"
        let digest = Array(SHA256.hash(data: Data(text.utf8)).prefix(8))
        let digits = String(UInt64(max(0, now.microseconds)), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + digest.hex
    }
}

extension OutboxContent {
    /// Whose session ended, and which; nil where the message tells of none.
    public var endedSession: (user: UserID, session: SessionID)? {
        guard template == LogoutNotices.template, let user = values[LogoutNotices.Value.user],
            let session = values[LogoutNotices.Value.session]
        else { return nil }
        return (UserID(rawValue: user), SessionID(rawValue: session))
    }
}

extension StoreTransaction {
    /// Has the application of a grant told that it ended, though its session goes on. A realm's transactions are all of the one type.
    func announceEnd(of grant: Grant) throws {
        guard let transaction = self as? RememberingTransaction, let session = try session(grant.sessionID),
            let user = try user(grant.userID)
        else { return }
        transaction.note(SessionEnding(session: session, user: user, grants: [grant]))
    }
}

extension User {
    /// Whether the change from what the user was before ends sessions.
    func endsSessions(of before: User) -> Bool {
        tokenEpoch != before.tokenEpoch || isDisabled && !before.isDisabled
            || tokensRefusedBefore > before.tokensRefusedBefore
    }
}
