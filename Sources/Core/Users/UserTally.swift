import Foundation

/// About how many users there are: for people who look at a list, which has no totals (`docs/decisions/0518`).
public struct UserEstimate: Sendable, Equatable {
    /// How well it is known.
    public enum Precision: String, Sendable {
        /// They were counted just now.
        case exact
        /// So many were counted within the last hours, rounded to two digits.
        case about
        /// There are so many and more, and they were not counted yet.
        case atLeast = "at-least"
    }

    /// How many users.
    public let users: Int
    /// How well that is known.
    public let precision: Precision

    /// What was counted a while ago.
    static func about(_ count: Int) -> UserEstimate {
        var unit = 1
        while count / unit >= 100 { unit *= 10 }
        return UserEstimate(users: (count + unit / 2) / unit * unit, precision: .about)
    }
}

/// What was counted last where there are many users: one document, which the servers keep.
struct UserTally: Codable, Equatable, StoredJSON {
    /// Users that a list counts by itself, and rows of an index that one look of the count goes through.
    static let step = 5000
    /// Seconds for which a count is not made anew.
    static let period: TimeInterval = 3600
    private static let document = "user-tally"

    let count: Int
    let at: Date

    static func read(_ transaction: any StoreTransaction) throws -> UserTally? {
        // A later version may write it in another shape; then it is counted anew.
        try transaction.document(document).flatMap { try? UserTally(stored: $0) }
    }

    func put(in transaction: any StoreTransaction) throws {
        try transaction.putDocument(Self.document, stored)
    }
}

extension Accounts {
    /// About how many users there are, at a cost that has a bound: fewer than `step` are counted, of more it is known what was counted last.
    public func estimate() async throws -> UserEstimate { try await estimate(step: UserTally.step) }

    func estimate(step: Int) async throws -> UserEstimate {
        try await realm.store.read { transaction in
            let part = try transaction.countUsers(after: nil, limit: step)
            if part.end == nil { return UserEstimate(users: part.count, precision: .exact) }
            // What was counted before most users came, as by an import, is less than what is seen.
            guard let tally = try UserTally.read(transaction), tally.count >= part.count else {
                return UserEstimate(users: part.count, precision: .atLeast)
            }
            return .about(tally.count)
        }
    }

    /// Counts users where there are more than a list counts, once an hour, in parts that keep nothing else waiting.
    func tally(step: Int = UserTally.step) async throws {
        let now = realm.clock.now
        let isDue = try await realm.store.read { transaction in
            if let last = try UserTally.read(transaction), abs(now.timeIntervalSince(last.at)) < UserTally.period {
                return false
            }
            return try transaction.countUsers(after: nil, limit: step).end != nil
        }
        guard isDue else { return }
        var count = 0
        var place: UserPlace?
        repeat {
            let part = try await realm.store.read { [place] in try $0.countUsers(after: place, limit: step) }
            count += part.count
            place = part.end
        } while place != nil
        let tally = UserTally(count: count, at: now)
        try await realm.store.write { try tally.put(in: $0) }
    }
}
