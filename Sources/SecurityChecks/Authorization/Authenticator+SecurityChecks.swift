import CountersignCore
import Foundation

extension Authenticator {
    /// Judges a client by the checks of a scope, with its answers: the door of ``answer(_:to:by:)`` for checks.
    ///
    /// The checks are evaluated one after another, each after those that it depends on. Every answer is charged before the
    /// check judges it and settled afterwards; no transaction is open while it judges.
    public func authorize(
        _ inquiry: CheckInquiry, by checks: SecurityCheckCatalogue, from client: ClientContext
    ) async throws -> CheckAuthorizationOutcome {
        let judging: CheckJudging
        var first: CheckJudging.First?
        switch try await CheckJudging.begin(inquiry, checks, realm, client) {
        case .begun(let begun, let done): (judging, first) = (begun, done)
        case .refused(let outcome): return outcome
        }
        var result = CheckAuthorization()
        var rest = judging.plan.order
        var answers = inquiry.answers.filter { $0.value != .null }
        // A check that said nothing may have been waiting for one that it does not say that it depends on.
        for _ in 0..<2 where !rest.isEmpty {
            result.silent = []
            for name in rest {
                let answer = answers.removeValue(forKey: name)
                let step = try await judging.step(name, answer: answer, after: first)
                first = nil
                switch step {
                case .outcome(let outcome, let user): result.add(outcome, of: name, user: user, at: judging.now)
                case .conflict: return .conflict
                case .limited(let until): return .limited(until: until)
                }
            }
            rest = judging.plan.order.filter(result.silent.contains)
            if !result.challenges.isEmpty || !result.failures.isEmpty { break }
        }
        if result.challenges.isEmpty, result.failures.isEmpty {
            for name in result.silent { result.failures[name] = CheckAuthorization.unreachable }
        }
        return .decided(result)
    }
}

/// One inquiry on its way through its checks.
struct CheckJudging: Sendable {
    let inquiry: CheckInquiry
    let plan: CheckPlan
    let realm: Realm
    let client: ClientContext
    let catalogue: SecurityCheckCatalogue
    let now: Date

    enum Beginning {
        case begun(CheckJudging, First?)
        case refused(CheckAuthorizationOutcome)
    }

    /// What the first transaction did for the first check, beside reading the client.
    enum First: Sendable {
        case observed(Observation)
        case judged(Step)
    }

    enum Step: Sendable {
        case outcome(SecurityCheckOutcome, user: AuthenticatedUser? = nil)
        case conflict
        case limited(until: Date)
    }

    static func begin(
        _ inquiry: CheckInquiry, _ catalogue: SecurityCheckCatalogue, _ realm: Realm, _ client: ClientContext
    ) async throws -> Beginning {
        let now = realm.clock.now
        guard inquiry.answers.contains(where: { $0.value != .null && catalogue.immediate.contains($0.key) }) else {
            return try await realm.store.read {
                try begin(inquiry, catalogue, realm, client, at: now, door: nil, in: $0)
            }
        }
        do {
            return try await realm.authenticator.atOnce(at: now) { door, transaction in
                try begin(inquiry, catalogue, realm, client, at: now, door: door, in: transaction)
            }
        } catch is UndoneAttempt {
            return .refused(.conflict)
        }
    }

    /// - Parameter door: for a transaction that may judge.
    private static func begin(
        _ inquiry: CheckInquiry, _ catalogue: SecurityCheckCatalogue, _ realm: Realm, _ client: ClientContext,
        at now: Date, door: Authenticator.AtOnce?, in transaction: any StoreTransaction
    ) throws -> Beginning {
        let memory = catalogue.memory
        guard let found = try transaction.client(inquiry.client, sealer: realm.sealer, at: now, memory) else {
            return .refused(.refused(.unknownClient))
        }
        let version = try transaction.version(of: found.registration.application, memory)
        if let refusal = transaction.refusal(of: found.registration, by: version) { return .refused(.refused(refusal)) }
        guard let version else { return .refused(.refused(.unknownApplication)) }
        guard let plan = memory.plan(inquiry.scope, of: found.registration.application, version, in: catalogue) else {
            return .refused(.unknownScope)
        }
        let judging = CheckJudging(
            inquiry: inquiry, plan: plan, realm: realm, client: client, catalogue: catalogue, now: now)
        guard let name = plan.order.first else { return .begun(judging, nil) }
        let states = CheckStates(found, plan, realm, at: now, in: transaction)
        let observed = try Observation(of: name, in: states)
        if let door, plan.order.count == 1, let answer = inquiry.answers[name], answer != .null,
            let check = plan.checks[name] as? any ImmediateSecurityCheck, !(check is any ChallengePreparing),
            check.need(in: observed.context) == .asked
        {
            let step = try judging.judge(answer, atOnce: check, name, observed, states, door: door)
            return .begun(judging, .judged(step))
        }
        return .begun(judging, .observed(observed))
    }

