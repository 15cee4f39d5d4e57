import CountersignCore
import Crypto
import Foundation

/// The successive refresh tokens of one client: the checks that were passed, by which user, and the token that is valid
/// now. Sealed; every later member has a default.
///
/// A family goes on after its checks' successes are over, because that is what it is for. It ends when one of them is
/// ended: by logging out, by a wrong answer while it held, by being blocked, by another person; or when the ground of
/// one of them no longer exists.
struct RefreshFamily: Sendable, Codable {
    var version = 1
    var client: RegisteredClientID
    var scope: Set<String>
    var passed: [String: Passed]
    /// The user who was recognised last when the family began.
    var user: AuthenticatedUser?
    /// What resource servers received about the checks then.
    var checks: [String: [String: JSONValue]]
    /// The part of the present token after the family's id.
    var current: String
    var previousDigest: Data?
    var rotatedAt: Date?

    /// A check that was in success.
    struct Passed: Sendable, Codable {
        /// ``CheckRecord/generation`` then.
        var generation: Int64?
        var user: CheckRecord.Recognised?
        var dependencyUsers: [String: CheckRecord.Recognised]

        private enum CodingKeys: String, CodingKey {
            case generation = "era"
            case user
            case dependencyUsers = "behind"
        }
    }

    /// Seconds that a token lives; the next one lives as long again.
    static let lifetime: TimeInterval = 30 * 86_400
    /// Seconds for which it is remembered that a success was ended: no token of before lives longer.
    static let memory = lifetime + 86_400

    func text(_ id: String) -> Secret<String> { Secret("\(id).\(current)") }

    static func digest(_ part: String) -> Data { SHA256.digest(of: "security-checks\0token\0\(part)") }

    /// What a token says of itself: which family it is of, and its part. Nil for a token of another form.
    static func parts(of token: Secret<String>) -> (id: String, part: String)? {
        let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy({ PlainText($0, bytes: 16...64) != nil }) else {
            return nil
        }
        return (parts[0], parts[1])
    }

    func sealed(_ digest: Data, by sealer: Sealer, in transaction: any StoreTransaction) throws -> Data {
        try sealer.seal(JSONEncoder().encode(self), for: .client(.refreshFamily, digest), in: transaction)
    }
}

extension CheckStates {
    /// What of these checks a family that begins now has; nil where one of them is not in success.
    func passed(_ names: [String]) throws -> [String: RefreshFamily.Passed]? {
        var passed: [String: RefreshFamily.Passed] = [:]
        for name in names {
            guard try standing(name).isSuccessful else { return nil }
            let record = try record(name)
            passed[name] = RefreshFamily.Passed(
                generation: record.generation, user: record.user.map(CheckRecord.Recognised.init),
                dependencyUsers: record.dependencyUsers
            )
        }
        return passed
    }

    /// Whether what a family was begun with still counts for all checks that its scope takes now.
    func covers(_ family: RefreshFamily) throws -> Bool {
        if let user = family.user, try !isLiving(user.account, user.accountEpoch) { return false }
        for name in plan.order {
            guard let passed = family.passed[name], let check = plan.checks[name] else { return false }
            // A state that is no longer stored has not been ended for longer than any token lives.
            let record = try stored(name)
            if let generation = record?.generation, generation != passed.generation { return false }
            guard check.isStillGranted(in: try context(name, record ?? CheckRecord())) else { return false }
            if let user = passed.user {
                if try !isLiving(user.account, user.accountEpoch) { return false }
                if let present = try standing(name).user, present.id != user.id { return false }
            }
            for (other, known) in passed.dependencyUsers {
                if try !isLiving(known.account, known.accountEpoch) { return false }
                if let present = try standing(other).user, present.id != known.id { return false }
            }
        }
        return try !lacksSecondFactor { family.passed[$0]?.user }
    }
}

extension StoreTransaction {
    /// A family that goes on, with its row.
    /// - Parameter memory: for who does not change it.
    func refreshFamily(
        _ id: String, sealer: Sealer, at now: Date, _ memory: CheckMemory? = nil
    ) throws -> (family: RefreshFamily, row: ClientRecord)? {
        guard let row = try clientRecord(.refreshFamily, digest: CheckRow.refresh(id)), row.expiresAt > now else {
            return nil
        }
        if let memory { return (try memory.family(of: row, sealer), row) }
        let plain = try sealer.open(row.body, for: row.address)
        return (try JSONDecoder().decode(RefreshFamily.self, from: plain), row)
    }
}
