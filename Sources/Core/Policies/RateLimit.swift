import Foundation

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
    /// Enrolments that one user who is signed in begins. Each is a row, whether it is finished or not.
    public static let offersPerUser = RateLimit(count: 30, window: 3600)
    /// Proofs of a device's key about one request. Each is remembered, so that it is good once.
    static let proofsPerRequest = RateLimit(count: 30, window: 2 * Approvals.proofLifetime)

    /// Authorization codes that one client of security checks is given.
    static let codesPerClient = RateLimit(count: 60, window: 60)
    /// Families of refresh tokens that one client of security checks begins. Each is a row for thirty days.
    static let refreshFamiliesPerClient = RateLimit(count: 100, window: 86_400)

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

/// One limit of one thing, which its counter names.
struct Allowance: Sendable {
    let limit: RateLimit
    let key: String

    init(_ limit: RateLimit, _ key: String) {
        self.limit = limit
        self.key = key
    }
}

/// What limits say before anything is counted.
enum AskedLimits {
    /// All admit it; these are to be counted.
    case admitted([AttemptCounter])
    /// One does not, before that instant.
    case refused(until: Date)
}

extension StoreTransaction {
    /// Asks limits and counts nothing. What one of them refuses then costs nothing elsewhere and leaves no row: a source
    /// that may ask for no more mails must not use up a stranger's mailbox.
    func ask(_ allowances: [Allowance], at now: Date) throws -> AskedLimits {
        var counters: [AttemptCounter] = []
        for allowance in allowances {
            let key = allowance.key
            switch allowance.limit.charge(try counter(key), key: key, at: now) {
            case .admitted(let counter): counters.append(counter)
            case .blocked(let until): return .refused(until: until)
            case .disabled: return .refused(until: now + allowance.limit.window)
            }
        }
        return .admitted(counters)
    }

    /// Counts what was admitted in this transaction.
    func count(_ admitted: [AttemptCounter]) throws {
        for counter in admitted { try put(counter) }
    }

    /// Asks all limits, then counts on all of them; the instant to wait for where one is used up, and then nothing is counted.
    func charge(_ allowances: [Allowance], at now: Date) throws -> Date? {
        switch try ask(allowances, at: now) {
        case .admitted(let counters):
            try count(counters)
            return nil
        case .refused(let until): return until
        }
    }

    /// Charges one limit; the instant to wait for where it is used up.
    func charge(_ limit: RateLimit, key: String, at now: Date) throws -> Date? {
        try charge([Allowance(limit, key)], at: now)
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
