import Foundation

/// Whether a browser's session may open the console, and for how long (docs/decisions/0330).
///
/// The console has shorter times than the pages of the account, on the same session: it opens after a proof of the last
/// ``idleTime``, and stays open while it is used. When it was used last stands in a mark that the browser holds beside its session,
/// since other pages also say that the session was used.
public struct ConsoleSessions: Sendable {
    let realm: Realm

    /// Seconds after which a console that was not used wants another proof.
    public static let idleTime: TimeInterval = 900
    /// Seconds after which a mark says anew when the console was used.
    static let renewalTime: TimeInterval = 60
    private static let context = "console-used"

    /// What the console makes of a session.
    public enum Judgement: Sendable {
        /// - Parameter mark: what the browser holds from now on; nil: what it holds already.
        case open(AdministratorRole, mark: Secret<String>?)
        /// The user administers, and has to prove more first.
        case demanding(AdministratorDemand)
        /// The user has no role.
        case closed
    }

    /// Judges a session that goes on.
    /// - Parameter mark: what the browser holds, as an earlier judgement gave it.
    public func judge(
        _ session: Session, of user: User, mark text: Secret<String>?
    ) async throws -> Judgement {
        let realm = realm
        let now = realm.clock.now
        let usedAt = try lastUse(text, of: session)
        return try await realm.store.read { transaction in
            guard let administrator = try transaction.administrator(user.id) else { return .closed }
            if let demand = try realm.administrators.demand(of: session, at: now, in: transaction) {
                return .demanding(demand)
            }
            let provenAt = session.proofs.map(\.at).max() ?? session.createdAt
            guard let latest = [usedAt, provenAt].compactMap({ $0 }).max(), now < latest + Self.idleTime else {
                return .demanding(.signIn)
            }
            if let usedAt, now < usedAt + Self.renewalTime { return .open(administrator.role, mark: nil) }
            return .open(administrator.role, mark: try mark(of: session, at: now, in: transaction))
        }
    }

    // MARK: Marks

    /// When the console was used, and a keyed digest of that and of the session's token: `1x2y3z.…`. Another proof gives the session
    /// another token, and with it another mark.
    private func mark(
        of session: Session, at now: Date, in transaction: any StoreTransaction
    ) throws -> Secret<String> {
        let second = String(Int64(now.timeIntervalSince1970), radix: 36)
        let digest = try realm.sealer.digest(Self.marked(session, second), for: Self.context, in: transaction)
        return Secret("\(second).\(Array(digest).base64URL)")
    }

    /// When a mark of this session says, in our hand, that the console was used.
    private func lastUse(_ text: Secret<String>?, of session: Session) throws -> Date? {
        guard let parts = text?.reveal().split(separator: ".", omittingEmptySubsequences: false), parts.count == 2,
            parts[0].utf8.count <= 12, let second = Int64(parts[0], radix: 36), second > 0,
            let digest = [UInt8](base64URL: String(parts[1]))
        else { return nil }
        do {
            let isOurs = try realm.sealer.matches(
                Self.marked(session, String(parts[0])), Data(digest), for: Self.context)
            return isOurs ? Date(timeIntervalSince1970: TimeInterval(second)) : nil
        } catch is SealingError {
            return nil
        }
    }

    private static func marked(_ session: Session, _ second: String) -> String {
        let token = session.browserDigest.map { Array($0).base64URL } ?? ""
        return "\(session.id.rawValue)\n\(token)\n\(second)"
    }
}

extension Realm {
    /// Who may open the console, and for how long.
    public var consoleSessions: ConsoleSessions { ConsoleSessions(realm: self) }
}
