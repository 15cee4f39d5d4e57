import CountersignCore
import Foundation

/// The stored state of a check for one client, sealed. Every later member has a default.
///
/// Shapes so far: version 1, `{"version","state","usedAttempts","fields","message"?,"judging"?,"user"?,"accessedAt"?,
/// "grantedUntil"?,"person"?,"behind"?,"era"?,"lastUser"?,"leftAt"?}`.
struct CheckRecord: Sendable, Equatable, Codable {
    var version = 1
    var state = ExternalizableState()
    /// Attempts counted in this state, judged or not.
    var usedAttempts = 0
    var fields: [String: JSONValue] = [:]
    /// What later challenges repeat.
    var message: String?
    /// The attempt that is being judged.
    var judging: Judging?
    var user: AuthenticatedUser?
    var accessedAt: Date?
    /// Of a check that asks for nothing: until when it has granted.
    var grantedUntil: Date?
    /// Whose secret the success was obtained with, where a person was named.
    var person: String?
    /// The users that the checks this one depends on had recognised at the success, by the checks' names.
    var dependencyUsers: [String: Recognised] = [:]
    /// Names the time since a success was last ended by something else than its own end; nil where none ever was. Kept for as
    /// long as a refresh token of before could live.
    var generation: Int64?
    /// The id of the user that this check recognised last.
    var lastUser: String?
    /// When the device's applications logged out together: users remembered since before that do not count.
    var leftAt: Date?
    /// The check, and the digest of the client that was in front of it last: for administrators, who look without the checks.
    var check: String?
    var client: Data?
    /// When the state is over, as the check was set up when it was written.
    var endsAt: Date?

    /// A user, as far as it takes to recognise the same one again.
    struct Recognised: Sendable, Equatable, Codable {
        var id: String
        var account: UserID?
        var accountEpoch: Int?
        var provesTwoFactors: Bool?

        init(_ user: AuthenticatedUser) {
            (id, account, accountEpoch) = (user.id, user.account, user.accountEpoch)
            provesTwoFactors = user.provesTwoFactors
        }
    }

    struct Judging: Sendable, Equatable, Codable {
        var nonce: String
        var since: Date

        private enum CodingKeys: String, CodingKey {
            case nonce = "lot"
            case since
        }
    }

    private enum CodingKeys: String, CodingKey {
        case version, state, usedAttempts, fields, message, judging, user, accessedAt, grantedUntil, person
        case dependencyUsers = "behind"
        case generation = "era"
        case lastUser, leftAt, check, client, endsAt
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        state = try members.decodeIfPresent(ExternalizableState.self, forKey: .state) ?? ExternalizableState()
        usedAttempts = try members.decodeIfPresent(Int.self, forKey: .usedAttempts) ?? 0
        fields = try members.decodeIfPresent([String: JSONValue].self, forKey: .fields) ?? [:]
        message = try members.decodeIfPresent(String.self, forKey: .message)
        judging = try members.decodeIfPresent(Judging.self, forKey: .judging)
        user = try members.decodeIfPresent(AuthenticatedUser.self, forKey: .user)
        accessedAt = try members.decodeIfPresent(Date.self, forKey: .accessedAt)
        grantedUntil = try members.decodeIfPresent(Date.self, forKey: .grantedUntil)
        person = try members.decodeIfPresent(String.self, forKey: .person)
        dependencyUsers = try members.decodeIfPresent([String: Recognised].self, forKey: .dependencyUsers) ?? [:]
        generation = try members.decodeIfPresent(Int64.self, forKey: .generation)
        lastUser = try members.decodeIfPresent(String.self, forKey: .lastUser)
        leftAt = try members.decodeIfPresent(Date.self, forKey: .leftAt)
        check = try members.decodeIfPresent(String.self, forKey: .check)
        client = try members.decodeIfPresent(Data.self, forKey: .client)
        endsAt = try members.decodeIfPresent(Date.self, forKey: .endsAt)
    }
}

/// The state machine of a check that asks for something: pure, so that it can be tested and run within transactions.
///
/// The rules are those of the original (MobileFirst Foundation, CredentialsValidationSecurityCheck) with one difference:
/// the attempt is counted before it is judged. One answer at a time is judged; another one that comes meanwhile has to come again.
struct CredentialsAttempts: Sendable {
    let limits: AttemptLimits

    /// Seconds after which an answer that is being judged is taken for lost. The client does not learn what it was, so it was no
    /// attempt.
    static let patience: TimeInterval = 60

    /// What counting an attempt led to.
    enum Charge: Sendable, Equatable {
        case admitted
        /// Nothing is judged now.
        case blocked
        /// Another answer is being judged.
        case conflict
    }

    private typealias Name = AttemptLimits

    func state(of record: CheckRecord, at now: Date) -> String { record.state.current(limits.durations, at: now) }

    func remaining(_ record: CheckRecord, at now: Date) -> Int {
        state(of: record, at: now) == Name.attempting
            ? max(0, limits.maxAttempts - record.usedAttempts) : limits.maxAttempts
    }

