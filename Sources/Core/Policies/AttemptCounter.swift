import Foundation

/// A count of attempts against one thing: an authenticator, a claimed identifier, a source address, a mailbox.
public struct AttemptCounter: Sendable, Equatable {
    /// How the keys of counters begin that count the wrong codes of a factor. They go when the factor goes, or when it
    /// is answered rightly.
    public static let factorPrefix = "factor/"

    /// What is counted, for instance `factor/<id>` or `mails-from/<address>`.
    public let key: String
    /// Attempts, those among them whose outcome is still open.
    public var count: Int
    /// When counting began; a windowed limit starts again from here.
    public var since: Date
    /// No attempt is judged before this instant.
    public var blockedUntil: Date?
    /// Attempts that were counted and whose outcome is not disclosed yet.
    public var open: [OpenCharge]

    /// The row as stores read and write it. A limit makes and changes counters.
    public init(
        key: String, count: Int = 0, since: Date, blockedUntil: Date? = nil, open: [OpenCharge] = []
    ) {
        self.key = key
        self.count = count
        self.since = since
        self.blockedUntil = blockedUntil
        self.open = open
    }
}
