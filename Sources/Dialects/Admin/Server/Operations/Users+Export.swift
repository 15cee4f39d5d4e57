import CountersignCore
import Foundation

/// Hands out a page of users as lines that ``ImportUsers`` takes: with password hashes and with the secrets of
/// authenticators. The log says so before they leave.
public struct ExportUsers: AdministrationOperation {
    public static let name = "users:export"
    public static let right = AdministrationRight.transferUsers

    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// What the page before gave as ``Answer/run``: the log has one event of all pages. A page without it, or after an hour, has
    /// an event of its own.
    public var run: String?
    /// 1 to 500; 200 where it is left out. Fewer come where they are long.
    public var limit: Int?
    /// No user is exported, and the log says nothing, where there are more users than this; nil exports any number. It is looked at on the
    /// first page.
    public var most: Int?

    public init(after: String? = nil, limit: Int? = nil, run: String? = nil, most: Int? = nil) {
        self.after = after
        self.run = run
        self.limit = limit
        self.most = most
    }

    public struct Answer: Codable, Sendable {
        /// Ordered by id.
        public let lines: [SecretText]
        /// Where the next page begins; nil on the last.
        public let next: String?
        /// How many users there are; on the first page.
        public let total: Int?
        /// Users whose password hash no other system takes, and is not on their lines.
        public let withoutPassword: [String]
        /// What the next page names.
        public let run: String?
    }

    private static func place(_ id: UserID) -> String { ListPlace(id.rawValue, in: name).text }

    /// Bytes of lines after which a page ends.
    static let pageBytes = 1024 * 1024

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let range = 1...Accounts.longestExportPage
        let limit = limit ?? 200
        guard range.contains(limit) else {
            throw AdministrationError(
                .invalid, "The limit \(limit) is out of range: \(range.lowerBound) to \(range.upperBound).")
        }
        let start = try after.map { text in
            guard let key = ListPlace(parsing: text, in: Self.name)?.key else { throw ListPlace.unknown }
            return UserID(rawValue: key)
        }
        let total = after == nil ? try await realm.accounts.count() : nil
        if let total, let most, total > most {
            throw AdministrationError(
                .refused,
                "There are more than \(most) users. Export them with the command: countersign user export FILE.")
        }
        let (accounts, next, run) = try await realm.accounts.exportAccounts(
            after: start, limit: limit, run: run, by: client)
        var lines: [SecretText] = []
        var withoutPassword: [String] = []
        var bytes = 0
        for account in accounts {
            let row = UserRow(account, importer: realm.passwordImporter)
            let line = try row.line()
            if account.password != nil && row.passwordHash == nil { withoutPassword.append(account.id.rawValue) }
            lines.append(line)
            bytes += line.secret.reveal().utf8.count
            if bytes >= Self.pageBytes && lines.count < accounts.count {
                return Answer(
                    lines: lines, next: Self.place(account.id), total: total,
                    withoutPassword: withoutPassword, run: run)
            }
        }
        return Answer(
            lines: lines, next: next.map(Self.place), total: total,
            withoutPassword: withoutPassword, run: run)
    }
}
