import CountersignCore
import Foundation

/// Where a client stands after its request.
struct CheckReply: Sendable {
    let standing: CredentialsAttempts.Standing
    var message: String?
    var user: AuthenticatedUser?
    var isImpossible = false
}

extension CheckJudging {
    func judge(
        _ credentials: JSONValue, by check: any CredentialsValidationSecurityCheck, _ name: String,
        _ observed: Observation
    ) async throws -> Step {
        let attempt = CredentialsAttempt(credentials, by: check, name, observed, in: self)
        switch try await realm.authenticator.attempt(attempt) {
        case .decided(let reply): return outcome(of: reply, check, observed.context)
        case .undecided(let message): return try await reply(check, name, observed, saying: message)
        case .blocked: return .outcome(.failure(CheckAuthorization.blocked))
        case .conflict: return .conflict
        case .limited(let until): return .limited(until: until)
        }
    }

    /// Judges the answer in the transaction in which everything about it was read.
    func judge(
        _ credentials: JSONValue, atOnce check: any ImmediateSecurityCheck, _ name: String, _ observed: Observation,
        _ states: CheckStates, door: Authenticator.AtOnce
    ) throws -> Step {
        let attempt = CredentialsAttempt(credentials, by: check, name, observed, in: self, eventID: door.eventID)
        var (states, charged) = (states, observed.record)
        let outcome = try door.attempt(
            attempt, admission: attempt.admission(of: &charged, door.chargeName, states), in: states.transaction,
            settle: { judgement in try attempt.settle(judgement, charged, &states) })
        switch outcome {
        case .decided(let reply): return self.outcome(of: reply, check, observed.context)
        // Another answer is being judged, by a server that takes longer for it; or nothing may be judged.
        case .conflict: return .conflict
        case .blocked: return .outcome(.failure(CheckAuthorization.blocked))
        case .limited(let until): return .limited(until: until)
        case .undecided(let message):
            return self.outcome(
                of: CheckReply(standing: attempt.standing(of: &charged), message: message), check, observed.context)
        }
    }

    // MARK: Nothing was answered

    /// What to say to a client that has sent no credentials.
    /// - Parameter message: for the challenge, in place of the stored one.
    func reply(
        _ check: any CredentialsValidationSecurityCheck, _ name: String, _ observed: Observation,
        saying message: String? = nil
    ) async throws -> Step {
        let attempts = CredentialsAttempts(limits: check.limits)
        let person = check.person(claimedBy: nil, in: observed.context)
        let memory = (check as? any UserAuthenticationSecurityCheck)?.rememberMeDuration ?? 0
        let (now, realm) = (now, realm)
        let find: @Sendable (CheckStates) throws -> Lookup = { states in
            var record = try states.record(name)
            let present = record
            var registration = states.client.registration.context
            if memory > 0, record.judging == nil,
                attempts.state(of: record, at: now) == ExternalizableState.expired,
                let user = try RememberedUser.recall(
                    by: name, for: memory, in: &registration, since: states.stored(name)?.leftAt, at: now),
                try states.isLiving(user.account, user.accountEpoch)
            {
                attempts.succeed(&record, at: now)
                record.user = user
                record.dependencyUsers = try states.recognisedByDependencies(of: name)
            }
            var standing = attempts.standing(&record, at: now)
            if case .attempting(let remaining) = standing, let person {
                let key = try CounterKey.person(person, check: name, realm.sealer, states.transaction)
                let left = attempts.remaining(try states.transaction.counter(key), at: now)
                standing = left == 0 ? .blocked : .attempting(remaining: min(remaining, left))
            }
            return Lookup(
                reply: CheckReply(standing: standing, message: message ?? record.message, user: record.user),
                record: record,
                registration: registration,
                isChanged: record != present || registration != states.client.registration.context)
        }
        guard let found = try await read(find) else { return .conflict }
        guard found.isChanged else {
            if case .success = found.reply.standing { try await touch(check, name, found.record) }
            return outcome(of: found.reply, check, observed.context)
        }
        let reply = try await write { states -> CheckReply? in
            let found = try find(states)
            try states.reserve(for: found.record.user?.account)
            guard try states.put(found.record, of: name), try states.putRegistration(found.registration) else {
                return nil
            }
            return found.reply
        }
        return reply.map { outcome(of: $0, check, observed.context) } ?? .conflict
    }

    private struct Lookup: Sendable {
        let reply: CheckReply
        let record: CheckRecord
        let registration: RegistrationContext
        let isChanged: Bool
    }

    /// In success without being asked.
    func pass(_ check: any CredentialsValidationSecurityCheck, _ name: String, _ observed: Observation) async throws
        -> Step
    {
        let attempts = CredentialsAttempts(limits: check.limits)
        let person = check.person(claimedBy: nil, in: observed.context)
        let now = now
        let reply = try await write { states -> CheckReply? in
            var record = try states.record(name)
            guard observed.isStill(try states.context(name, record)) else { return nil }
            if attempts.state(of: record, at: now) != AttemptLimits.success {
                attempts.succeed(&record, at: now)
                record.person = person
                record.dependencyUsers = try states.recognisedByDependencies(of: name)
                guard try states.put(record, of: name) else { return nil }
            }
            return CheckReply(standing: attempts.standing(&record, at: now), user: record.user)
        }
        return reply.map { outcome(of: $0, check, observed.context) } ?? .conflict
    }

    private func outcome(
        of reply: CheckReply, _ check: any CredentialsValidationSecurityCheck, _ context: SecurityCheckContext
    ) -> Step {
        if reply.isImpossible { return .outcome(.failure(CheckAuthorization.impossible)) }
        switch reply.standing {
        case .success(let end):
            return .outcome(.success(check.successData(in: context), expiresAt: end), user: reply.user)
        case .blocked: return .outcome(.failure(CheckAuthorization.blocked))
        case .attempting(let remaining):
            let attempt = AttemptStanding(remainingAttempts: remaining, message: reply.message)
            return .outcome(.challenge(check.challenge(attempt, in: context)))
        }
    }
}

extension CounterKey {
    /// Wrong answers to a check for one person, from whatever client.
    static func person(
        _ person: String, check: String, _ sealer: Sealer, _ transaction: any StoreTransaction
    ) throws -> String {
        "security-check/\(check)/\(try sealer.digest(person, for: "security-check", in: transaction).hex)"
    }
}
