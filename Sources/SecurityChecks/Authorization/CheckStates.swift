import CountersignCore
import Foundation

/// Reads and writes the states of a client's checks within one transaction.
struct CheckStates {
    let plan: CheckPlan
    let sealer: Sealer
    let now: Date
    let transaction: any StoreTransaction
    var client: StoredClient
    private let cache = RecordCache()

    /// Nil where there is no such client.
    init?(
        _ id: RegisteredClientID, _ plan: CheckPlan, _ realm: Realm, at now: Date, in transaction: any StoreTransaction
    ) throws {
        guard let client = try transaction.client(id, sealer: realm.sealer, at: now, plan.memory) else { return nil }
        self.init(client, plan, realm, at: now, in: transaction)
    }

    /// - Parameter client: as it is in this transaction.
    init(
        _ client: StoredClient, _ plan: CheckPlan, _ realm: Realm, at now: Date, in transaction: any StoreTransaction
    ) {
        self.plan = plan
        sealer = realm.sealer
        self.now = now
        self.transaction = transaction
        self.client = client
    }

    /// Locks the client and the states of its checks, for who writes several of them.
    /// - Parameter account: the user of one of them.
    func reserve(for account: UserID? = nil) throws {
        let states = plan.checks.keys.map { ReservedRow.client(.checkState, digest($0)) }
        let users = [account].compactMap { $0 }.map { ReservedRow.user($0) }
        try transaction.reserve(Set(states + users + [.client(.registration, client.row.digest)]))
    }

    private func digest(_ check: String) -> Data {
        CheckRow.state(check, of: plan.owner(of: check, client.registration))
    }

    /// The state of a check. A state that no request asked for in time, whose user or ground no longer exists, or that
    /// cannot be read, counts as absent. A success that relied on one user's login does not count for another user.
    func record(_ name: String) throws -> CheckRecord { try judged(name).record }

    /// The same, with the end of the success that it is in; nil where it is in none.
    private func judged(_ name: String) throws -> (record: CheckRecord, end: Date?) {
        guard let check = plan.checks[name], let record = try stored(name) else { return (CheckRecord(), nil) }
        guard let end = success(of: record, check) else { return (record, nil) }
        if check.inactivityTimeout > 0, let accessedAt = record.accessedAt,
            now >= accessedAt + check.inactivityTimeout
        {
            return (CheckRecord(), nil)
        }
        guard try isStillTheirs(record), check.isStillGranted(in: try context(name, record)) else {
            let ended = ended(record, check)
            return (ended, success(of: ended, check))
        }
        return (record, end)
    }

    /// What is in the store, whatever it means now; nil where there is nothing that can be read.
    func stored(_ name: String) throws -> CheckRecord? {
        if let cached = cache.records[name] { return cached }
        let row = try transaction.clientRecord(.checkState, digest: digest(name))
        let record = row.flatMap { try? plan.memory.record(of: $0, sealer) }
        cache.rows[name] = .some(row)
        cache.records[name] = .some(record)
        return record
    }

    /// What was read in this transaction: a grant asks for each state several times, and opening one costs more than all
    /// that is asked of it.
    private final class RecordCache {
        /// Nil within is: there is nothing.
        var records: [String: CheckRecord?] = [:]
        /// The rows they are in.
        var rows: [String: ClientRecord?] = [:]
    }

    /// Whether the users who obtained this success are still the ones signed in.
    private func isStillTheirs(_ record: CheckRecord) throws -> Bool {
        if let user = record.user, try !isLiving(user.account, user.accountEpoch) { return false }
        for (other, known) in record.dependencyUsers {
            if try !isLiving(known.account, known.accountEpoch) { return false }
            if let present = try standing(other).user, present.id != known.id { return false }
        }
        return true
    }

    /// Whether an account is one that may act, and nothing has revoked its tokens since.
    func isLiving(_ account: UserID?, _ epoch: Int?) throws -> Bool {
        guard let account else { return true }
        guard let user = try transaction.user(account), !user.isDisabled else { return false }
        return epoch.map { $0 == user.tokenEpoch } ?? true
    }

    /// Whether the scope is open to an account with one factor, of which the realm requires two: no check of the scope asks for the other
    /// (docs/decisions/0468). Nothing is read for a scope of which each login is followed by one.
    /// - Parameter recognised: whom a check has recognised; nil where it has recognised no user.
    func lacksSecondFactor(_ recognised: (String) throws -> CheckRecord.Recognised?) throws -> Bool {
        if plan.unfollowedLogins.isEmpty { return false }
        let settings = try transaction.settings().secondFactors
        guard settings.isRequired || settings.isRequiredOfSome else { return false }
        return try plan.unfollowedLogins.contains { name in
            guard let user = try recognised(name), let account = user.account, user.provesTwoFactors != true else {
                return false
            }
            return try transaction.requiresSecondFactor(of: account, settings)
        }
    }

    /// The users that the checks this one depends on recognise now.
    func recognisedByDependencies(of name: String) throws -> [String: CheckRecord.Recognised] {
        try (plan.dependencies[name] ?? []).reduce(into: [:]) { known, other in
            known[other] = try standing(other).user.map(CheckRecord.Recognised.init)
        }
    }

    private func ended(_ record: CheckRecord, _ check: any SecurityCheck) -> CheckRecord {
        guard let check = check as? any CredentialsValidationSecurityCheck else { return CheckRecord() }
        var record = record
        CredentialsAttempts(limits: check.limits).logOut(&record, at: now)
        return record
    }

