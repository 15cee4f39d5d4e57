import CountersignCore
import Foundation
import Logging
import Synchronization

/// Sends mails to a mail server by SMTP (RFC 5321).
public final class SMTPSender: MessageSender {
    public let channel = OutboxMessage.Channel.email
    public let retries = RetryPolicy.mail
    public let concurrency = 2

    private let server: SMTPServer
    private let sender: MailAddress
    private let composer: MailComposer
    private let publicURL: @Sendable () -> String
    private let clock: any WallClock
    private let logger: Logger
    private let threads: SMTPThreads
    /// When the log last reported a reason to the operator.
    private let reported = Mutex<[String: Date]>([:])

    /// - Parameter publicURL: what links are put below.
    /// - Throws: where the system starts no more threads, an error that says so.
    public init(
        server: SMTPServer, from sender: MailAddress, composer: MailComposer, clock: any WallClock, logger: Logger,
        publicURL: @escaping @Sendable () -> String
    ) throws {
        self.server = server
        self.sender = sender
        self.composer = composer
        self.publicURL = publicURL
        self.clock = clock
        self.logger = logger
        threads = try SMTPThreads(count: concurrency, server: server)
    }

    deinit {
        threads.close()
    }

    public func isReady() async throws -> Bool { true }

    public func shutDown() async { threads.close() }

    public func send(_ message: OpenedMessage) async -> DeliveryResult {
        guard let mail = composer.compose(message.content, publicURL: publicURL()) else {
            return .refused(reason: "unknown-template")
        }
        guard let recipient = MailAddress(message.message.recipient) else {
            return .refused(reason: "address-not-supported")
        }
        let sender = sender
        let bytes = MailMessage(
            from: sender, to: recipient, mail: mail, id: message.message.id, date: message.message.createdAt
        ).bytes
        let verdict = await threads.run { session in session?.send(bytes, from: sender, to: recipient) }
        switch verdict ?? nil {
        case .delivered: return .delivered
        case .refused(let reason): return .refused(reason: reason)
        case .postponed(let reason, let isOperators):
            if isOperators { tellOperator(reason) }
            return .postponed(reason: reason)
        case nil: return .postponed(reason: "smtp-setup")
        }
    }

    /// Logs once a minute what only an operator can correct.
    private func tellOperator(_ reason: String) {
        let now = clock.now
        let isDue = reported.withLock { reported in
            if let last = reported[reason], abs(now.timeIntervalSince(last)) < 60 { return false }
            reported[reason] = now
            return true
        }
        if isDue {
            logger.error(
                "the mail server refuses mails: check mail.smtp",
                metadata: ["server": "\(server.host):\(server.port)", "reason": "\(reason)"])
        }
    }
}
