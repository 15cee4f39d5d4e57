import Crypto
import Foundation

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

    /// Writes a message for each application and session, or for each application alone where all of a user's sessions ended and are many.
    func write(_ endings: [SessionEnding], in transaction: any StoreTransaction) throws {
        guard !endings.isEmpty else { return }
        let now = clock.now
        var seen: Set<String> = []
        for ending in endings where !ending.user.isDisabled && ending.wasLiving(at: now) {
            var values = [Value.user: ending.user.id.rawValue]
            values[Value.session] = ending.session?.id.rawValue
            for holder in ending.holders where holder.expiresAt > now {
                guard seen.insert("\(holder.client) \(ending.subject)").inserted,
                    try transaction.application(holder.client)?.registration.oauth.backchannelLogoutURI != nil
                else { continue }
                try transaction.send(
                    OutboxContent(template: Self.template, values: values),
                    // Of no user, so that the message outlives a user who is deleted.
                    to: holder.client.rawValue, about: nil, by: .logout, id: Self.id(of: ending, holder, at: now),
                    at: now, sealer: sealer)
            }
        }
    }

    /// Of what it is about, so that a transaction which runs twice writes the same.
    private static func id(of ending: SessionEnding, _ holder: GrantHolder, at now: Date) -> String {
        let text = "\(ending.subject) \(ending.user.revision) \(holder.client)"
        let digest = SHA256.digest(of: text).prefix(8)
        let digits = String(UInt64(max(0, now.microseconds)), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + digest.hex
    }
}

extension SessionEnding {
    /// What ended, as no other ending is called. An id of a session has no space.
    fileprivate var subject: String { session.map { "\($0.id) \($0.revision)" } ?? "all of \(user.id)" }
}

extension OutboxContent {
    /// Whose session ended, and which, where it is not all of the user's; nil where the message tells of none.
    public var endedSession: (user: UserID, session: SessionID?)? {
        guard template == LogoutNotices.template, let user = values[LogoutNotices.Value.user] else { return nil }
        return (UserID(rawValue: user), values[LogoutNotices.Value.session].map(SessionID.init(rawValue:)))
    }
}

extension StoreTransaction {
    /// Has the applications of grants that have just ended told, though their sessions go on. Where it takes several transactions to end all, an
    /// application is told of a session by the one that ends the last of what it had there: once, and not before it is so.
    /// - Parameters:
    ///   - ended: as they were before.
    ///   - isLast: whether no other transaction goes on.
    func announceEnds(of ended: [Grant], isLast: Bool, at now: Date) throws {
        var asked: Set<[String]> = []
        for grant in ended where grant.dialect == .oauth {
            guard asked.insert([grant.sessionID.rawValue, grant.clientID.rawValue]).inserted else { continue }
            let left =
                try isLast
                ? []
                : grants(of: grant.sessionID, most: 1) {
                    $0.clientID == grant.clientID && $0.dialect == .oauth && $0.isLiving(at: now)
                }
            if left.isEmpty { try announceEnd(of: grant) }
        }
    }
}
