import CountersignCore
import Delivery
import Foundation

/// How mails are sent.
public struct MailConfiguration: Sendable {
    /// Nil where mails wait in the outbox.
    public var smtp: SMTPServer?
    /// The sender of mails; present where there is a mail server.
    public var from: MailAddress?
    /// A directory of an operator's own templates.
    public var templates: String?

    /// Sends by `smtp` in the name of `from`; without arguments, mails wait in the outbox.
    public init(smtp: SMTPServer? = nil, from: MailAddress? = nil, templates: String? = nil) {
        self.smtp = smtp
        self.from = from
        self.templates = templates
    }
}

extension ServerConfiguration {
    static func mail(_ sources: inout ConfigurationSources) -> MailConfiguration {
        let from = sender(&sources)
        let templates = templates(&sources)
        let login = login(&sources)
        let authorities = readableFile(.mailSMTPAuthorities, &sources)
        let encryption = encryption(&sources)
        guard let url = sources.text(.mailSMTPURL) else {
            for key in ConfigurationKey.ofMailServer {
                guard let place = sources.text(key)?.place else { continue }
                sources.report(
                    place, "mail.smtp.url is not set", "write where the mail server is, such as smtp://mail.example.com"
                )
            }
            return MailConfiguration(templates: templates)
        }
        guard var server = SMTPServer(url: url.value) else {
            // What was written may hold a password: it is not repeated.
            sources.report(
                url.place, "this is no URL of a mail server",
                "write smtp://HOST:PORT or smtps://HOST:PORT; the login has keys of its own")
            return MailConfiguration(templates: templates)
        }
        if sources.text(.mailFrom) == nil {
            sources.report(
                url.place, "mails have no sender", "write mail.from too, such as Example <login@example.com>")
        }
        (server.login, server.authorities) = (login, authorities?.value)
        if let encryption {
            server.encryption = encryption.value
            if encryption.value == .none, server.isImplicitTLS {
                sources.report(encryption.place, "smtps is always encrypted", "write smtp://… or leave it out")
            } else if encryption.value == .none, server.login != nil, !server.isLoopback {
                sources.report(
                    encryption.place, "the password would go to \(server.host) in plain text",
                    "leave it out, or leave out mail.smtp.user and its password")
            }
        }
        return MailConfiguration(smtp: server, from: from, templates: templates)
    }

    private static func sender(_ sources: inout ConfigurationSources) -> MailAddress? {
        guard let found = sources.text(.mailFrom) else { return nil }
        if let address = MailAddress(mailbox: found.value) { return address }
        sources.report(
            found.place, "\"\(found.value)\" is no sender",
            "write an address such as login@example.com or Example <login@example.com>")
        return nil
    }

    private static func templates(_ sources: inout ConfigurationSources) -> String? {
        guard let found = sources.text(.mailTemplates) else { return nil }
        do {
            _ = try MailComposer(templates: found.value)
            return found.value
        } catch let error as MailTemplateFaults {
            for fault in error.faults {
                sources.report(found.place, fault, "docs/delivery.md says how templates are written")
            }
        } catch {
            sources.report(found.place, "\(error)", "name a directory that this user may read")
        }
        return nil
    }

    private static func login(_ sources: inout ConfigurationSources) -> SMTPServer.Login? {
        let user = sources.text(.mailSMTPUser)
        let (password, file) = (sources.text(.mailSMTPPassword), sources.text(.mailSMTPPasswordFile))
        if password != nil, let file {
            sources.report(file.place, "mail.smtp.password is set too", "write one of the two")
        }
        var text = password?.value
        if let file {
            sources.warnIfExposed(file.value, holding: "the password of the mail server")
            text = FileManager.default.contents(atPath: file.value)
                .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines) }
            if text == nil {
                sources.report(
                    file.place, "\"\(file.value)\" cannot be read",
                    "write the path of a file that this user may read")
                return nil
            }
        }
        switch (user, text, password?.place ?? file?.place) {
        case (let user?, let text?, let place?):
            for (value, place) in [(user.value, user.place), (text, place)]
            where value.isEmpty || value.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
                sources.report(place, "it is empty, or has controls in it", "write one line of text")
            }
            return SMTPServer.Login(user: user.value, password: Secret(text))
        case (let user?, nil, _):
            sources.report(
                user.place, "a user without a password", "write mail.smtp.passwordFile or mail.smtp.password too")
        case (nil, _?, let place?): sources.report(place, "a password without a user", "write mail.smtp.user too")
        default: break
        }
        return nil
    }

    private static func encryption(
        _ sources: inout ConfigurationSources
    ) -> ConfigurationSources.ConfiguredValue<SMTPServer.Encryption>? {
        guard let found = sources.text(.mailSMTPEncryption) else { return nil }
        if let value = SMTPServer.Encryption(rawValue: found.value) {
            return ConfigurationSources.ConfiguredValue(value: value, place: found.place)
        }
        sources.report(found.place, "there is no encryption \"\(found.value)\"", "write required or none")
        return nil
    }
}

extension SMTPServer {
    /// Whether only this machine is spoken to.
    var isLoopback: Bool { ListenAddress("\(host):0")?.isLoopback ?? false }
}
