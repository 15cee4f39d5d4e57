import CountersignCore
import Delivery
import ServerHTTP

/// The mails of a server as administrators look at them. They are put into words when the first is looked at, where the server sends none.
struct ShownMails: MailPreviewing {
    let composer: MadeOnce<MailComposer>

    // The configuration has judged the operator's own templates: what is left is a directory that has gone since, which has no mails.
    var kinds: [MailKind] { (try? composer.get())?.kinds ?? [] }

    func preview(_ name: String, locale: String?) -> MailPreview? {
        (try? composer.get())?.preview(name, locale: locale)
    }
}
