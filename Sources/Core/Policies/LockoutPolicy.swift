import Foundation

/// How long an authenticator waits after wrong answers, and when it stops altogether.
///
/// The count is per authenticator, so that guessing one factor does not lock the rightful user out of another; a right
/// answer sets it back to nothing.
public struct LockoutPolicy: Sendable, Equatable {
    /// Wrong answers in a row before the first wait.
    public var freeAttempts: Int
    /// Seconds of the first wait; each further wrong answer doubles it.
    public var firstWait: TimeInterval
    /// Seconds beyond which a wait does not grow.
    public var longestWait: TimeInterval
    /// Wrong answers in a row after which nothing is looked at until somebody resets the authenticator.
    public var disabledAfter: Int?

    public init(freeAttempts: Int, firstWait: TimeInterval, longestWait: TimeInterval, disabledAfter: Int? = nil) {
        self.freeAttempts = freeAttempts
        self.firstWait = firstWait
        self.longestWait = longestWait
        self.disabledAfter = disabledAfter
    }

    /// Codes of six digits: five, then 30 s doubling to an hour; at 100 the factor is disabled (NIST SP 800-63B-4,
    /// section 3.2.2, allows no more than 100 in a row).
    public static let oneTimeCode = LockoutPolicy(
        freeAttempts: 5, firstWait: 30, longestWait: 3600, disabledAfter: 100)
    /// Passwords: ten, then 30 s doubling to a quarter of an hour. Never disabled: whoever knows an address could lock
    /// its owner out.
    public static let password = LockoutPolicy(freeAttempts: 10, firstWait: 30, longestWait: 900)
    /// A mailed code: five, then it is dead; another can be sent.
    public static let mailedCode = LockoutPolicy(freeAttempts: 5, firstWait: 0, longestWait: 0, disabledAfter: 5)

    /// What a charge says.
    public enum Charge: Sendable, Equatable {
        /// The answer may be looked at; the counter is to be kept first.
        case admitted(AttemptCounter)
        /// Not before this instant.
        case blocked(until: Date)
        /// Not until somebody resets the authenticator.
        case disabled
    }

    /// Counts one attempt, before anybody looks at the answer.
    public func charge(_ counter: AttemptCounter?, key: String, at now: Date) -> Charge {
        var counter = counter ?? AttemptCounter(key: key, since: now)
        if let disabledAfter, counter.count >= disabledAfter { return .disabled }
        if let blockedUntil = counter.blockedUntil, blockedUntil > now { return .blocked(until: blockedUntil) }
        counter.count += 1
        counter.blockedUntil = nil
        if counter.count >= freeAttempts, firstWait > 0 {
            let doublings = Double(min(counter.count - freeAttempts, 32))
            counter.blockedUntil = now + min(firstWait * pow(2, doublings), longestWait)
        }
        return .admitted(counter)
    }

    /// The counter without one attempt that was charged and then could not be looked at. A wait that it began stays
    /// where there had been waits before: another attempt may have begun one meanwhile.
    func takingBack(_ counter: AttemptCounter) -> AttemptCounter {
        var counter = counter
        counter.count = max(0, counter.count - 1)
        if counter.count < freeAttempts { counter.blockedUntil = nil }
        return counter
    }
}

/// So many in so long: for what is not an answer (mails, sign-ups), and for answers from one address.
public struct RateLimit: Sendable, Equatable {
    public var count: Int
    /// Seconds.
    public var window: TimeInterval

    public init(count: Int, window: TimeInterval) {
        self.count = count
        self.window = window
    }

    /// Wrong answers from one source address.
    public static let answersPerSource = RateLimit(count: 100, window: 600)
    /// Accounts made from one source address.
    public static let signUpsPerSource = RateLimit(count: 100, window: 3600)
    /// Sign-ins and resets, step by step, that one source address begins. Each is a row, whoever it is of.
    public static let attemptsPerSource = RateLimit(count: 600, window: 600)
    /// Mails to one address.
    public static let mailsPerAddress = RateLimit(count: 20, window: 3600)
    /// Mails asked for by one source address.
    public static let mailsPerSource = RateLimit(count: 200, window: 3600)

    /// Mails to one user about changes of the account; see ``AccountNotice``.
    static let noticesPerUser = RateLimit(count: 10, window: 3600)

    /// New passwords of one user that came to nothing, each of which may tell whether the user had it before.
    public static let newPasswordsPerUser = RateLimit(count: 10, window: 3600)

    /// Requests to the devices of one user.
    public static let pushesPerUser = RateLimit(count: 5, window: 60)

    /// Enrolments begun with one invitation, or in one sign-in.
    public static let offersPerTicket = RateLimit(count: 30, window: 3600)

    /// Counts one; answers the counter to keep, or the instant from which it is worth trying again.
    public func charge(_ counter: AttemptCounter?, key: String, at now: Date) -> LockoutPolicy.Charge {
        var counter = counter ?? AttemptCounter(key: key, since: now)
        if now >= counter.since + window { counter = AttemptCounter(key: key, since: now) }
        if counter.count >= count { return .blocked(until: counter.since + window) }
        counter.count += 1
        return .admitted(counter)
    }
}

/// Limits of things that are no answers, for dialects whose protocols have some of their own.
public struct Limits: Sendable {
    let realm: Realm

    /// Counts one; false where it is one too many.
    /// - Parameter key: names what is counted, beginning with a word for the limit.
    public func admits(_ limit: RateLimit, of key: String) async throws -> Bool {
        let now = realm.clock.now
        return try await realm.store.write { try $0.charge(limit, key: "limit/\(key)", at: now) == nil }
    }
}

extension StoreTransaction {
    /// Charges a limit; the instant to wait for where it is used up.
    func charge(_ limit: RateLimit, key: String, at now: Date) throws -> Date? {
        switch limit.charge(try counter(key), key: key, at: now) {
        case .admitted(let counter):
            try put(counter)
            return nil
        case .blocked(let until): return until
        case .disabled: return now + limit.window
        }
    }

    /// Counts an answer that is not looked at against its source, as a wrong one is; the refusal where the source is out of
    /// answers.
    func chargeAnswer(of client: ClientContext, at now: Date) throws -> Refusal? {
        guard let source = client.limitedSource,
            let until = try charge(.answersPerSource, key: CounterKey.answers(from: source), at: now)
        else { return nil }
        return Refusal(.sourceLimited, retryAt: until)
    }

    /// Takes one charge back, for what turned out to be harmless.
    func refund(key: String) throws {
        guard var counter = try counter(key), counter.count > 0 else { return }
        counter.count -= 1
        try put(counter)
    }
}
