import Crypto
import Foundation

/// What a user's word hangs on from when it is given until it becomes a grant: as an authorization code, a device's code, a sign-in by the
/// backchannel, an answer on a page.
///
/// It is noted in the transaction in which the word is given, and judged in the one that makes the grant
/// (``StoreTransaction/stands(_:of:to:since:)``). The session and the user's epoch are judged there too, by those who name them
/// (`docs/decisions/0469`).
struct GrantBasis: Codable, Sendable, Equatable {
    /// Since when the application was what it is to users (``Application/known``), in microseconds since 1970; nil where none was registered.
    var registration: Int64?
    /// The latest ``Withdrawal`` from the application; nil where there was none lately.
    var withdrawal: Int64?
    /// The latest ``Withdrawal`` from all applications, where the word hangs on no session.
    var ending: Int64?
    /// Whether it hangs on no session, so that ``ending`` counts.
    var isWithoutSession = false

    private enum CodingKeys: String, CodingKey { case registration, withdrawal, ending, isWithoutSession }

    init(registration: Int64?, withdrawal: Int64?, ending: Int64? = nil, isWithoutSession: Bool = false) {
        self.registration = registration
        self.withdrawal = withdrawal
        self.ending = ending
        self.isWithoutSession = isWithoutSession
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        registration = try members.decodeIfPresent(Int64.self, forKey: .registration)
        withdrawal = try members.decodeIfPresent(Int64.self, forKey: .withdrawal)
        ending = try members.decodeIfPresent(Int64.self, forKey: .ending)
        isWithoutSession = try members.decodeIfPresent(Bool.self, forKey: .isWithoutSession) ?? false
    }
}

extension GrantBasis: StoredJSON {}

/// A note that a user, or an administrator, took back what the user had allowed one application, or all of them: what was allowed before,
/// and is no grant yet, becomes none.
///
/// A row among the flows, whose digest is of bytes that are no text, so that no handle leads to it. It goes with its user, and a while after
/// the last word that it could be about. Its end is later with each withdrawal, and so says which one it was, whatever the servers' clocks say.
enum Withdrawal {
    static let purpose = "withdrawal"
    /// Seconds that the note is kept: longer than any word waits to become a grant.
    static let lifetime: TimeInterval = 2 * AuthorizationRequests.lifetime

    /// Spelled by itself and not by ``Tokens/usedDigest(_:)``: while a new version comes in, servers of both find each other's notes by it.
    /// - Parameter client: nil for all applications.
    static func digest(of user: UserID, from client: ClientID?) -> Data {
        let text = "\(purpose)\u{0}\(user)" + (client.map { "\u{0}\($0)" } ?? "")
        return Data(SHA256.hash(data: Data([0xFF]) + Data(text.utf8)))
    }

    /// The row that ``StoreTransaction/withdraw(from:of:at:sealer:)`` writes, to be reserved before rows that come after flows.
    static func row(of user: UserID, from client: ClientID?) -> ReservedRow { .flow(digest(of: user, from: client)) }
}

extension StoreTransaction {
    /// What a word hangs on that a user gives now.
    /// - Parameter isWithoutSession: whether no session stands for it until it is a grant.
    func basis(of user: UserID, to client: ClientID, isWithoutSession: Bool = false) throws -> GrantBasis {
        try GrantBasis(
            registration: registeredApplication(client)?.known.microseconds,
            withdrawal: withdrawal(of: user, from: client)?.expiresAt.microseconds,
            ending: isWithoutSession ? withdrawal(of: user, from: nil)?.expiresAt.microseconds : nil,
            isWithoutSession: isWithoutSession)
    }

    /// Whether a word still counts: the application is the one that it was given to, and nothing was taken back since.
    /// - Parameters:
    ///   - basis: what was noted when it was given; nil where a server of an earlier version noted nothing.
    ///   - instant: when it was given, which decides where nothing was noted.
    func stands(
        _ basis: GrantBasis?, of user: UserID, to client: ClientID, since instant: Date
    ) throws -> Bool {
        let known = try registeredApplication(client)?.known
        guard let basis else {
            if let known, instant < known { return false }
            guard let latest = try withdrawal(of: user, from: client) else { return true }
            return latest.expiresAt - Withdrawal.lifetime < instant
        }
        guard known?.microseconds == basis.registration,
            try !isWithdrawn(from: client, of: user, after: basis.withdrawal)
        else { return false }
        return try !basis.isWithoutSession || !isWithdrawn(from: nil, of: user, after: basis.ending)
    }

    /// Notes that what a user allowed is taken back. ``Withdrawal/row(of:from:)`` and the user's row have to be reserved where rows were
    /// locked that come after them.
    /// - Parameter client: nil for all applications, where all sessions end but perhaps one.
    func withdraw(from client: ClientID?, of user: UserID, at now: Date, sealer: Sealer) throws {
        let end = now + Withdrawal.lifetime
        if var present = try withdrawal(of: user, from: client) {
            present.expiresAt = max(end, Date(microseconds: present.expiresAt.microseconds + 1))
            guard try update(present) else { throw StoreError(.overloaded, "A withdrawal changed meanwhile.") }
            return
        }
        let digest = Withdrawal.digest(of: user, from: client)
        // Nothing is written where the user was deleted.
        _ = try insert(
            FlowRecord(
                digest: digest, userID: user, purpose: Withdrawal.purpose, createdAt: now, expiresAt: end,
                body: sealer.seal(Data("{}".utf8), for: .flow(digest), in: self)))
    }

    private func isWithdrawn(from client: ClientID?, of user: UserID, after noted: Int64?) throws -> Bool {
        guard let latest = try withdrawal(of: user, from: client) else { return false }
        return noted.map { latest.expiresAt.microseconds > $0 } ?? true
    }

    private func withdrawal(of user: UserID, from client: ClientID?) throws -> FlowRecord? {
        guard let record = try flow(digest: Withdrawal.digest(of: user, from: client)),
            record.purpose == Withdrawal.purpose
        else { return nil }
        return record
    }
}
