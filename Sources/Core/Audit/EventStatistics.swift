import Synchronization

/// What this process has seen happen since it began, for metrics: events of transactions that were committed.
///
/// How many numbers there are is bounded by the kinds of events, the protocols, the reasons of refusals and the kinds of factors, none of
/// which a client can choose.
public final class EventStatistics: Sendable {
    /// What is counted together.
    public struct Key: Hashable, Sendable {
        /// The kind of the events.
        public let kind: AuditEvent.Kind
        /// The protocol of their requests; nil where there was none.
        public let dialect: Dialect?
        /// Why an answer was refused; nil for other kinds.
        public let reason: String?
        /// The kind of second factor of a sign-in.
        public let secondFactor: String?
    }

    /// Keys that are kept; further ones are not counted.
    static let most = 500

    private let counts = Mutex<[Key: Int]>([:])

    init() {}

    /// All counts since the process began, by key.
    public var all: [Key: Int] { counts.withLock { $0 } }

    func count(_ events: [AuditEvent]) {
        let keys = events.compactMap(Self.key)
        guard !keys.isEmpty else { return }
        counts.withLock { counts in
            for key in keys where counts[key] != nil || counts.count < Self.most { counts[key, default: 0] += 1 }
        }
    }

    /// Nil for what no metric counts.
    private static func key(_ event: AuditEvent) -> Key? {
        switch event.kind {
        case .signedIn:
            var factor: String?
            if case .string(let kind)? = event.details[AuditCount.secondFactorMember] { factor = kind }
            return Key(kind: event.kind, dialect: event.dialect, reason: nil, secondFactor: factor)
        case .answerRefused:
            return Key(kind: event.kind, dialect: event.dialect, reason: event.reason, secondFactor: nil)
        case .signedUp, .userCreated, .userDeleted, .clientRefused, .refreshTokenReused, .factorEnrolled:
            return Key(kind: event.kind, dialect: event.dialect, reason: nil, secondFactor: nil)
        default: return nil
        }
    }
}
