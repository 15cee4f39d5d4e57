import Foundation

/// What a message says, before it is put into words: which template, with which values. The words are found when it is
/// delivered, in the language of the one who receives it.
public struct OutboxContent: Sendable, Codable, Equatable {
    /// Names a template: `verify-email`, `reset-password`, `sign-in`, `change-email`, `email-changed`, `code`,
    /// `enrollment-invitation`, `invitation`, those of `AccountNotice`, and for a device `approve-sign-in`.
    public var template: String
    /// BCP 47, where the client said one.
    public var locale: String?
    /// What the template puts in: `link` (a path and query below the public address), `code`, `email`, …
    public var values: [String: String]
    /// From when on it is not worth delivering; nil where that depends on how it is delivered.
    public var expiresAt: Date?
    /// In which attempt it was sent, where a service of the developer's own delivers it.
    public var occasion: Occasion?

    /// What a message of this template says.
    public init(
        template: String, locale: String? = nil, values: [String: String], expiresAt: Date? = nil,
        occasion: Occasion? = nil
    ) {
        self.template = template
        self.locale = locale
        self.values = values
        self.expiresAt = expiresAt
        self.occasion = occasion
    }

    /// What a service that delivers codes gets besides the code.
    public struct Occasion: Sendable, Codable, Equatable {
        /// The application that the user signs in to, or up for.
        public var application: ClientID
        /// What the code is for: `signIn`, `signUp`, `passwordReset`.
        public var requestType: String
        /// The client's network address.
        public var source: String?
        /// Names the request that the code was asked for with.
        public var correlationID: String?

        /// The attempt in which a code was asked for.
        public init(application: ClientID, requestType: String, source: String?, correlationID: String? = nil) {
            self.application = application
            self.requestType = requestType
            self.source = source
            self.correlationID = correlationID
        }
    }
}

/// A message as it is delivered.
public struct OpenedMessage: Sendable {
    /// The row of the outbox.
    public let message: OutboxMessage
    /// What it says, opened.
    public let content: OutboxContent

    init(_ message: OutboxMessage, _ content: OutboxContent) {
        self.message = message
        self.content = content
    }

    init(_ message: OutboxMessage, with sealer: Sealer) throws {
        let plain = try sealer.open(message.sealedContent, for: .outbox(message.id))
        self.init(message, try OutboxContent(stored: plain))
    }
}

/// Reads what waits to be delivered.
public struct Outbox: Sendable {
    let realm: Realm

    /// How many messages wait to be delivered by a channel.
    public func waiting(for channel: OutboxMessage.Channel) async throws -> Int {
        try await realm.store.read { try $0.countOutboxMessages(waitingFor: channel) }
    }

    /// What waits in a channel, those first that are tried first.
    public func undelivered(by channel: OutboxMessage.Channel, limit: Int) async throws -> [OutboxMessage] {
        let limit = min(max(limit, 1), 1000)
        return try await realm.store.read {
            try $0.outboxMessages(by: channel, dueAt: .farFuture, limit: limit)
        }
    }

    /// Has what waits in a channel tried at once, and says so in the log. What a server has taken just now stays its own.
    /// - Returns: how many messages, 1,000 at most.
    public func retry(_ channel: OutboxMessage.Channel, by actor: ClientContext) async throws -> Int {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let tried = try await realm.store.write { transaction in
            let waiting = try transaction.outboxMessages(by: channel, dueAt: .farFuture, limit: 1000)
                .filter { $0.nextAttemptAt > now + OutboxDelivery.lease }
            var count = 0
            for var message in waiting.sorted(by: { $0.id < $1.id }) {
                message.nextAttemptAt = now
                if try transaction.update(message, after: message.attempts) { count += 1 }
            }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .deliveryRetried, userID: nil, context: actor,
                    details: ["channel": .string(channel.rawValue), "count": .integer(Int64(count))]))
            return count
        }
        realm.notifier.notify([channel.topic])
        return tried
    }

    /// Sends a mail that says that mails arrive.
    /// - Returns: nil, or from when on the address may get another.
    public func sendTest(to address: EmailAddress, locale: String?, by actor: ClientContext) async throws -> Date? {
        let (now, sealer) = (realm.clock.now, realm.sealer)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let messageID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            let mailbox = CounterKey.mails(to: try sealer.digest(address.canonical, for: "mailbox", in: transaction))
            if let later = try transaction.charge(.mailsPerAddress, key: mailbox, at: now) { return later }
            let content = OutboxContent(
                template: "test-mail", locale: locale,
                values: ["email": address.canonical, "at": AccountNotice.text(now)])
            try transaction.send(content, to: address.canonical, about: nil, id: messageID, at: now, sealer: sealer)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .mailTested, userID: nil, context: actor))
            return nil
        }
    }

    /// The newest messages, the oldest of them first.
    public func messages(limit: Int = 200) async throws -> [OpenedMessage] {
        let sealer = realm.sealer
        return try await realm.store.read { transaction in
            try transaction.outboxMessages(limit: limit).map { try OpenedMessage($0, with: sealer) }
        }
    }
}

extension Date {
    /// Later than anything that is due: 9999-12-31.
    fileprivate static let farFuture = Date(timeIntervalSince1970: 253_402_214_400)
}

extension Realm {
    /// Mail and push on their way.
    public var outbox: Outbox { Outbox(realm: self) }
}

extension StoreTransaction {
    /// Puts a message into the outbox, as part of what it tells about. Its delivery is woken after the commit.
    /// - Parameter user: whose it is; it goes when the user is removed. Nil where the address has no account.
    func send(
        _ content: OutboxContent, to recipient: String, about user: UserID?, by channel: OutboxMessage.Channel = .email,
        id: String, at now: Date, sealer: Sealer
    ) throws {
        let sealed = try sealer.seal(content.stored, for: .outbox(id), in: self)
        _ = try insert(
            OutboxMessage(
                id: id, channel: channel, recipient: recipient, createdAt: now, nextAttemptAt: now,
                sealedContent: sealed, userID: user))
    }
}

extension OutboxContent: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var template: String?
        var values: [String: String]?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "template": template = try json.read()
            case "locale": locale = try json.readOptional()
            case "values": values = try json.read()
            case "expiresAt": expiresAt = try json.readOptional()
            case "occasion": occasion = try json.readOptional()
            default: try json.skip()
            }
        }
        self.template = try json.required(template, "template")
        self.values = try json.required(values, "values")
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("expiresAt", optional: expiresAt)
        try json.write("locale", optional: locale)
        try json.write("occasion", optional: occasion)
        try json.write("template", template)
        try json.write("values", values)
        json.endObject()
    }
}

extension OutboxContent.Occasion: StoredJSON {}
