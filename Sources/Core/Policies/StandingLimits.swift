import Foundation

/// A limit that refuses at the moment.
public struct StandingLimit: Sendable, Equatable {
    /// What is limited. The words are stable.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Wrong answers by one second factor.
        case factor
        /// Wrong passwords of one account.
        case password
        /// Wrong passwords for an address that has no account, or had none.
        case claim
        /// Wrong answers from one source: ``RateLimit/answersPerSource``.
        case answersFromSource = "answers"
        /// Wrong secrets and assertions of applications from one source.
        case secretsFromSource = "clients"
        /// Assertions of one application.
        case assertionsOfApplication = "assertions"
        /// Attempts that one source begins: ``RateLimit/attemptsPerSource``.
        case attemptsFromSource = "attempts"
        /// Accounts made from one source: ``RateLimit/signUpsPerSource``.
        case signUpsFromSource = "sign-ups"
        /// Applications that register themselves from one source: `RateLimit.registrationsPerSource`.
        case registrationsFromSource = "registrations"
        /// New passwords of one user that came to nothing: ``RateLimit/newPasswordsPerUser``.
        case newPasswords = "new-passwords"
        /// Requests to the devices of one user: ``RateLimit/pushesPerUser``.
        case requestsToDevices = "pushes"
        /// Enrolments that one user begins: ``RateLimit/offersPerUser``.
        case enrolments = "offers-to"
        /// Mails to one address: ``RateLimit/mailsPerAddress``.
        case mailsToAddress = "mails-to"
        /// Mails that one source asks for: ``RateLimit/mailsPerSource``.
        case mailsFromSource = "mails-from"
        /// Wrong user codes of one user (RFC 8628).
        case userCodesOfUser = "user-codes-of"
        /// Wrong user codes from one source (RFC 8628).
        case userCodesFromSource = "user-codes-from"

        fileprivate var rule: Rule {
            switch self {
            case .factor: .lockout(.oneTimeCode)
            case .password, .claim: .lockout(.password)
            case .answersFromSource: .rate(.answersPerSource)
            case .secretsFromSource: .rate(.clientsPerSource)
            case .assertionsOfApplication: .rate(.assertionsPerApplication)
            case .attemptsFromSource: .rate(.attemptsPerSource)
            case .signUpsFromSource: .rate(.signUpsPerSource)
            case .registrationsFromSource: .rate(.registrationsPerSource)
            case .newPasswords: .rate(.newPasswordsPerUser)
            case .requestsToDevices: .rate(.pushesPerUser)
            case .enrolments: .rate(.offersPerUser)
            case .mailsToAddress: .rate(.mailsPerAddress)
            case .mailsFromSource: .rate(.mailsPerSource)
            case .userCodesOfUser, .userCodesFromSource: .rate(DeviceAuthorizations.wrongCodes)
            }
        }

        /// What the rest of a counter's name is.
        public var subject: Subject {
            switch self {
            case .factor, .password: .factor
            case .claim, .mailsToAddress: .digest
            case .assertionsOfApplication: .application
            case .newPasswords, .requestsToDevices, .enrolments, .userCodesOfUser: .user
            default: .source
            }
        }
    }

    /// What a limit is of.
    public enum Subject: Sendable, Equatable {
        /// Of a factor, by its id.
        case factor
        /// Of a user, by id.
        case user
        /// Of an application, by its client id.
        case application
        /// Of a network address.
        case source
        /// Of an address, which is in no counter's name.
        case digest
    }

    fileprivate enum Rule {
        case lockout(LockoutPolicy)
        case rate(RateLimit)
    }

    /// What is limited.
    public let kind: Kind
    /// The id of a factor, user or application, a source address, or a digest.
    public let subject: String
    /// The user whose factor it is, or who is limited.
    public let user: UserID?
    /// From when on it admits again; nil: not before it is lifted.
    public let until: Date?
    /// Attempts that are counted.
    public let count: Int
}

/// Limits that refuse at the moment, for administrators.
public struct StandingLimits: Sendable {
    let realm: Realm

    /// Counters that one look goes through.
    static let mostCounters = 5000

