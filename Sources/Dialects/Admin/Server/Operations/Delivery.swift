import CountersignCore

/// Shows what waits to be delivered, and what was not.
public struct ShowDelivery: AdministrationOperation {
    public static let name = "delivery:show"
    public static let right = AdministrationRight.readDelivery

    public init() {}

    public struct Answer: Codable, Sendable {
        /// Every channel, in the order `email`, `push`, `otp`, `logout`.
        public let channels: [ChannelSummary]
        /// The newest failures of all channels and of custom extensions, the newest first: 20 at most.
        public let failures: [AuditEntry]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let start = try await realm.deployment()
        let isComplete = try await realm.pushProviders.apns().isComplete
        let provider = try await realm.pushProviders.selected()
        let isPushed = isComplete && provider == .direct
        var channels: [ChannelSummary] = []
        for channel in OutboxMessage.Channel.allCases {
            channels.append(
                ChannelSummary(
                    channel: channel.rawValue, isSetUp: Self.isSetUp(channel, start, isPushed: isPushed),
                    waiting: try await realm.outbox.waiting(for: channel),
                    next: try await realm.outbox.undelivered(by: channel, limit: 20).map(WaitingMessage.init)))
        }
        return Answer(channels: channels, failures: try await realm.figures.failures().map(AuditEntry.init))
    }

    /// - Parameters:
    ///   - start: what the server that started last was started with.
    ///   - isPushed: whether pushes go to the push service.
    private static func isSetUp(_ channel: OutboxMessage.Channel, _ start: Deployment?, isPushed: Bool) -> Bool? {
        switch channel {
        case .email: start?.hasMailServer
        case .push: isPushed
        case .otp, .logout: nil
        }
    }
}

/// What waits in one channel.
public struct ChannelSummary: Codable, Sendable, Equatable {
    /// `email`, `push`, `otp` or `logout`.
    public let channel: String
    /// Whether there is where to send them: of `email` a mail server, by which the server that started last sends; of `push` the push
    /// service, without which devices ask for themselves. Nil of other channels, and where it is not known.
    public let isSetUp: Bool?
    public let waiting: Int
    /// Those that are tried first: 20 at most.
    public let next: [WaitingMessage]
}

/// A message that is not delivered yet, without what it says.
public struct WaitingMessage: Codable, Sendable, Equatable {
    public let id: String
    /// An address, the id of a device, or of an application.
    public let recipient: String
    public let createdAt: Timestamp
    /// Attempts so far.
    public let attempts: Int
    public let nextAttemptAt: Timestamp

    init(_ message: OutboxMessage) {
        id = message.id
        recipient = message.recipient
        createdAt = Timestamp(message.createdAt)
        attempts = message.attempts
        nextAttemptAt = Timestamp(message.nextAttemptAt)
    }
}

/// Has what waits in a channel tried again at once.
public struct RetryDelivery: AdministrationOperation {
    public static let name = "delivery:retry"
    public static let right = AdministrationRight.changeDelivery

    /// `email`, `push`, `otp` or `logout`.
    public var channel: String

    public init(channel: String) {
        self.channel = channel
    }

    public struct Answer: Codable, Sendable {
        public let channel: String
        /// How many messages, 1,000 at most.
        public let count: Int
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let known = OutboxMessage.Channel(rawValue: channel) else {
            let words = OutboxMessage.Channel.allCases.map(\.rawValue)
            let remedy =
                NearestName.of(channel, among: words).map { "Did you mean \($0)?" }
                ?? "There are \(words.joined(separator: ", "))."
            throw AdministrationError(.invalid, "There is no channel \"\(channel)\". \(remedy)")
        }
        return Answer(channel: channel, count: try await realm.outbox.retry(known, by: client))
    }
}

/// Sends a mail that says that mails arrive. Refused where the server that started last has no mail server: it would wait.
public struct SendTestMail: AdministrationOperation {
    public static let name = "delivery:test-mail"
    public static let right = AdministrationRight.changeDelivery

    public var address: String
    /// BCP 47; English where it is left out.
    public var locale: String?

    public init(address: String, locale: String? = nil) {
        self.address = address
        self.locale = locale
    }

    public struct Answer: Codable, Sendable {
        public let address: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let email = EmailAddress(address) else {
            throw AdministrationError(.invalid, "\"\(address)\" is no address.")
        }
        if try await realm.deployment()?.hasMailServer == false {
            throw AdministrationError(
                .refused,
                "The server has no mail server: mails wait and are not sent. Set mail.smtp.url and mail.from, and start the server again."
            )
        }
        if let later = try await realm.outbox.sendTest(to: email, locale: locale, by: client) {
            throw AdministrationError(
                .refused, "The address has got too many mails. It may get another at \(Timestamp(later).text).")
        }
        return Answer(address: email.canonical)
    }
}

/// Lists the kinds of mails, and which an operator's own files replace.
public struct ListMailTemplates: AdministrationOperation {
    public static let name = "delivery:templates"
    public static let right = AdministrationRight.readDelivery

    public init() {}

    public struct Answer: Codable, Sendable {
        /// In the order of their names. Empty where the command works beside a data directory: mails are a server's.
        public let templates: [MailTemplateSummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        Answer(templates: realm.mailPreviews.kinds.map(MailTemplateSummary.init))
    }
}

/// A kind of mail.
public struct MailTemplateSummary: Codable, Sendable, Equatable {
    public struct Wording: Codable, Sendable, Equatable {
        public let language: String
        /// When the operator's file was changed; nil where the words are built in.
        public let replacedAt: Timestamp?
    }

    public let name: String
    public let wordings: [Wording]

    init(_ kind: MailKind) {
        name = kind.name
        wordings = kind.wordings.map {
            Wording(language: $0.language, replacedAt: $0.replacedAt.map(Timestamp.init))
        }
    }
}

/// Shows a mail as it would be, with made-up values.
public struct PreviewMail: AdministrationOperation {
    public static let name = "delivery:preview"
    public static let right = AdministrationRight.readDelivery

    /// `verify-email`, `reset-password`, …
    public var template: String
    /// BCP 47; English where it is left out.
    public var locale: String?

    public init(template: String, locale: String? = nil) {
        self.template = template
        self.locale = locale
    }

    public struct Answer: Codable, Sendable {
        public let template: String
        public let language: String
        public let subject: String
        public let text: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let preview = realm.mailPreviews.preview(template, locale: locale) else {
            throw AdministrationError(
                .notFound,
                "There is no mail \(template.prefix(60)). `countersign delivery templates` lists them at a server (--server)."
            )
        }
        return Answer(
            template: template, language: preview.language, subject: preview.subject, text: preview.text)
    }
}

/// Sends a push to a device that asks for nothing and says that pushes arrive.
public struct SendTestPush: AdministrationOperation {
    public static let name = "delivery:test-push"
    public static let right = AdministrationRight.changeDelivery

    /// The id of the factor that the device is.
    public var device: String

    public init(device: String) {
        self.device = device
    }

    public struct Answer: Codable, Sendable {
        public let device: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        switch try await realm.devices.sendTest(to: FactorID(rawValue: device), by: client) {
        case .sent: return Answer(device: device)
        case .unknownDevice:
            throw AdministrationError(
                .notFound, "There is no device \(device.prefix(60)). `countersign user show` lists a user's devices.")
        case .asksForItself:
            throw AdministrationError(
                .refused, "The device gets no pushes: it asks for itself, or has told no address of Apple's service.")
        case .notSetUp:
            throw AdministrationError(
                .refused,
                "No push service is set up (push.provider and push.apns say which): devices ask for themselves.")
        }
    }
}
