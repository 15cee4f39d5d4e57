import Foundation

/// So many in so long: for what is not an answer (mails, sign-ups), and for answers from one address.
public struct RateLimit: Sendable, Equatable {
    /// How many are admitted in a window.
    public var count: Int
    /// Seconds.
    public var window: TimeInterval
    /// Counters among which it is shared out evenly, each for a window of its own, so that those who count at the same
    /// time seldom wait for each other's row. Where one is used up the next is asked: no request is refused before all
    /// are used up, and together they never admit more than one counter would (`docs/decisions/0124`).
    var parts: Int

    /// A limit of that many in so many seconds.
    public init(count: Int, window: TimeInterval) {
        self.init(count: count, window: window, parts: 1)
    }

    /// - Parameter parts: divides `count`.
    init(count: Int, window: TimeInterval, parts: Int) {
        precondition(parts > 0 && count.isMultiple(of: parts), "every part has the same share")
        self.count = count
        self.window = window
        self.parts = parts
    }

    /// Wrong answers from one source address. Every sign-in is charged to it and given back.
    public static let answersPerSource = RateLimit(count: 100, window: 600, parts: 25)
    /// Wrong secrets and assertions of applications from one source address.
    static let clientsPerSource = RateLimit(count: 100, window: 600)
    /// Assertions of one application, each of which is remembered until it expires: 50 a second, for ten minutes.
    static let assertionsPerApplication = RateLimit(count: 30_000, window: 600, parts: 25)
    /// Proofs of keys (RFC 9449) from one source address that come with requests of applications without credentials, each of which is
    /// remembered for some minutes: 50 a second, for ten minutes.
    public static let possessionProofsPerSource = RateLimit(count: 30_000, window: 600)
    /// Documents of clients that are fetched for one source address.
    static let documentsPerSource = RateLimit(count: 60, window: 600)
    /// Documents that no one asked for before, fetched from one host.
    static let documentsPerHost = RateLimit(count: 60, window: 600)
    /// Accounts made from one source address.
    public static let signUpsPerSource = RateLimit(count: 100, window: 3600)
    /// Applications that register themselves from one source address without a token.
    static let registrationsPerSource = RateLimit(count: 20, window: 3600)
    /// Replacements of one application's registration by itself. Each is in the log.
    static let registrationChanges = RateLimit(count: 20, window: 3600)
    /// Sign-ins and resets, step by step, that one source address begins. Each is a row, whichever user it is for.
    public static let attemptsPerSource = RateLimit(count: 600, window: 600)
    /// Mails to one address.
    public static let mailsPerAddress = RateLimit(count: 20, window: 3600)
    /// Mails asked for by one source address.
    public static let mailsPerSource = RateLimit(count: 200, window: 3600)

    /// Mails to one user about changes of the account; see ``AccountNotice``.
    static let noticesPerUser = RateLimit(count: 10, window: 3600)
    /// Those among them that change no way to sign in.
    static let triflesPerUser = RateLimit(count: 5, window: 3600)

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

    /// Counts one; answers the counter to keep, or the instant from which it is worth trying again.
    /// - Parameter charge: names what is counted, which is open until it is settled; nil where it is settled.
    public func charge(
        _ counter: AttemptCounter?, key: String, at now: Date, as charge: String? = nil
    ) -> LockoutPolicy.Charge {
        var counter = counter ?? AttemptCounter(key: key, since: now)
        counter.dropLapsed(at: now)
        if now >= counter.since + window { counter = AttemptCounter(key: key, since: now) }
        if counter.count >= share { return .blocked(until: counter.since + window) }
        counter.add(charge, at: now)
        return .admitted(counter)
    }

    /// What one of its counters admits.
    var share: Int { count / parts }

    /// The counters of a thing, in the order in which they are asked.
    func keys(of key: String, from start: Int) -> [String] {
        (0..<parts).map { self.key($0, of: key, from: start) }
    }

    /// One of them. Mostly the first admits, so that the others need not be spelled.
    func key(_ number: Int, of key: String, from start: Int) -> String {
        parts == 1 ? key : "\(key)/\((start + number) % parts)"
    }
}

/// A limit of answers by the rules of a module above the core, in one counter.
package protocol AnswerLimit: Sendable {
    /// Counts one attempt, before it is judged.
    /// - Parameter charge: names the attempt, which is open until it is settled; nil where its outcome is known.
    func charge(
        _ counter: AttemptCounter?, key: String, at now: Date, as charge: String?
    ) -> LockoutPolicy.Charge
}

