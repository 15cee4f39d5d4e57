import CountersignCore
import Foundation

/// What comes of credentials: the three steps of the door.
extension CheckJudging {
    private enum Charged: Sendable {
        /// In these counters, beside the client's own.
        case admitted([String])
        case blocked
        case conflict
        case limited(until: Date)
    }

    private enum Judged: Sendable {
        case right(AuthenticatedUser?, isRemembered: Bool)
        case wrong(String?, isKept: Bool)
        case undecided(String?)
        /// The check threw, or took too long.
        case impossible

        var isRight: Bool { if case .right = self { true } else { false } }
    }

    func judge(
        _ answer: JSONValue, by check: any CredentialsValidationSecurityCheck, _ name: String, _ observed: Observation
    ) async throws -> Step {
        let id = ChargeID(random: realm.random)
        let person = check.person(claimedBy: answer, in: observed.context)
        let attempt: CheckAttempt
        switch try await charge(check.limits, name, person, id) {
        case .admitted(let counters): attempt = CheckAttempt(nonce: id.name, person: person, counters: counters)
        case .blocked: return .outcome(.failure(CheckAuthorization.blocked))
        case .conflict: return .conflict
        case .limited(let until): return .limited(until: until)
        }
        let judged: Judged
        do {
            judged = try await limited { try await Self.ask(check, answer, observed.context) }
        } catch let error where Self.isOurs(error) {
            // Not looked at for a reason of ours. Where even this fails, the attempt lapses with the client's patience.
            try? await end(attempt, .returned, check.limits, name)
            throw error
        } catch {
            judged = .impossible
        }
        if case .undecided(let message) = judged {
            try await end(attempt, .returned, check.limits, name)
            return try await reply(check, name, observed, saying: message)
        }
        let settled: CheckReply?
        do {
            settled = try await settle(judged, check, name, attempt, observed)
        } catch {
            // The client is not told what it was: a right answer was no attempt, and a wrong one stays counted.
            try? await end(attempt, judged.isRight ? .returned : .kept, check.limits, name)
            throw error
        }
        return settled.map { outcome(of: $0, check, observed.context) } ?? .conflict
    }

    /// What was counted when an answer came.
    private struct CheckAttempt: Sendable {
        /// Names the attempt, in the client's record and in the counters.
        let nonce: String
        let person: String?
        /// The person's and the source's.
        let counters: [String]
    }

    /// The only place where a check gets to see credentials.
    private static func ask(
        _ check: any CredentialsValidationSecurityCheck, _ answer: JSONValue, _ context: SecurityCheckContext
    ) async throws -> Judged {
        if let check = check as? any UserAuthenticationSecurityCheck {
            switch try await check.authenticate(answer, in: context) {
            case .right(var user):
                user.authenticatedBy = context.name
                user.authenticatedAt = context.now
                return .right(user, isRemembered: check.remembers(user, credentials: answer))
            case .wrong(let message, let isKept): return .wrong(message, isKept: isKept)
            }
        }
        switch try await check.validate(answer, in: context) {
        case .right: return .right(nil, isRemembered: false)
        case .wrong(let message, let isKept): return .wrong(message, isKept: isKept)
        case .undecided(let message): return .undecided(message)
        }
    }

