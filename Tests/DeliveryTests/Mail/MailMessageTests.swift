import CountersignCore
import Foundation
import Testing

@testable import Delivery

@Suite("Mails")
struct MailMessageTests {
    // MARK: Addresses

    @Test(
        arguments: [
            ("ada@example.org", "ada@example.org"), ("a.b+c@sub.example.org", "a.b+c@sub.example.org"),
            ("ada@bücher.example", "ada@xn--bcher-kva.example"), ("ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"),
            ("ada@localhost", "ada@localhost"), ("!#$%&'*+-/=?^_`{|}~@example.org", "!#$%&'*+-/=?^_`{|}~@example.org"),
            // What a mail server could read otherwise.
            ("ada@example.org\r\nRCPT TO:<eve@example.org>", nil), ("ada\n@example.org", nil),
            ("ada\r@example.org", nil),
            ("ada@example.org>", nil), ("<ada@example.org", nil), ("ada@example.org,eve@example.org", nil),
            ("ada@example.org eve@example.org", nil), ("\"ada smith\"@example.org", nil), ("ada@eve@example.org", nil),
            ("ada@[127.0.0.1]", nil), ("ada\u{0}@example.org", nil), ("ada@exa\u{0}mple.org", nil),
            ("@example.org", nil),
            ("ada@", nil), ("ada", nil), ("", nil), (".ada@example.org", nil), ("ada.@example.org", nil),
            ("a..da@example.org", nil), ("ada@-example.org", nil), ("ada@example..org", nil), ("ada@exa mple.org", nil),
            ("ada@example.org\u{2028}", nil), ("ada@bücher.example/x", nil), ("ada@bü%0d%0acher.example", nil),
            // No local parts beyond ASCII (decision 81).
            ("ädä@example.org", nil), ("猫@example.org", nil),
        ])
    func `Addresses are taken where they are addresses and nothing else`(text: String, expected: String?) {
        #expect(MailAddress(text)?.address == expected)
    }

    @Test(
        arguments: [
            ("Ada <ada@example.org>", "Ada", "ada@example.org"),
            ("\"Ada L.\" <ada@example.org>", "Ada L.", "ada@example.org"),
            ("ada@example.org", nil, "ada@example.org"), ("<ada@example.org>", nil, "ada@example.org"),
            ("Zoë 猫 <ada@example.org>", "Zoë 猫", "ada@example.org"),
        ] as [(String, String?, String)])
    func `A sender may have a name`(text: String, name: String?, address: String) {
        #expect(MailAddress(mailbox: text) == MailAddress(address, name: name))
        #expect(MailAddress(mailbox: text)?.name == name)
    }

    @Test(
        arguments: [
            "", "Ada", "Ada <>", "Ada <ada@example.org", "A\r\nBcc: eve@example.org <ada@example.org>",
            "Eve <eve@x> <ada@example.org>", "A\"B <ada@example.org>", "Ada <ada@example.org>, Eve <eve@example.org>",
        ])
    func `What is no sender is refused`(text: String) {
        #expect(MailAddress(mailbox: text) == nil)
    }

    // MARK: Notices

    private static let notices = [
        "factor-added", "factor-removed", "factors-removed", "password-changed", "password-removed", "passkey-copied",
        "passkey-added",
        "recovery-code-used", "recovery-code-made", "role-granted", "role-revoked", "test-mail", "factor-renamed",
        "factor-frozen", "factor-unfrozen", "profile-changed", "sessions-ended", "application-revoked",
        "deletion-withdrawn",
    ]