/// One limit of one thing, which its counter names.
package struct Allowance: Sendable {
    enum Rule: Sendable {
        case rate(RateLimit)
        case lockout(LockoutPolicy)
        case other(any AnswerLimit)
    }

    let rule: Rule
    let key: String

    init(_ rule: Rule, _ key: String) {
        (self.rule, self.key) = (rule, key)
    }

    package init(_ limit: RateLimit, _ key: String) {
        (rule, self.key) = (.rate(limit), key)
    }

    package init(_ limit: some AnswerLimit, _ key: String) {
        (rule, self.key) = (.other(limit), key)
    }

    init(_ policy: LockoutPolicy, _ key: String) {
        (rule, self.key) = (.lockout(policy), key)
    }

    func charge(_ counter: AttemptCounter?, key: String, at now: Date, as charge: String?) -> LockoutPolicy.Charge {
        switch rule {
        case .rate(let limit): limit.charge(counter, key: key, at: now, as: charge)
        case .lockout(let policy): policy.charge(counter, key: key, at: now, as: charge)
        case .other(let limit): limit.charge(counter, key: key, at: now, as: charge)
        }
    }

    /// How many counters it is shared out over.
    var parts: Int { if case .rate(let limit) = rule { limit.parts } else { 1 } }

    /// The counter that is asked in this place.
    func key(_ number: Int, from start: Int) -> String {
        if case .rate(let limit) = rule { limit.key(number, of: key, from: start) } else { key }
    }
}

/// What limits say before anything is counted.
package enum AskedLimits {
    /// All admit it; these are to be counted, one for each limit.
    case admitted([AttemptCounter])
    /// One does not.
    case refused(by: Allowance, LimitRefusal)

    package enum LimitRefusal: Sendable, Equatable {
        case until(Date)
        /// Until an administrator resets the counter.
        case forGood

        /// From when on it is worth trying again.
        package var instant: Date { if case .until(let instant) = self { instant } else { .distantFuture } }
    }
}

extension StoreTransaction {
    /// Asks limits and counts nothing. What one of them refuses then costs nothing elsewhere and leaves no row: a source
    /// that may ask for no more mails must not use up a stranger's mailbox.
    /// - Parameters:
    ///   - charge: names what is counted where it is open until it is settled.
    ///   - part: at which part of a limit that has several to begin.
    ///   - ended: what became of charges that could not be settled in their own time, by their names.
    package func ask(
        _ allowances: [Allowance], at now: Date, as charge: String? = nil, from part: Int = 0,
        ended: [String: ChargeEnd] = [:]
    ) throws -> AskedLimits {
        var counters: [AttemptCounter] = []
        try readCounters(allowances.map { $0.key(0, from: part) })
        next: for allowance in allowances {
            var refusal = AskedLimits.LimitRefusal.forGood
            for number in 0..<allowance.parts {
                let key = allowance.key(number, from: part)
                var present = try counter(key)
                for late in present?.open ?? [] {
                    if let end = ended[late.id] { _ = present?.end(late.id, end) }
                }
                switch allowance.charge(present, key: key, at: now, as: charge) {
                case .admitted(let counter):
                    counters.append(counter)
                    continue next
                case .blocked(let until):
                    if case .until(let earlier) = refusal, earlier < until { continue }
                    refusal = .until(until)
                case .disabled: break
                }
            }
            return .refused(by: allowance, refusal)
        }
        return .admitted(counters)
    }

    /// Counts what was admitted in this transaction.
    package func count(_ admitted: [AttemptCounter]) throws {
        for counter in admitted { try put(counter) }
    }

    /// Asks all limits, then counts on all of them; the instant to wait for where one is used up, and then nothing is counted.
    func charge(_ allowances: [Allowance], at now: Date, from part: Int = 0) throws -> Date? {
        switch try ask(allowances, at: now, from: part) {
        case .admitted(let counters):
            try count(counters)
            return nil
        case .refused(_, let refusal): return refusal.instant
        }
    }

    /// Charges one limit; the instant to wait for where it is used up.
    package func charge(_ limit: RateLimit, key: String, at now: Date) throws -> Date? {
        try charge([Allowance(limit, key)], at: now)
    }

    /// Counts an answer that is not judged against its source, as a wrong one is; the refusal where the source is out
    /// of answers.
    func chargeAnswer(of client: ClientContext, at now: Date, from part: Int) throws -> Refusal? {
        guard let source = client.limitedSource else { return nil }
        return try charge([Allowance(.answersPerSource, CounterKey.answers(from: source))], at: now, from: part)
            .map { Refusal(.sourceLimited, retryAt: $0) }
    }

    /// Takes one charge back, for what turned out to be harmless.
    func refund(key: String) throws {
        guard var counter = try counter(key), counter.count > 0 else { return }
        counter.count -= 1
        try put(counter)
    }
}
