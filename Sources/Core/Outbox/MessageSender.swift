import Foundation

/// Sends messages of one channel: to a mail server, to a push service.
///
/// The core decides what is sent, when again and when no more (``OutboxDelivery``); a sender knows the protocol, and what
/// an answer in it means.
public protocol MessageSender: Sendable {
    /// The channel whose messages it sends.
    var channel: OutboxMessage.Channel { get }
    /// How often it is tried, and how long.
    var retries: RetryPolicy { get }
    /// Messages that are sent at once, at most.
    var concurrency: Int { get }

    /// Whether there is anywhere to send to. While there is not, messages wait untouched.
    func isReady() async throws -> Bool

    /// Sends one message, and answers within half of ``OutboxDelivery/lease``: after that another server takes it.
    ///
    /// A message may come twice, where a server died between sending it and noting that.
    func send(_ message: OpenedMessage) async -> DeliveryResult

    /// Lets go of connections and threads. Nothing is sent any more.
    func shutDown() async
}

/// What became of an attempt to send a message. Reasons are words for logs, and never hold what a message says.
public enum DeliveryResult: Sendable, Equatable {
    /// The next server on the way has it.
    case delivered
    /// There is no recipient to send it to, or no need: the device asks for itself. No failure.
    case leftToRecipient
    /// It may go later; not before so many seconds, where that was said.
    case postponed(reason: String, after: TimeInterval? = nil)
    /// It will never go.
    case refused(reason: String)
}

/// How long one tries to deliver a message.
public struct RetryPolicy: Sendable, Equatable {
    /// Seconds before the second attempt; each further pause is twice as long.
    public var firstPause: TimeInterval
    /// Seconds beyond which a pause does not grow.
    public var longestPause: TimeInterval
    /// Attempts after which a message is given up.
    public var maximumAttempts: Int
    /// Seconds from its making that a message is worth delivering, where it does not say.
    public var lifetime: TimeInterval

    /// A policy of these pauses and limits.
    public init(
        firstPause: TimeInterval, longestPause: TimeInterval, maximumAttempts: Int, lifetime: TimeInterval
    ) {
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.maximumAttempts = maximumAttempts
        self.lifetime = lifetime
    }

    /// A user waits in front of a screen: seconds, and no longer than the request lives.
    public static let push = RetryPolicy(
        firstPause: 1, longestPause: 30, maximumAttempts: 12, lifetime: FlowLifetime.approval)
    /// A user waits for a code that lives ten minutes.
    public static let oneTimeCode = RetryPolicy(
        firstPause: 1, longestPause: 20, maximumAttempts: 8, lifetime: FlowLifetime.mailedCode)
    /// Mail servers ask to be left alone for a quarter of an hour, and may be away for a day.
    public static let mail = RetryPolicy(
        firstPause: 10, longestPause: 1800, maximumAttempts: 60, lifetime: 86_400)

    /// An application that is away is told again after 1, 2, 4, 8, 16 and 32 minutes.
    public static let logout = RetryPolicy(
        firstPause: 60, longestPause: 1920, maximumAttempts: 7, lifetime: 7200)

    /// Seconds to wait after so many attempts.
    /// - Parameter jitter: 0 to 1; spreads the pause over its upper half, so that what failed together does not come back
    ///   together.
    public func pause(afterAttempts attempts: Int, jitter: Double) -> TimeInterval {
        let doublings = Double(min(max(attempts - 1, 0), 32))
        let whole = min(firstPause * pow(2, doublings), longestPause)
        return whole * (0.5 + 0.5 * min(max(jitter, 0), 1))
    }
}