    @Test
    func `Each notice of a change is there in every language, with and without the name of a factor`() throws {
        let composer = try MailComposer()
        for name in Self.notices {
            for language in ["en", "de", "ja"] {
                for factor in ["Ada's phone", nil] {
                    var values = ["email": "ada@example.org", "at": "2026-11-22 08:05 UTC"]
                    values["factor"] = factor
                    if name.hasPrefix("role-") { values["role"] = "auditor" }
                    let mail = try #require(
                        composer.compose(
                            OutboxContent(template: name, locale: language, values: values),
                            publicURL: "https://x"))
                    #expect(mail.language == language && !mail.subject.isEmpty)
                    #expect(mail.text.contains("ada@example.org") && mail.text.contains("2026-11-22 08:05 UTC"))
                    #expect(!mail.text.contains("{{") && !mail.text.contains("()") && !mail.text.contains("「」"))
                    #expect(mail.text.contains("auditor") == name.hasPrefix("role-"))
                    let isOfFactor =
                        ["passkey-added", "passkey-copied", "application-revoked"].contains(name)
                        || name.hasPrefix("factor-")
                    let namesFactor = isOfFactor && factor != nil
                    #expect(mail.text.contains("Ada's phone") == namesFactor, "\(mail.text)")
                }
            }
        }
    }

    @Test(arguments: ["en", "de", "ja"])
    func `A mail for a new password says whether the present one still opens the account`(language: String) throws {
        let composer = try MailComposer()
        let texts = try [nil, "true"].map { frozen in
            var values = ["email": "ada@example.org", "link": "/auth/action?code=1"]
            values["frozen"] = frozen
            let content = OutboxContent(template: "reset-password", locale: language, values: values)
            return try #require(composer.compose(content, publicURL: "https://x")).text
        }
        #expect(texts[0] != texts[1])
        for text in texts { #expect(text.contains("/auth/action?code=1") && !text.contains("{{"), "\(text)") }
    }

    // MARK: Headers and bodies

    @Test
    func `A header is one header, whatever stands in it`() {
        for text in ["a\r\nBcc: eve@example.org", "a\nb", "a\rb", "a\u{0}b", "a\u{85}b", "a\u{2028}b", "\r\n\r\nbody"] {
            let header = MailEncoding.header(text)
            for line in header.replacing("\r\n ", with: "").unicodeScalars { #expect(line.value >= 32, "\(text)") }
        }
        #expect(MailEncoding.header("Confirm") == "Confirm")
        #expect(MailEncoding.header("ü") == "=?UTF-8?B?w7w=?=")
        #expect(MailEncoding.header("=?UTF-8?B?w7w=?=").hasPrefix("=?UTF-8?B?PT9VVEY"), "It is not decoded twice.")
        let long = String(repeating: "猫", count: 200)
        let lines = MailEncoding.header(long).components(separatedBy: "\r\n ")
        #expect(lines.count > 5 && lines.allSatisfy { $0.utf8.count <= 75 })
        let decoded = lines.map { line in
            Data(base64Encoded: String(line.dropFirst("=?UTF-8?B?".count).dropLast(2))).map {
                String(decoding: $0, as: UTF8.self)
            } ?? "?"
        }
        #expect(decoded.joined() == long, "Each word has whole characters.")
    }

    @Test
    func `Quoted-printable lines are short, ASCII, and say what the text said`() {
        let table = [
            ("a=b", "a=3Db\r\n"), ("a ", "a=20\r\n"), ("a\tb", "a\tb\r\n"), (".", "=2E\r\n"), ("ü", "=C3=BC\r\n"),
            ("a\nb", "a\r\nb\r\n"), ("a\r\nb", "a\r\nb\r\n"), ("a\rb", "a=0Db\r\n"), ("", "\r\n"),
        ]
        for (text, expected) in table { #expect(MailEncoding.quotedPrintable(text) == expected, "\(text)") }
        let long = String(repeating: "x=ü", count: 100)
        let lines = MailEncoding.quotedPrintable(long).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy { $0 < 128 } })
        #expect(
            lines.joined(separator: "\r\n").replacing("=\r\n", with: "") == String(repeating: "x=3D=C3=BC", count: 100)
                + "\r\n")
    }

    @Test(
        arguments: [
            (0.0, "Thu, 01 Jan 1970 00:00:00 +0000"), (1_790_244_672.9, "Thu, 24 Sep 2026 10:11:12 +0000"),
            (951_782_399.0, "Mon, 28 Feb 2000 23:59:59 +0000"), (951_782_400.0, "Tue, 29 Feb 2000 00:00:00 +0000"),
        ])
    func `Dates are those of RFC 5322, in UTC`(seconds: Double, expected: String) {
        #expect(MailMessage.date(Date(timeIntervalSince1970: seconds)) == expected)
    }

    // MARK: Templates

    private func content(_ template: String, locale: String?) -> OutboxContent {
        OutboxContent(
            template: template, locale: locale,
            values: [
                "link": "auth/action?a=1&b=2", "email": "ada@example.org", "newEmail": "b@example.org",
                "code": "12345678", "at": "2026-11-22 08:05 UTC", "due": "2026-12-06 08:05 UTC",
                "from": "2026-11-23 08:05 UTC",
            ])
    }

    @Test(arguments: MailTemplateSet.names)
    func `Every mail is there in every language, and shows what it is for`(name: String) throws {
        let composer = try MailComposer()
        var subjects: Set<String> = []
        for locale in ["en", "de", "ja"] {
            let mail = try #require(composer.compose(content(name, locale: locale), publicURL: "https://x.example"))
            subjects.insert(mail.subject)
            #expect(mail.language == locale)
            let needed =
                switch name {
                case "code", "recovery-code-held": "12345678"
                case "email-changed": "b@example.org"
                case let name where Self.notices.contains(name): "2026-11-22 08:05 UTC"
                default: "https://x.example/auth/action?a=1&b=2"
                }
            #expect(mail.text.contains(needed))
            #expect(mail.text.contains("2026-11-23 08:05 UTC") == (name == "recovery-code-held"))
            #expect(
                mail.html.contains(needed.replacing("&", with: "&amp;"))
                    && mail.html.contains("<html lang=\"\(locale)\">"))
            #expect(!mail.text.contains("{{") && !mail.html.contains("{{") && !mail.subject.contains("{{"))
            #expect(mail.html.contains("<a href=") == mail.text.contains("https://"))
        }
        #expect(subjects.count == 3)
    }

    @Test(
        arguments: [
            ("de", "de"), ("de-AT", "de"), ("DE", "de"), ("ja_JP", "ja"), ("fr", "en"), ("", "en"), ("-", "en"),
            ("x\r\ny", "en"),
            (nil, "en"),
        ] as [(String?, String)])
    func `The nearest language is taken, and English where there is none`(locale: String?, expected: String) throws {
        #expect(try MailComposer().compose(content("code", locale: locale), publicURL: "")?.language == expected)
    }

    @Test
    func `What is put into a page is escaped there, and not in plain text`() throws {
        var content = content("email-changed", locale: "en")
        content.values["newEmail"] = "<script>&amp;\"'@example.org"
        let mail = try #require(try MailComposer().compose(content, publicURL: ""))
        #expect(mail.text.contains("<script>&amp;\"'@example.org"))
        #expect(!mail.html.contains("<script>") && mail.html.contains("&lt;script&gt;&amp;amp;"))
        #expect(try MailComposer().compose(OutboxContent(template: "none", values: [:]), publicURL: "") == nil)
    }

    private func folder(_ files: [String: String]) throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("templates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: url.appendingPathComponent(name)) }
        return url.path
    }

    @Test
    func `An operator's own files take the place of ours, in languages of their own too`() throws {
        let path = try folder([
            "code.en.mustache": "Subject: Use {{code}}\r\n\r\nHello & {{code}}\r\n",
            "code.fr.mustache": "Subject: Votre code\n\nLe code est {{code}}.", "README": "not a template",
            "layout.html.mustache": "<b>{{subject}}</b>{{#paragraphs}}<i>{{text}}</i>{{/paragraphs}}",
        ])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let composer = try MailComposer(templates: path)
        let english = try #require(composer.compose(content("code", locale: "en"), publicURL: ""))
        #expect(english.subject == "Use 12345678" && english.text == "Hello & 12345678")
        #expect(english.html == "<b>Use 12345678</b><i>Hello &amp; 12345678</i>")
        #expect(composer.compose(content("code", locale: "fr-CA"), publicURL: "")?.subject == "Votre code")
        #expect(composer.compose(content("code", locale: "de"), publicURL: "")?.subject == "12345678 ist Ihr Code")
    }

    /// To Swift a sign with a mark upon it, or behind one that binds, is another character; mail programs read it as a sign.
    @Test
    func `What people chose is text in the mail's mark-up, whatever is put upon its signs`() throws {
        let composer = try MailComposer()
        for sign in ["<", ">", "\"", "'"] {
            for text in [sign + "\u{301}", "\u{D4E}" + sign, "\u{600}" + sign + "\u{FE0F}"] {
                let values = ["email": "ada@example.org", "at": "now", "factor": "AAA\(text)ZZZ"]
                let mail = try #require(
                    composer.compose(OutboxContent(template: "factor-added", values: values), publicURL: "https://x"))
                let shown = mail.html.components(separatedBy: "AAA").dropFirst().compactMap {
                    $0.components(separatedBy: "ZZZ").first
                }
                #expect(!shown.isEmpty)
                for part in shown {
                    #expect(!part.unicodeScalars.contains(Unicode.Scalar(sign.utf8.first ?? 0)), "\(part)")
                }
            }
        }
    }

    @Test
    func `Everything that is wrong with them is said at once`() throws {
        let path = try folder([
            "code.en.mustache": "No subject", "code.de.mustache": "Subject: a\n\n{{#open}}",
            "coed.en.mustache": "Subject: a\n\nb",
            "sign-in.en.mustache": "Subject: a\n\nno link here", "code.EN!.mustache": "x",
            "code.ja.mustache": "Subject:\n\nb",
            "reset-password.en.mustache": "Subject: {{a\n\n{{link}}",
        ])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: MailTemplateFaults.self) { try MailComposer(templates: path) }
        let files = (error?.faults ?? []).map { $0.prefix { $0 != ":" }.description }
        #expect(
            Set(files) == [
                "code.en.mustache", "code.de.mustache", "coed.en.mustache", "code.EN!.mustache", "code.ja.mustache",
                "reset-password.en.mustache",
            ], "\(error?.description ?? "")")
        let useless = try folder([
            "sign-in.en.mustache": "Subject: a\n\nno link here", "layout.html.mustache": "<p>{{subject}}</p>",
        ])
        defer { try? FileManager.default.removeItem(atPath: useless) }
        let second = #expect(throws: MailTemplateFaults.self) { try MailComposer(templates: useless) }
        #expect(
            second?.faults == [
                "layout.html.mustache: it does not show the text of its paragraphs",
                "sign-in.en.mustache: it does not show {{link}}",
            ])
        #expect(throws: MailTemplateFaults.self) { try MailComposer(templates: path + "/nowhere") }
    }
}