    /// How often a check is asked again because what it was asked about changed.
    private static let maximumRounds = 3

    /// - Parameter first: what the first transaction has done for this check.
    func step(_ name: String, answer: JSONValue?, after first: First? = nil) async throws -> Step {
        if case .judged(let step)? = first { return step }
        guard let check = plan.checks[name] else { return .outcome(.silent) }
        guard let check = check as? any CredentialsValidationSecurityCheck else {
            return try await evaluate(check, name)
        }
        let known: Observation? =
            if case .observed(let observation)? = first { observation } else { try await observe(name) }
        guard let observed = known else { return .conflict }
        switch check.need(in: observed.context) {
        case .notYet: return .outcome(.silent)
        case .alreadyProven: return try await pass(check, name, observed)
        case .asked: break
        }
        let step =
            if let answer { try await judge(answer, by: check, name, observed) } else {
                try await reply(check, name, observed)
            }
        guard case .outcome(.challenge(let data), let user) = step, let check = check as? any ChallengePreparing,
            let context = try await prepare(check, name, isAnew: answer != nil && check.takesOneAnswer)
        else { return step }
        return .outcome(.challenge(data.merging(check.prepared(in: context)) { $1 }), user: user)
    }

    private static let prepared = "countersign-prepared"

    /// Has a check do what its challenge takes, once for each window of trying, however many requests come at the same time.
    /// - Parameter isAnew: whether the challenge of before was used up.
    /// - Returns: what the check knows after it; nil where there is no window, or nothing could be prepared.
    private func prepare(
        _ check: any ChallengePreparing, _ name: String, isAnew: Bool
    ) async throws -> SecurityCheckContext? {
        let nonce = JSONValue.string(realm.random.bytes(12).base64URL)
        let attempts = CredentialsAttempts(limits: check.limits)
        let now = now
        let claimed = try await write { states -> (context: SecurityCheckContext, isFirst: Bool)? in
            var record = try states.record(name)
            guard attempts.state(of: record, at: now) == AttemptLimits.attempting else { return nil }
            guard isAnew || record.fields[Self.prepared] == nil else {
                return (try states.context(name, record), false)
            }
            record.fields[Self.prepared] = nonce
            guard try states.put(record, of: name) else { return nil }
            return (try states.context(name, record), true)
        }
        guard let claimed else { return nil }
        guard claimed.isFirst else { return claimed.context }
        let context: SecurityCheckContext
        do {
            context = try await limited {
                var context = claimed.context
                try await check.prepare(&context)
                return context
            }
        } catch let error where Self.isOurs(error) {
            throw error
        } catch {
            // Without its challenge no answer is right: the next window is another chance.
            return nil
        }
        _ = try await write { states -> Bool? in
            var record = try states.record(name)
            guard record.fields[Self.prepared] == nonce else { return false }
            record.fields = context.fields
            record.fields[Self.prepared] = nonce
            return try states.put(record, of: name)
        }
        return context
    }

    /// What is stored of a check for the client, and what the check gets to know.
    struct Observation: Sendable {
        let record: CheckRecord
        let context: SecurityCheckContext
        var dependencyUsers: [String: CheckRecord.Recognised] = [:]

        init(
            record: CheckRecord, context: SecurityCheckContext, dependencyUsers: [String: CheckRecord.Recognised] = [:]
        ) {
            (self.record, self.context, self.dependencyUsers) = (record, context, dependencyUsers)
        }

        init(of name: String, in states: CheckStates) throws {
            record = try states.record(name)
            context = try states.context(name, record)
            dependencyUsers = try states.recognisedByDependencies(of: name)
        }

        /// Whether what a check went by is still so.
        func isStill(_ context: SecurityCheckContext) -> Bool {
            self.context.registration == context.registration && self.context.standings == context.standings
        }
    }

