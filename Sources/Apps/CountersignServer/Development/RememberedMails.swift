import CountersignCore
import Delivery
import Synchronization

/// The mails of the developer's inbox in words. The inbox is asked for again and again, by tests for each code, and a message says the same each
/// time.
final class RememberedMails: Sendable {
    private let mails = Mutex<[String: ComposedMail?]>([:])
    private static let most = 2000

    /// The mail that a message is; nil for one of another kind.
    func mail(of opened: OpenedMessage, by composer: MailComposer, publicURL: String) -> ComposedMail? {
        let key = "\(opened.message.id) \(publicURL)"
        if let known = mails.withLock({ $0[key] }) { return known }
        let mail = composer.compose(opened.content, publicURL: publicURL)
        mails.withLock { mails in
            if mails.count >= Self.most { mails = [:] }
            mails[key] = .some(mail)
        }
        return mail
    }
}
