import Synchronization

/// What became of messages since this process began, for metrics.
public final class DeliveryStatistics: Sendable {
    /// What became of the messages of one channel.
    public struct Counts: Sendable, Equatable {
        /// Messages that arrived at the next server on their way.
        public internal(set) var delivered = 0
        /// Those that will never arrive.
        public internal(set) var failed = 0
        /// Attempts that are to be repeated.
        public internal(set) var postponed = 0

        /// No messages.
        public init() {}
    }

    private let counts = Mutex<[OutboxMessage.Channel: Counts]>([:])

    /// Counts from now on, beginning with none.
    public init() {}

    /// What became of the messages of a channel.
    public func counts(of channel: OutboxMessage.Channel) -> Counts {
        counts.withLock { $0[channel] ?? Counts() }
    }

    func count(_ channel: OutboxMessage.Channel, _ change: (inout Counts) -> Void) {
        counts.withLock { change(&$0[channel, default: Counts()]) }
    }
}

/// What happened to a message, for the log of the machine. The audit log has what concerns its user.
public enum DeliveryNote: Sendable {
    /// The message arrived at the next server on its way.
    case delivered(OutboxMessage)
    /// Tried in vain, and to be tried again in so many seconds.
    case postponed(OutboxMessage, reason: String, seconds: Double)
    /// It will never arrive.
    /// - Parameter isGivenUp: whether that is our end of trying, and no refusal of the receiving side.
    case failed(OutboxMessage, reason: String, isGivenUp: Bool)
    /// The outbox itself could not be read or written.
    case trouble(any Error)
}