    /// Counts the attempt: for the client, for the person, for the source. Everything is asked before anything is counted.
    private func charge(
        _ limits: AttemptLimits, _ name: String, _ person: String?, _ id: ChargeID
    ) async throws -> Charged {
        let attempts = CredentialsAttempts(limits: limits)
        let (client, now, realm) = (client, now, realm)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await write { states -> Charged? in
            let transaction = states.transaction
            var record = try states.record(name)
            let present = record
            var isBlocked = false
            switch attempts.charge(&record, nonce: id.name, at: now) {
            case .admitted: break
            case .conflict: return .conflict
            case .blocked: isBlocked = true
            }
            var counters: [AttemptCounter] = []
            if !isBlocked, let person {
                let key = try CounterKey.person(person, check: name, realm.sealer, transaction)
                switch attempts.chargePerson(try transaction.counter(key), key: key, at: now, as: id.name) {
                case .admitted(let admitted): counters.append(admitted)
                case .blocked, .disabled:
                    isBlocked = true
                    record = present
                }
            }
            // What is not looked at counts against the source, too.
            let source = client.limitedSource.map { Allowance(.answersPerSource, CounterKey.answers(from: $0)) }
            switch try transaction.ask(
                [source].compactMap { $0 }, at: now, as: isBlocked ? nil : id.name, from: id.part)
            {
            case .admitted(let admitted): counters += admitted
            case .refused(_, let refusal): return .limited(until: refusal.instant)
            }
            if record != present, !(try states.put(record, of: name)) { return .conflict }
            try transaction.count(counters)
            guard isBlocked else { return .admitted(counters.map(\.key)) }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .answerRefused, userID: nil, context: client,
                    reason: Refusal.Reason.lockedOut.rawValue, details: Self.details(name)))
            return .blocked
        } ?? .conflict
    }

    /// Ends an attempt without a verdict.
    private func end(_ attempt: CheckAttempt, _ end: ChargeEnd, _ limits: AttemptLimits, _ name: String) async throws {
        _ = try await write { states -> Bool? in
            var record = try states.record(name)
            guard record.judging?.nonce == attempt.nonce else { return false }
            switch end {
            case .returned: CredentialsAttempts(limits: limits).takeBack(&record)
            case .kept: record.judging = nil
            }
            try states.transaction.end(attempt.nonce, in: attempt.counters, end)
            return try states.put(record, of: name)
        }
    }

    /// Where a client stands after its request.
    struct CheckReply: Sendable {
        let standing: CredentialsAttempts.Standing
        var message: String?
        var user: AuthenticatedUser?
        var isImpossible = false
    }

    /// Makes the verdict count, once. Nil where what was judged is no longer there: the client may send it again.
    private func settle(
        _ judged: Judged, _ check: any CredentialsValidationSecurityCheck, _ name: String, _ attempt: CheckAttempt,
        _ observed: Observation
    ) async throws -> CheckReply? {
        let attempts = CredentialsAttempts(limits: check.limits)
        let (client, now, realm) = (client, now, realm)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let remembers = (check as? any UserAuthenticationSecurityCheck).map { $0.rememberMeDuration > 0 } ?? false
        let blocked = {
            var registration = observed.context.registration
            check.block(&registration)
            return registration
        }()
        return try await write { states -> CheckReply? in
            let transaction = states.transaction
            var record = try states.record(name)
            guard record.judging?.nonce == attempt.nonce else { return nil }
            let account: UserID? = if case .right(let user, _) = judged { user?.account } else { nil }
            try states.reserve(for: account)
            guard observed.isStill(try states.context(name, record)) else {
                // Nobody learns what it would have been.
                attempts.takeBack(&record)
                try transaction.end(attempt.nonce, in: attempt.counters, .kept)
                _ = try states.put(record, of: name)
                return nil
            }
            let person = attempt.person
            let key = try person.map { try CounterKey.person($0, check: name, realm.sealer, transaction) }
            var registration = states.client.registration.context
            let reply: CheckReply
            switch judged {
            case .right(let user, let isRemembered):
                attempts.succeed(&record, at: now)
                record.person = person
                record.behind = try states.recognised(behind: name)
                if let user {
                    try states.endSuccesses(behind: name, of: user)
                    record.user = user
                    registration.registeredUser = user
                    if remembers {
                        RememberedUser.forget(in: &registration)
                        if isRemembered { RememberedUser.remember(in: &registration, at: now) }
                    }
                }
                if let key { try transaction.deleteCounter(key) }
                try transaction.end(attempt.nonce, in: attempt.counters, .returned)
                reply = CheckReply(standing: attempts.standing(&record, at: now), user: record.user)
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .securityCheckPassed, userID: user?.account, context: client,
                        details: Self.details(name)))
            case .wrong, .impossible, .undecided:
                var message: (text: String?, isKept: Bool) = (nil, false)
                if case .wrong(let text, let isKept) = judged { message = (text, isKept) }
                // Counted for good before the client learns of it, also where its charge has lapsed meanwhile.
                if let key, try !transaction.end(attempt.nonce, in: [key], .kept),
                    case .admitted(let counter) = attempts.chargePerson(try transaction.counter(key), key: key, at: now)
                {
                    try transaction.put(counter)
                }
                try transaction.end(attempt.nonce, in: attempt.counters, .kept)
                let left = try key.map { attempts.remaining(try transaction.counter($0), at: now) }
                if attempts.fail(&record, isLast: left == 0, at: now) { registration = blocked }
                var standing = attempts.standing(&record, at: now)
                if case .attempting(let remaining) = standing {
                    if message.isKept { record.message = message.text }
                    standing = .attempting(remaining: min(remaining, left ?? remaining))
                    // Where nobody is ever blocked, a person's own limit says so all the same.
                    if left == 0 { standing = .blocked }
                }
                var last = CheckReply(standing: standing, message: message.text)
                if case .impossible = judged { last.isImpossible = true }
                reply = last
                let reason = last.isImpossible ? "checkFailed" : Refusal.Reason.wrongAnswer.rawValue
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .answerRefused, userID: observed.context.knownUser?.account,
                        context: client, reason: reason, details: Self.details(name)))
            }
            guard try states.put(record, of: name), try states.putRegistration(registration) else { return nil }
            return reply
        }
    }

    // MARK: Nothing was answered

    /// What to say to a client that has sent no credentials.
    /// - Parameter message: for the challenge, in place of what is kept.
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
                    by: name, for: memory, in: &registration, since: states.kept(name)?.leftAt, at: now),
                try states.isLiving(user.account, user.accountEpoch)
            {
                attempts.succeed(&record, at: now)
                record.user = user
                record.behind = try states.recognised(behind: name)
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
                record.behind = try states.recognised(behind: name)
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

    private static func details(_ name: String) -> [String: JSONValue] {
        ["purpose": .string("security-check"), "check": .string(name)]
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
