import CountersignCore
import CountersignServer
import Delivery
import Foundation
import TestSupport
import Testing

@Suite("Configuration of mail")
struct MailConfigurationTests {
    private let folder: URL
    private let password: String

    init() throws {
        folder = try TestRun.place(for: "mail-configuration")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        password = folder.appendingPathComponent("password").path
        try Data("s3cret ü\n".utf8).write(to: URL(fileURLWithPath: password))
    }

    private func load(_ values: [String: String]) async throws -> ServerConfiguration {
        let named = values.map { ("COUNTERSIGN_MAIL_\($0.key)", $0.value) }
        return try await ServerConfiguration.load(environment: Dictionary(uniqueKeysWithValues: named))
    }

    /// The faults, without the beginning that all names share.
    private func faults(_ values: [String: String]) async throws -> [String] {
        do {
            _ = try await load(values)
            return []
        } catch let faults as ConfigurationFaults {
            #expect(!"\(faults)".contains("s3cret"))
            return faults.faults.map { $0.description.replacing("COUNTERSIGN_MAIL_", with: "") }
        }
    }

    @Test
    func `A mail server with a login, whose password is read and printed nowhere`() async throws {
        let authorities = folder.appendingPathComponent("root.pem").path
        try Data("PEM".utf8).write(to: URL(fileURLWithPath: authorities))
        let mail = try await load([
            "FROM": "Example <login@example.com>", "SMTP_URL": "smtp://mail.example.com", "SMTP_USER": "countersign",
            "SMTP_PASSWORD_FILE": password, "SMTP_AUTHORITIES": authorities,
        ]).mail
        let server = try #require(mail.smtp)
        #expect(mail.from?.address == "login@example.com" && mail.from?.name == "Example")
        #expect(server.host == "mail.example.com" && server.port == 587 && !server.isImplicitTLS)
        #expect(server.encryption == .required && server.authorities == authorities)
        #expect(server.login?.user == "countersign" && server.login?.password.reveal() == "s3cret ü")
        #expect(!String(describing: mail).contains("s3cret"))
        let direct = try await load([
            "FROM": "a@b.example", "SMTP_URL": "smtps://m.example:1465", "SMTP_USER": "u", "SMTP_PASSWORD": "p",
        ]).mail
        #expect(direct.smtp?.isImplicitTLS == true && direct.smtp?.port == 1465)
        #expect(direct.smtp?.login?.password.reveal() == "p")
        #expect(try await load([:]).mail.smtp == nil)
    }

    @Test
    func `Plain text is for this machine, or a choice that is said`() async throws {
        let local = ["FROM": "a@b.example", "SMTP_URL": "smtp://127.0.0.1:25", "SMTP_ENCRYPTION": "none"]
        #expect(try await load(local).warnings.isEmpty)
        let remote = local.merging(["SMTP_URL": "smtp://relay.example:25"]) { $1 }
        #expect(try await load(remote).warnings.filter { $0.contains("relay.example in plain text") }.count == 1)
        let withLogin = ["SMTP_USER": "u", "SMTP_PASSWORD": "s3cret"]
        #expect(try await load(local.merging(withLogin) { $1 }).mail.smtp?.login != nil)
        #expect(
            try await faults(remote.merging(withLogin) { $1 }) == [
                "SMTP_ENCRYPTION: the password would go to relay.example in plain text; "
                    + "leave it out, or leave out mail.smtp.user and its password"
            ])
    }

    @Test(
        arguments: [
            (["SMTP_URL": "smtp://mail.example.com"], ["SMTP_URL: mails have no sender"]),
            (
                ["SMTP_URL": "smtp://u:s3cret@mail.example.com", "FROM": "a@b.example"],
                ["SMTP_URL: this is no URL of a mail server"]
            ),
            (["FROM": "a@b.example"], ["FROM: mail.smtp.url is not set"]),
            (["FROM": "A\r\nBcc: e@x.example <a@b.example>", "SMTP_URL": "smtp://m.example"], ["FROM: "]),
            (
                ["SMTP_USER": "u", "SMTP_URL": "smtp://m.example", "FROM": "a@b.example"],
                ["SMTP_USER: a user without a password"]
            ),
            (
                ["SMTP_PASSWORD": "s3cret", "SMTP_URL": "smtp://m.example", "FROM": "a@b.example"],
                ["SMTP_PASSWORD: a password without a user"]
            ),
            (
                [
                    "SMTP_PASSWORD_FILE": "/nowhere", "SMTP_USER": "u", "SMTP_URL": "smtp://m.example",
                    "FROM": "a@b.example",
                ], ["SMTP_PASSWORD_FILE: \"/nowhere\" cannot be read"]
            ),
            (
                ["SMTP_PASSWORD": "a\nb", "SMTP_USER": "u", "SMTP_URL": "smtp://m.example", "FROM": "a@b.example"],
                ["SMTP_PASSWORD: it is empty, or has controls in it"]
            ),
            (
                ["SMTP_AUTHORITIES": "/nowhere", "SMTP_URL": "smtp://m.example", "FROM": "a@b.example"],
                ["SMTP_AUTHORITIES: \"/nowhere\" cannot be read"]
            ),
            (
                ["SMTP_ENCRYPTION": "maybe", "SMTP_URL": "smtp://m.example", "FROM": "a@b.example"],
                ["SMTP_ENCRYPTION: there is no encryption \"maybe\""]
            ),
            (
                ["SMTP_ENCRYPTION": "none", "SMTP_URL": "smtps://m.example", "FROM": "a@b.example"],
                ["SMTP_ENCRYPTION: smtps is always encrypted"]
            ),
            (["TEMPLATES": "/nowhere"], ["TEMPLATES: /nowhere: it is no directory that can be read"]),
            // All at once.
            (
                ["FROM": "nobody", "SMTP_USER": "u", "SMTP_ENCRYPTION": "x"],
                [
                    "FROM: ", "SMTP_USER: a user", "SMTP_ENCRYPTION: there", "FROM: mail.smtp.url",
                    "SMTP_USER: mail.smtp.url", "SMTP_ENCRYPTION: mail.smtp.url",
                ]
            ),
        ] as [([String: String], [String])])
    func `Each fault says what to write instead`(values: [String: String], expected: [String]) async throws {
        let found = try await faults(values)
        #expect(found.count == expected.count, "\(found)")
        for (fault, beginning) in zip(found, expected) { #expect(fault.hasPrefix(beginning)) }
        #expect(found.allSatisfy { $0.contains("; ") })
    }

    @Test
    func `Broken templates are faults of the configuration, each by its file`() async throws {
        for (name, text) in [("code.en.mustache", "no subject"), ("sign-in.de.mustache", "Subject: a\n\n{{#b}}")] {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        let found = try await faults(["TEMPLATES": folder.path])
        #expect(found.count == 2)
        #expect(found.first?.hasPrefix("TEMPLATES: code.en.mustache: it has to begin with a line Subject: …") == true)
        #expect(found.last?.hasPrefix("TEMPLATES: sign-in.de.mustache: ") == true)
    }
}
