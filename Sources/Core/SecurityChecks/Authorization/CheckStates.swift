import Foundation

/// Reads and writes the states of a client's checks within one transaction.
struct CheckStates {
    let plan: CheckPlan
    let sealer: Sealer
    let now: Date
    let transaction: any StoreTransaction
    var client: KeptClient

    /// Nil where there is no such client.
    init?(
        _ id: RegisteredClientID, _ plan: CheckPlan, _ realm: Realm, at now: Date, in transaction: any StoreTransaction
    ) throws {
        guard let client = try transaction.client(id, sealer: realm.sealer, at: now) else { return nil }
        self.plan = plan
        sealer = realm.sealer
        self.now = now
        self.transaction = transaction
        self.client = client
    }

    private func digest(_ check: String) -> Data {
        CheckRow.state(check, of: plan.owner(of: check, client.registration))
    }

    /// The state of a check. What nobody asked for in time, is of somebody who is gone, or cannot be read, is as if it had
    /// never been.
    func record(_ name: String) throws -> CheckRecord {
        guard let row = try transaction.flow(digest: digest(name)), let check = plan.checks[name] else {
            return CheckRecord()
        }
        let plain = try sealer.open(row.body, for: .flow(row.digest))
        guard let record = try? JSONDecoder().decode(CheckRecord.self, from: plain) else { return CheckRecord() }
        if check.inactivityTimeout > 0, success(of: record, check) != nil, let accessedAt = record.accessedAt,
            now >= accessedAt + check.inactivityTimeout
        {
            return CheckRecord()
        }
        if let account = record.user?.account {
            guard let present = try transaction.user(account), !present.isDisabled else { return CheckRecord() }
        }
        return record
    }

    /// Keeps the state of a check until it means nothing any more. False where somebody else was quicker.
    func put(_ record: CheckRecord, of name: String) throws -> Bool {
        guard let check = plan.checks[name] else { return false }
        var record = record
        record.accessedAt = now
        let longest = check.stateDurations.values.max() ?? 0
        let digest = digest(name)
        let expiresAt = max(now + max(longest, CredentialsAttempts.patience), record.grantedUntil ?? now)
        let body = try sealer.seal(JSONEncoder().encode(record), for: .flow(digest), in: transaction)
        if var row = try transaction.flow(digest: digest) {
            row.expiresAt = expiresAt
            row.body = body
            return try transaction.update(row)
        }
        return try transaction.insert(
            FlowRecord(
                digest: digest, userID: nil, purpose: CheckRow.statePurpose, createdAt: now, expiresAt: expiresAt,
                body: body))
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

    func standing(_ name: String) throws -> CheckStanding {
        guard let check = plan.checks[name] else { return CheckStanding() }
        let record = try record(name)
        guard let end = success(of: record, check) else { return CheckStanding() }
        return CheckStanding(isSuccessful: true, expiresAt: end, user: record.user)
    }

    /// Somebody was recognised: what another has proven behind the same check does not stand for them.
    func endSuccesses(behind name: String, of user: AuthenticatedUser) throws {
        for other in plan.dependents[name] ?? [] {
            guard let check = plan.checks[other] as? any CredentialsValidationSecurityCheck else { continue }
            var record = try record(other)
            guard success(of: record, check) != nil, record.person != user.id else { continue }
            CredentialsAttempts(limits: check.limits).logOut(&record, at: now)
            _ = try put(record, of: other)
        }
    }

    /// Whoever was recognised last by any check in success.
    func activeUser() throws -> AuthenticatedUser? {
        try plan.checks.keys.sorted().compactMap { try standing($0).user }
            .max { $0.authenticatedAt < $1.authenticatedAt }
    }
}
