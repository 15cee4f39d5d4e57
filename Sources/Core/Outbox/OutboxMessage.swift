import Foundation

/// A mail or push on its way, written in the transaction that decided to send it and delivered after the commit.
///
/// **How the files of this folder meet.** A transaction writes an `OutboxMessage` whose text is an `OutboxContent`, sealed.
/// `OutboxDelivery` takes what is due, hands it to the `MessageSender` that the composition root provides, and tries again;
/// `DeliveryStatistics` counts what became of messages. `AccountNotice` writes the mails that tell a user of a change to the account.
public struct OutboxMessage: Sendable, Equatable {
    /// How a message is delivered.
    public enum Channel: String, Sendable, Codable, CaseIterable {
        /// As a mail, by SMTP.
        case email
        /// To a device, by its push service or because it asks.
        case push
        /// A code that a service of the developer's own delivers (``ExtensionEvent/otpSend``).
        case otp
        /// That a session ended, to an application (OpenID Connect Back-Channel Logout 1.0). It has an application's id as recipient.
        case logout
    }

    /// Sorts by time of creation.
    public let id: String
    /// How it is delivered.
    public let channel: Channel
    /// An e-mail address, the id of a device account, or of an application.
    public let recipient: String
    /// When it was written, with the reason for it.
    public let createdAt: Date
    /// Attempts to deliver so far.
    public var attempts: Int
    /// When it is tried next; while a server has it, when another may take it.
    public var nextAttemptAt: Date
    /// When it was delivered; nil while it waits.
    public var deliveredAt: Date?
    /// A sealed ``OutboxContent``: it carries links and codes.
    public let sealedContent: Data
    /// The user it is about, if any: it may go to an address that is not the user's any more, or not yet.
    public let userID: UserID?

    /// The row as stores read and write it. Transactions that send something make rows.
    public init(
        id: String, channel: Channel, recipient: String, createdAt: Date, attempts: Int = 0, nextAttemptAt: Date,
        deliveredAt: Date? = nil, sealedContent: Data, userID: UserID? = nil
    ) {
        self.id = id
        self.channel = channel
        self.recipient = recipient
        self.createdAt = createdAt
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.deliveredAt = deliveredAt
        self.sealedContent = sealedContent
        self.userID = userID
    }
}

/// That there is a message, without what it says.
public struct OutboxArrival: Sendable, Hashable {
    /// The message's id.
    public let id: String
    /// The recipient, as the message has it.
    public let recipient: String

    /// A message as a look of ``DeviceWatch`` finds it.
    public init(id: String, recipient: String) {
        self.id = id
        self.recipient = recipient
    }
}