    /// Enters a state. The count begins again, as in the original even where the state was this one already.
    private func enter(_ name: String, _ record: inout CheckRecord, at now: Date) {
        // The three names are declared: nothing is thrown.
        try? record.state.set(name, limits.durations, at: now)
        record.usedAttempts = 0
        record.message = nil
        if name != Name.success {
            record.fields = [:]
            record.user = nil
            record.person = nil
            record.dependencyUsers = [:]
        }
    }

    /// Attempts that are used up block, which shows with the next look (the limit may have been lowered meanwhile).
    func normalize(_ record: inout CheckRecord, at now: Date) {
        if let judging = record.judging, judging.since + Self.patience <= now || judging.since > now {
            takeBack(&record)
        }
        guard record.judging == nil, record.usedAttempts >= limits.maxAttempts,
            [Name.attempting, Name.success].contains(state(of: record, at: now))
        else { return }
        enter(Name.blocked, &record, at: now)
    }

    /// Counts the attempt, before it is judged.
    func charge(_ record: inout CheckRecord, nonce: String, at now: Date) -> Charge {
        normalize(&record, at: now)
        if record.judging != nil { return .conflict }
        switch state(of: record, at: now) {
        case Name.blocked: return .blocked
        case Name.attempting, Name.success: break
        default: enter(Name.attempting, &record, at: now)
        }
        record.usedAttempts += 1
        record.judging = CheckRecord.Judging(nonce: nonce, since: now)
        return .admitted
    }

    /// Takes a charge back: the answer was not judged, or was right and could not be made to count.
    func takeBack(_ record: inout CheckRecord) {
        record.judging = nil
        record.usedAttempts = max(0, record.usedAttempts - 1)
    }

    /// The answer was right.
    func succeed(_ record: inout CheckRecord, at now: Date) {
        record.judging = nil
        enter(Name.success, &record, at: now)
    }

    /// The answer was wrong, or could not be judged. True where this was the last one.
    /// - Parameter isLast: whether it is the last one for another reason.
    func fail(_ record: inout CheckRecord, message: String? = nil, isLast: Bool = false, at now: Date) -> Bool {
        record.judging = nil
        if state(of: record, at: now) != Name.attempting {
            // A success is over with the first wrong answer; a window that ended meanwhile begins again with this one.
            enter(Name.attempting, &record, at: now)
            record.usedAttempts = 1
        }
        let isUsedUp = isLast || record.usedAttempts >= limits.maxAttempts
        if isUsedUp { enter(Name.blocked, &record, at: now) } else { record.message = message }
        return isUsedUp
    }

    /// What to say now. Trying begins with the first challenge.
    func standing(_ record: inout CheckRecord, at now: Date) -> Standing {
        normalize(&record, at: now)
        switch state(of: record, at: now) {
        case Name.success: return .success(expiresAt: record.state.expiresAt(limits.durations) ?? now)
        case Name.blocked: return .blocked
        case Name.attempting: break
        default: enter(Name.attempting, &record, at: now)
        }
        return .attempting(remaining: max(0, limits.maxAttempts - record.usedAttempts))
    }

    enum Standing: Sendable, Equatable {
        case success(expiresAt: Date)
        case blocked
        case attempting(remaining: Int)
    }

    /// Ends a success. Wrong answers stay counted and a blocked client stays blocked: logging out gives no fresh tries. An answer
    /// that is being judged comes too late.
    func logOut(_ record: inout CheckRecord, at now: Date) {
        normalize(&record, at: now)
        let isJudging = record.judging != nil
        record.judging = nil
        guard state(of: record, at: now) == Name.success else { return }
        record = CheckRecord()
        guard isJudging else { return }
        enter(Name.attempting, &record, at: now)
        record.usedAttempts = 1
    }

    /// What one person's wrong answers cost, from whatever client. A check that blocks no client slows guessing down all the
    /// same.
    /// - Parameter charge: names the attempt, which is open until it is settled.
    func chargePerson(
        _ counter: AttemptCounter?, key: String, at now: Date, as charge: String? = nil
    ) -> LockoutPolicy.Charge {
        guard limits.blockedStateExpiration > 0 else {
            return LockoutPolicy.password.charge(counter, key: key, at: now, as: charge)
        }
        var counter = counter ?? AttemptCounter(key: key, since: now)
        counter.dropLapsed(at: now)
        if let until = counter.blockedUntil {
            if until > now { return .blocked(until: until) }
            counter = AttemptCounter(key: key, since: now)
        } else if now >= counter.since + ExternalizableState.bounded(limits.attemptingStateExpiration) {
            counter = AttemptCounter(key: key, since: now)
        }
        let isLast = counter.count + 1 >= limits.maxAttempts
        counter.add(
            charge, at: now,
            blocksUntil: isLast ? now + ExternalizableState.bounded(limits.blockedStateExpiration) : nil)
        return .admitted(counter)
    }

    /// Tries that a person has left.
    func remaining(_ counter: AttemptCounter?, at now: Date) -> Int {
        guard var counter else { return limits.maxAttempts }
        counter.dropLapsed(at: now)
        if let until = counter.blockedUntil, until > now { return 0 }
        guard limits.blockedStateExpiration > 0, counter.blockedUntil == nil,
            now < counter.since + ExternalizableState.bounded(limits.attemptingStateExpiration)
        else { return limits.maxAttempts }
        return max(0, limits.maxAttempts - counter.count)
    }
}
