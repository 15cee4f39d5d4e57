import Foundation
import Synchronization

/// A kind of mail, and where its words come from.
public struct MailKind: Sendable, Equatable {
    /// One way that it is worded.
    public struct Wording: Sendable, Equatable {
        /// `en`, `de`, …
        public let language: String
        /// When an operator's own file, which takes the place of the built-in words, was changed; nil where the words are built in.
        public let replacedAt: Date?

        /// A wording; without `replacedAt`, a built-in one.
        public init(language: String, replacedAt: Date?) {
            self.language = language
            self.replacedAt = replacedAt
        }
    }

    /// The template's name: `verify-email`, `reset-password`, …
    public let name: String
    /// The languages that it is worded in.
    public let wordings: [Wording]

    /// A kind of mail with its wordings.
    public init(name: String, wordings: [Wording]) {
        self.name = name
        self.wordings = wordings
    }
}

/// A mail as it would be, with made-up values.
public struct MailPreview: Sendable, Equatable {
    /// The language of the words: the one that was asked for, or the one that takes its place.
    public let language: String
    /// The subject line.
    public let subject: String
    /// Plain text.
    public let text: String

    /// A mail that was put into words.
    public init(language: String, subject: String, text: String) {
        self.language = language
        self.subject = subject
        self.text = text
    }
}

/// Puts mails into words, for people who look at them before any is sent.
public protocol MailPreviewing: Sendable {
    /// The kinds of mails that there are.
    var kinds: [MailKind] { get }
    /// - Returns: nil where there is no such mail.
    func preview(_ name: String, locale: String?) -> MailPreview?
}

/// The mails of this process, which the composition root provides.
public final class MailPreviews: Sendable {
    private let source = Mutex<(any MailPreviewing)?>(nil)

    init() {}

    /// Sets what puts mails into words, in place of what did so before.
    public func provide(_ source: any MailPreviewing) { self.source.withLock { $0 = source } }

    /// Empty in a program that makes no mails.
    public var kinds: [MailKind] { source.withLock { $0 }?.kinds ?? [] }

    /// A mail with made-up values; nil where there is no such mail, or this program makes none.
    /// - Parameter locale: BCP 47.
    public func preview(_ name: String, locale: String?) -> MailPreview? {
        source.withLock { $0 }?.preview(name, locale: locale)
    }
}