    func observe(_ name: String) async throws -> Observation? {
        try await read { try Observation(of: name, in: $0) }
    }

    /// Nil where the client was removed.
    func read<T: Sendable>(_ body: @escaping @Sendable (CheckStates) throws -> T?) async throws -> T? {
        let (id, plan, realm, now) = (inquiry.client, plan, realm, now)
        return try await realm.store.read { transaction in
            guard let states = try CheckStates(id, plan, realm, at: now, in: transaction) else { return nil }
            return try body(states)
        }
    }

    /// Nil where the client was removed, or not served any more.
    func write<T: Sendable>(_ body: @escaping @Sendable (inout CheckStates) throws -> T?) async throws -> T? {
        return try await realm.store.write { transaction in
            guard var states = try self.states(in: transaction) else { return nil }
            return try body(&states)
        }
    }

    /// For a transaction that writes; nil where the client was removed, or not served any more.
    func states(in transaction: any StoreTransaction) throws -> CheckStates? {
        guard let states = try CheckStates(inquiry.client, plan, realm, at: now, in: transaction),
            try transaction.refusal(
                of: states.client.registration,
                by: transaction.version(of: states.client.registration.application, plan.memory)) == nil
        else { return nil }
        return states
    }

    // MARK: Checks that ask for nothing

    private func evaluate(_ check: any SecurityCheck, _ name: String) async throws -> Step {
        for _ in 0..<Self.maximumRounds {
            guard let observed = try await observe(name) else { return .conflict }
            var evaluated: Evaluated
            do {
                evaluated = try await limited {
                    var context = observed.context
                    let outcome = try await check.authorize(&context)
                    return Evaluated(outcome: outcome, context: context)
                }
            } catch let error where Self.isOurs(error) {
                throw error
            } catch {
                return .outcome(.failure(CheckAuthorization.impossible))
            }
            var record = observed.record
            record.state = evaluated.context.state
            record.fields = evaluated.context.fields
            record.user = evaluated.context.user
            record.grantedUntil = nil
            record.dependencyUsers = [:]
            if case .success(let data, let end) = evaluated.outcome, end > now {
                let end = min(end, now + TimeInterval(SecurityCheckConfiguration.longestDuration))
                evaluated.outcome = .success(data, expiresAt: end)
                record.grantedUntil = end
                record.dependencyUsers = observed.dependencyUsers
            }
            let user = record.user
            if record == observed.record && evaluated.context.registration == observed.context.registration {
                try await touch(check, name, record)
                return .outcome(evaluated.outcome, user: user)
            }
            let (updated, decided) = (record, evaluated)
            let isWritten = try await write { states -> Bool? in
                let present = try states.record(name)
                guard present == observed.record, observed.isStill(try states.context(name, present)) else {
                    return false
                }
                try states.reserve(for: updated.user?.account)
                guard try states.put(updated, of: name) else { return false }
                return try states.putRegistration(decided.context.registration)
            }
            if isWritten == true { return .outcome(decided.outcome, user: user) }
        }
        return .conflict
    }

    private struct Evaluated: Sendable {
        var outcome: SecurityCheckOutcome
        let context: SecurityCheckContext
    }

    /// Remembers that a success was asked for, where that keeps it alive.
    func touch(_ check: any SecurityCheck, _ name: String, _ record: CheckRecord) async throws {
        guard check.inactivityTimeout > 0, let accessedAt = record.accessedAt,
            now >= accessedAt + check.inactivityTimeout / 10
        else { return }
        _ = try await write { states in
            let present = try states.record(name)
            return try present == record && states.put(present, of: name)
        }
    }

    // MARK: A developer's code

    func limited<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let permits = catalogue.permits
        try permits.take()
        return try await withTimeLimit(catalogue.timeLimit) {
            defer { permits.leave() }
            return try await body()
        }
    }

    /// Our own failures, which are thrown. All else is a check that could not be made.
    static func isOurs(_ error: any Error) -> Bool {
        error is StoreError || error is PasswordHashingOverload || error is CancellationError
    }
}

extension CheckStates {
    /// Writes what a check made of the registration. False where another request was first.
    mutating func putRegistration(_ context: RegistrationContext) throws -> Bool {
        guard context != client.registration.context else { return true }
        client.registration.context = context
        client.registration.seenAt = now
        return try transaction.update(client, sealer: sealer, at: now)
    }
}