    /// Those that refuse now, in the order of their counters. A page can be short, or empty, and go on.
    public func list(_ range: ListRange<String>) async throws -> ListPage<StandingLimit, String> {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try range.page(most: Self.mostCounters, key: \.key) {
                try transaction.counters($0)
            } show: {
                try Self.limit(at: $0, at: now, in: transaction)
            }
        }
    }

    /// What refuses by this counter. A limit that is shared out over several stands where the first of them does.
    private static func limit(
        at counter: AttemptCounter, at now: Date, in transaction: any StoreTransaction
    ) throws -> StandingLimit? {
        guard let (kind, subject) = parts(of: counter.key) else { return nil }
        guard case .rate(let rule) = kind.rule, rule.parts > 1 else {
            return try limit(kind, of: subject, [counter], at: now, in: transaction)
        }
        let keys = rule.keys(of: PlainText.key("\(kind.rawValue)/\(subject)"), from: 0)
        // All parts have to be used up, this one too.
        guard counter.key == keys[0], counter.count >= rule.share else { return nil }
        let others = try keys.dropFirst().compactMap { try transaction.counter($0) }
        return try limit(kind, of: subject, [counter] + others, at: now, in: transaction)
    }

    /// Those of one user: of the user's factors, and of what is counted for the user.
    public func list(of user: UserID) async throws -> [StandingLimit] {
        let now = realm.clock.now
        let (proofs, sealer) = (realm.proofs, realm.sealer)
        return try await realm.store.read { transaction in
            var factors = try transaction.factors(of: user).map { CounterKey.factor($0.id, $0.kind, proofs) }
            if let address = try transaction.user(user)?.email {
                // Wrong passwords from before there was an account refuse its user nothing.
                factors.append(try StandingLimit.Kind.mailsToAddress.key(of: address, sealer: sealer, in: transaction))
            }
            let own = StandingLimit.Kind.allCases.filter { $0.subject == .user }.map {
                PlainText.key("\($0.rawValue)/\(user.rawValue)")
            }
            return try (factors + own).compactMap { base in
                guard let slash = base.firstIndex(of: "/"),
                    let kind = StandingLimit.Kind(rawValue: String(base[..<slash]))
                else { return nil }
                let keys: [String] =
                    if case .rate(let limit) = kind.rule { limit.keys(of: base, from: 0) } else { [base] }
                let counters = try keys.compactMap { try transaction.counter($0) }
                if counters.isEmpty { return nil }
                return try Self.limit(
                    kind, of: String(base[base.index(after: slash)...]), counters, at: now, in: transaction)
            }
        }
    }

    /// What a limit of an address is counted under: the digest that ``list(_:)`` shows.
    public func subject(_ kind: StandingLimit.Kind, of address: EmailAddress) async throws -> String {
        let sealer = realm.sealer
        return try await realm.store.read { transaction in
            String(try kind.key(of: address, sealer: sealer, in: transaction).dropFirst(kind.rawValue.count + 1))
        }
    }

    /// The user who is limited, or whose factor is; nil for limits of sources, applications and addresses.
    public func user(limitedBy kind: StandingLimit.Kind, of subject: String) async throws -> User? {
        try await realm.store.read { transaction in
            try Self.user(kind, subject, in: transaction).flatMap { try transaction.user($0) }
        }
    }

    /// Whether anything is counted that ``lift(_:of:by:)`` would take away.
    public func counts(_ kind: StandingLimit.Kind, of subject: String) async throws -> Bool {
        let keys = Self.keys(kind, subject)
        return try await realm.store.read { transaction in
            try keys.contains { try transaction.counter($0) != nil }
        }
    }

    /// The names of the counters of a limit.
    private static func keys(_ kind: StandingLimit.Kind, _ subject: String) -> [String] {
        let base = PlainText.key("\(kind.rawValue)/\(subject)")
        return if case .rate(let limit) = kind.rule { limit.keys(of: base, from: 0) } else { [base] }
    }

    /// Takes a limit away, and says so in the log.
    /// - Returns: whether there was anything to take away.
    public func lift(_ kind: StandingLimit.Kind, of subject: String, by client: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let keys = Self.keys(kind, subject)
        return try await realm.store.write { transaction in
            try transaction.readCounters(keys)
            let present = try keys.filter { try transaction.counter($0) != nil }
            guard !present.isEmpty else { return false }
            for key in present { try transaction.deleteCounter(key) }
            let user = try Self.user(kind, subject, in: transaction)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .limitLifted, userID: user, context: client,
                    details: ["limit": .string(kind.rawValue), "subject": .string(subject)]))
            return true
        }
    }

    /// The kind and the subject that a counter's name says; nil for limits that are not worth lifting.
    private static func parts(of key: String) -> (StandingLimit.Kind, String)? {
        guard let slash = key.firstIndex(of: "/"), let kind = StandingLimit.Kind(rawValue: String(key[..<slash])) else {
            return nil
        }
        var subject = key[key.index(after: slash)...]
        if case .rate(let limit) = kind.rule, limit.parts > 1 {
            guard let end = subject.lastIndex(of: "/") else { return nil }
            subject = subject[..<end]
        }
        return (kind, String(subject))
    }

    private static func limit(
        _ kind: StandingLimit.Kind, of subject: String, _ counters: [AttemptCounter], at now: Date,
        in transaction: any StoreTransaction
    ) throws -> StandingLimit? {
        var counters = counters
        for index in counters.indices { counters[index].dropLapsed(at: now) }
        let count = counters.reduce(0) { $0 + $1.count }
        var until: Date?
        switch kind.rule {
        case .lockout(let policy):
            guard let counter = counters.first else { return nil }
            let isClosed = policy.disabledAfter.map { counter.count >= $0 } ?? false
            if !isClosed {
                guard let blockedUntil = counter.blockedUntil, blockedUntil > now else { return nil }
                until = blockedUntil
            }
        case .rate(let limit):
            // All parts have to be used up, each in a window of its own.
            let used = counters.filter { $0.count >= limit.share && $0.since + limit.window > now }
            guard used.count == limit.parts else { return nil }
            until = used.map { $0.since + limit.window }.min()
        }
        return StandingLimit(
            kind: kind, subject: subject, user: try user(kind, subject, in: transaction), until: until, count: count)
    }

    private static func user(
        _ kind: StandingLimit.Kind, _ subject: String, in transaction: any StoreTransaction
    ) throws -> UserID? {
        switch kind.subject {
        case .factor: try transaction.factor(FactorID(rawValue: subject))?.userID
        case .user: UserID(rawValue: subject)
        case .application, .source, .digest: nil
        }
    }
}

extension Realm {
    /// The limits that refuse at the moment, to be looked at and lifted.
    public var standingLimits: StandingLimits { StandingLimits(realm: self) }
}

extension StandingLimit.Kind {
    /// The name of an address's counter, whose digest is by the key that seals now.
    fileprivate func key(
        of address: EmailAddress, sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> String {
        let context = self == .claim ? "claim" : "mailbox"
        let digest = try sealer.digest(address.canonical, for: context, in: transaction)
        return self == .claim ? CounterKey.claim(digest) : CounterKey.mails(to: digest)
    }
}