    /// Stores the state of a check until it means nothing any more. False where another request was first.
    /// - Parameter isEnding: whether refresh tokens of before are to be good no more, whatever the state says.
    func put(_ record: CheckRecord, of name: String, isEnding: Bool = false) throws -> Bool {
        guard let check = plan.checks[name] else { return false }
        let digest = digest(name)
        let known = try stored(name)
        let row = cache.rows[name] ?? nil
        let before = row == nil ? CheckRecord() : known
        cache.records[name] = nil
        cache.rows[name] = nil
        var record = record
        record.accessedAt = now
        record.lastUser = record.user?.id ?? before?.lastUser
        record.leftAt = record.leftAt ?? before?.leftAt
        record.check = name
        record.client = client.row.digest
        record.endsAt = success(of: record, check) ?? record.state.expiresAt(check.stateDurations)
        record.generation = before?.generation
        if isEnding || before.map({ ends($0, by: record, check) }) ?? true {
            record.generation = max(now.microseconds, (before?.generation ?? 0) + 1)
        }
        let expiresAt = expiry(of: record, name, check)
        let body = try sealer.seal(JSONEncoder().encode(record), for: .client(.checkState, digest), in: transaction)
        // What is known of an account goes with it.
        let account = record.user?.account ?? row?.userID
        if var row {
            row.userID = account
            row.expiresAt = expiresAt
            row.body = body
            return try transaction.update(row)
        }
        return try transaction.insert(
            ClientRecord(
                kind: .checkState, digest: digest, userID: account, createdAt: now, expiresAt: expiresAt, body: body))
    }

    /// Whether a success does not go on: it is over before its time, another user's, or blocked.
    private func ends(_ before: CheckRecord, by after: CheckRecord, _ check: any SecurityCheck) -> Bool {
        if success(of: before, check) != nil, success(of: after, check) == nil { return true }
        if let last = before.lastUser, let user = after.user, user.id != last { return true }
        func isBlocked(_ record: CheckRecord) -> Bool {
            record.state.current(check.stateDurations, at: now) == AttemptLimits.blocked
        }
        return check is any CredentialsValidationSecurityCheck && isBlocked(after) && !isBlocked(before)
    }

    /// When a state means nothing any more. What ended a success is kept for as long as a refresh token may live.
    private func expiry(of record: CheckRecord, _ name: String, _ check: any SecurityCheck) -> Date {
        let longest = check.stateDurations.values.map(ExternalizableState.bounded).max() ?? 0
        var end = max(now + max(longest, CredentialsAttempts.patience), record.grantedUntil ?? now)
        if plan.version.refreshTokens { end = max(end, now + RefreshFamily.memory) }
        if let generation = record.generation { end = max(end, Date(microseconds: generation) + RefreshFamily.memory) }
        if let leftAt = record.leftAt, let check = check as? any UserAuthenticationSecurityCheck {
            end = max(end, leftAt + ExternalizableState.bounded(check.rememberMeDuration))
        }
        return end
    }

    /// What a check gets to know.
    func context(_ name: String, _ record: CheckRecord) throws -> SecurityCheckContext {
        let check = plan.checks[name]
        var standings: [String: CheckStanding] = [:]
        for other in check?.dependencies ?? [] { standings[other] = try standing(other) }
        let registration = client.registration
        return SecurityCheckContext(
            name: name, scope: plan.elements[name] ?? [], now: now, device: registration.device,
            application: registration.application, registration: registration.context, fields: record.fields,
            user: record.user, state: record.state, durations: check?.stateDurations ?? [:], standings: standings)
    }

    /// Until when a check is in success; nil where it is not.
    private func success(of record: CheckRecord, _ check: any SecurityCheck) -> Date? {
        guard check is any CredentialsValidationSecurityCheck else {
            return record.grantedUntil.flatMap { $0 > now ? $0 : nil }
        }
        let durations = check.stateDurations
        return record.state.current(durations, at: now) == AttemptLimits.success
            ? record.state.expiresAt(durations) : nil
    }

    func standing(_ name: String) throws -> CheckStanding { try standingWithRecord(name).standing }

    /// The same with the state that it is made of, for who asks for both: to judge a state takes longer than to read it.
    func standingWithRecord(_ name: String) throws -> (standing: CheckStanding, record: CheckRecord) {
        let (record, end) = try judged(name)
        guard let end else { return (CheckStanding(), record) }
        return (CheckStanding(isSuccessful: true, expiresAt: end, user: record.user), record)
    }

    /// A user was recognised: what another user proved after the same check does not count for this one, nor do refresh tokens
    /// for it. Called before the check's own state is written.
    func endSuccesses(after name: String, of user: AuthenticatedUser) throws {
        let last = try stored(name)?.lastUser
        for other in plan.dependents[name] ?? [] {
            guard let check = plan.checks[other] else { continue }
            let record = try record(other)
            let person = record.dependencyUsers[name]?.id ?? record.person
            if success(of: record, check) != nil, person != user.id {
                _ = try put(ended(record, check), of: other, isEnding: true)
            } else if let last, last != user.id, try stored(other) != nil {
                _ = try put(record, of: other, isEnding: true)
            }
        }
    }

    /// The user that any check in success recognised last.
    /// - Parameter known: how checks stand that were asked in this transaction, since when nothing was written.
    func activeUser(_ known: [String: CheckStanding] = [:]) throws -> AuthenticatedUser? {
        try plan.names.compactMap { try (known[$0] ?? standing($0)).user }
            .max { $0.authenticatedAt < $1.authenticatedAt }
    }
}
