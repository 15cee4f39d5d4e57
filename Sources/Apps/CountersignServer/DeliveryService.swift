import CountersignCore
import Logging
import ServerHTTP
import ServiceLifecycle

/// Delivers mail and push while the server runs. At its end what is under way is finished; the rest waits for the next
/// start, or for another server.
struct DeliveryService: NamedService {
    let realm: Realm
    let statistics: DeliveryStatistics
    let logger: Logger
    let makeSenders: @Sendable () throws -> [any MessageSender]

    init(
        realm: Realm, statistics: DeliveryStatistics, logger: Logger,
        makeSenders: @escaping @Sendable () throws -> [any MessageSender]
    ) {
        (self.realm, self.statistics, self.logger, self.makeSenders) = (realm, statistics, logger, makeSenders)
    }

    /// What the log calls it.
    var description: String { "Delivery" }

    func run() async throws {
        let senders = try makeSenders()
        if !senders.contains(where: { $0.channel == .email }), !realm.mode.keepsDeliveredMessages {
            logger.warning("mail.smtp.url is not set: mails wait in the outbox and are not sent")
        }
        let note = Self.note(in: logger, ChannelHealth())
        let deliveries = senders.map { sender in
            OutboxDelivery(realm: realm, sender: sender, statistics: statistics, note: note)
        }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for delivery in deliveries { group.addTask { await delivery.run() } }
            }
        } onGracefulShutdown: {
            for delivery in deliveries { delivery.stop() }
        }
        for sender in senders { await sender.shutDown() }
    }

    /// Ids of messages are in the audit log too. Their recipients are not in this log.
    ///
    /// Strangers can have mails sent to addresses that there are not: lines about single messages are thirty a minute at most, of each kind.
    static func note(
        in logger: Logger, _ health: ChannelHealth,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) -> @Sendable (DeliveryNote) -> Void {
        let (pace, messages) = (WarningPace(), WarningPace(most: WarningPace.mostOfTheirOwn))
        return { note in
            switch note {
            case .delivered(let message):
                if health.delivered(message.channel) {
                    logger.notice("messages are delivered again", metadata: ["channel": "\(message.channel.rawValue)"])
                }
                logger.debug("delivered a message", metadata: metadata(message))
            case .postponed(let message, let reason, let seconds):
                if let leftOut = messages.leftOut("postponed \(message.channel.rawValue)", at: now()) {
                    logger.info(
                        "a message could not be delivered yet",
                        metadata: metadata(message).merging(
                            ["reason": "\(reason)", "againInSeconds": .stringConvertible(Int(seconds.rounded(.up)))]
                        ) { $1 }.with(leftOut: leftOut))
                }
                if let inVain = health.postponed(message.channel, at: now()) {
                    logger.warning(
                        "messages are not delivered",
                        metadata: [
                            "channel": "\(message.channel.rawValue)", "reason": "\(reason)",
                            "attemptsInVain": .stringConvertible(inVain),
                        ])
                }
            case .failed(let message, let reason, let isGivenUp):
                // A refused address is its user's affair, a message that nothing took in all its time is the operator's.
                let level: Logger.Level = isGivenUp ? .error : .warning
                guard let leftOut = messages.leftOut("\(level) \(message.channel.rawValue)", at: now()) else { return }
                logger.log(
                    level: level, "a message will not be delivered",
                    metadata: metadata(message).merging(["reason": "\(reason)"]) { $1 }.with(leftOut: leftOut))
            case .trouble(let error):
                // A database that is away is met by each channel, every few seconds.
                if pace.isDue(at: now()) { logger.warning("the outbox could not be processed: \(error)") }
            }
        }
    }

    private static func metadata(_ message: OutboxMessage) -> Logger.Metadata {
        [
            "message": "\(message.id)", "channel": "\(message.channel.rawValue)",
            "attempt": .stringConvertible(message.attempts),
        ]
    }
}
