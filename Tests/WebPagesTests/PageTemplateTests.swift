import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import WebPages

@Suite("The frame of pages")
struct PageTemplateTests {
    private struct Content: Sendable {
        var field: PageField?
        var note: String?
    }

    static func visit(
        _ language: PageLanguage = .english, path: String = "/here", headers: HTTPFields = [:], of site: PageSite? = nil
    ) throws -> PageVisit {
        let site =
            try site ?? PageSite(addresses: PageAddresses(published: { ["https://id.example"] }, takesLoopback: false))
        var headers = headers
        if headers[.acceptLanguage] == nil { headers[.acceptLanguage] = language.rawValue }
        let head = HTTPRequest(
            method: .get, scheme: "https", authority: "id.example", path: path, headerFields: headers)
        return site.visit(Request(head: head, body: RequestBody(buffer: ByteBuffer())))
    }

    private func render(
        _ page: Page, _ content: Content = Content(), in language: PageLanguage = .english
    ) throws -> String {
        let template = try PageTemplate(
            Array("{{#field}}\n{{>field}}\n{{/field}}\n{{#note}}<p>{{.}} ({{page.lang}})</p>{{/note}}\n".utf8))
        return template.render(page, content: content, in: try Self.visit(language))
    }

    private let message = PageMessage(title: "Title", text: "Sentence.")

    @Test func `A long address is divided after its dots, its slashes and its at sign, and is the same text`() {
        #expect(PageText(address: "ada@example.com").html == "<bdi>ada@example.com</bdi>")
        let long = PageText(address: "https://<b>.partner-portal.example.com/a?b&c=\u{202E}d")
        #expect(
            long.html
                == "<bdi>https:/<wbr>/<wbr>&lt;b&gt;.<wbr>partner-portal.<wbr>example.<wbr>com/<wbr>a?b&amp;c=\u{FFFD}d</bdi>"
        )
        #expect(long.plain == "https://<b>.partner-portal.example.com/a?b&c=\u{FFFD}d")
        #expect(PageText(address: "ada.lovelace@university.example").html.contains("@<wbr>university"))
    }

    @Test(arguments: PageLanguage.allCases)
    func `A page names its language, its kind, its title twice and the style sheet that the server has`(
        language: PageLanguage
    ) throws {
        let html = try render(Page("verify", message), in: language)
        #expect(html.hasPrefix("<!doctype html>\n<html lang=\"\(language.rawValue)\" dir=\"ltr\">\n"))
        #expect(html.contains("<title>Title – Countersign</title>"))
        #expect(html.contains("<main class=\"card\" data-page=\"verify\">\n<h1>Title</h1>\n<p>Sentence.</p>"))
        #expect(html.contains("href=\"\(PageAssets.styleSheetPath)\""))
        #expect(!html.contains("http-equiv"))
        #expect(!html.contains("<script"))
        #expect(!html.contains("role=\"alert\""))
    }

    /// What is given to a field, as it has it on one line, and on several where that differs.
    private static let values: [(given: String, line: String, lines: String?)] = [
        ("\u{202E}gnp.exe\u{202C}", "\u{FFFD}gnp.exe\u{FFFD}", nil),
        ("\u{2067}a\u{2069}\u{200E}b\u{200F}c\u{61C}", "\u{FFFD}a\u{FFFD}\u{FFFD}b\u{FFFD}c\u{FFFD}", nil),
        ("pay\u{200B}pal\u{2060}\u{FEFF}", "pay\u{FFFD}pal\u{FFFD}\u{FFFD}", nil),
        ("be\u{0}fore\u{1B}[31m", "be\u{FFFD}fore\u{FFFD}[31m", nil),
        ("مرحبا بالعالم ١٢٣ (abc) שלום", "مرحبا بالعالم ١٢٣ (abc) שלום", nil),
        ("می\u{200C}خواهم क्\u{200D}ष 👩🏽‍❤️‍💋‍👨🏿🏴󠁧󠁢󠁳󠁣󠁴󠁿1️⃣", "می\u{200C}خواهم क्\u{200D}ष 👩🏽‍❤️‍💋‍👨🏿🏴󠁧󠁢󠁳󠁣󠁴󠁿1️⃣", nil),
        ("one\r\ntwo\n\tthree", "one\u{FFFD}\u{FFFD}two\u{FFFD}\u{FFFD}three", "one\r\ntwo\n\tthree"),
        ("one\u{2028}two", "one\u{FFFD}two", nil),
        (String(repeating: "ä", count: 5000), String(repeating: "ä", count: 5000), nil),
        ("Z" + String(repeating: "\u{0301}", count: 40), "Z" + String(repeating: "\u{0301}", count: 40), nil),
    ]

    @Test(arguments: values)
    func `A field shows what deceives in its value and gives all else back as it is`(
        given: String, line: String, lines: String?
    ) throws {
        let one = try render(Page("verify", message), .init(field: PageField(name: "n", label: "L", value: given)))
        #expect(Array(one.utf8).contains(Array(" value=\"\(line)\"".utf8)), "\(one)")
        let several = try render(
            Page("verify", message), .init(field: .lines(name: "n", label: "L", value: given, maximumLength: 9)))
        #expect(Array(several.utf8).contains(Array(">\n\(lines ?? line)</textarea>".utf8)), "\(several)")
    }

    @Test func `A field that was left alone gives its text back and one that was changed what was typed`() {
        for (given, _, _) in Self.values {
            #expect(PageField.edited(PageField.shown(given, isMultiline: false), from: given) == given)
            // Browsers end lines by both characters.
            let sent = PageField.shown(given, isMultiline: true).replacing("\r\n", with: "\n").replacing(
                "\n", with: "\r\n")
            #expect(PageField.edited(sent, from: given, isMultiline: true) == given)
            #expect(PageField.edited("another", from: given) == "another")
        }
        #expect(PageField.edited("", from: "\u{202E}x") == "")
        #expect(PageField.edited("x", from: nil) == "x")
    }

    @Test func `JSON with escapes shows what deceives and says the same`() throws {
        let text = "\u{202E}a\u{0}\u{E0041}\n\"\\é👨‍👩‍👧\u{200F}"
        let value = JSONValue.object(["b": .string(text)])
        let escaped = PageText.escapedJSON(String(decoding: try value.jsonText(), as: UTF8.self))
        #expect(escaped.contains("\\u202e") && escaped.contains("\\udb40\\udc41") && escaped.contains("\\u200f"))
        #expect(PageField.shown(escaped, isMultiline: true) == escaped)
        #expect(try JSONParser.parse(Array(escaped.utf8)) == value)
    }

    @Test
    func `A page leads to itself in the other languages, with the rest of its query`() throws {
        let visit = try Self.visit(.german, path: "/sign-in?flow=a%26b&lang=de&csrf=x")
        let html = Page("sign-in", message).html(in: visit)
        #expect(html.contains("<a href=\"/sign-in?flow=a%26b&amp;lang=en\" lang=\"en\""))
        #expect(html.contains("<span aria-current=\"true\" lang=\"de\">Deutsch</span>"))
        #expect(!html.contains("csrf"))
    }

    @Test
    func `A page that chooses what its links say repeats nothing else of its query`() throws {
        var visit = try Self.visit(.german, path: "/here?code=a&target=https%3A%2F%2Fevil.example&lang=de")
        visit.linkItems = ["code": "b"]
        let html = Page("verify", message).html(in: visit)
        #expect(html.contains("<a href=\"/here?code=b&amp;lang=en\" lang=\"en\""))
        #expect(!html.contains("evil") && !html.contains("code=a"))
        visit.linkItems = [:]
        #expect(Page("error", message).html(in: visit).contains("<a href=\"/here?lang=en\" lang=\"en\""))
    }

    @Test(arguments: [(PageLanguage.english, "Error"), (.german, "Fehler"), (.japanese, "エラー")])
    func `A refused page says so in its title and in an alert that has the focus`(
        language: PageLanguage, prefix: String
    ) throws {
        var page = Page("password", message, problem: "Not that.")
        page.problemField = "password"
        let html = try render(page, in: language)
        #expect(html.contains("<title>\(prefix): Title – Countersign</title>"))
        #expect(
            html.contains(
                "<div class=\"problem\" id=\"problem\" role=\"alert\" tabindex=\"-1\" autofocus><p>Not that.</p>"
                    + "<p><a href=\"#password\">"))
    }

    @Test
    func `A page that waits is loaded again by the browser, where it has a script only without that`() throws {
        var page = Page("push", message, refreshSeconds: 4)
        #expect(try render(page).contains("\n<meta http-equiv=\"refresh\" content=\"4\">"))
        page.refreshesWithoutScript = true
        page.script = .wait
        let html = try render(page)
        #expect(html.contains("<noscript><meta http-equiv=\"refresh\" content=\"4\"></noscript>"))
        #expect(html.contains("<script src=\"\(PageAssets.path(of: .wait))\" defer></script>"))
    }

    @Test
    func `What comes from outside cannot add mark-up, wherever it stands`() throws {
        let attack = "\"><script>'&"
        var page = Page("error", PageMessage(title: attack, text: attack), problem: attack)
        let form = PageForm(
            action: attack, hidden: [.init(name: attack, value: attack)],
            choices: .init(
                legend: attack, name: attack,
                options: [.init(id: attack, value: attack, label: PageText(chosen: attack), hint: attack)]),
            buttons: [.init(attack, name: attack, value: attack)])
        page.blocks = [
            .text(PageText(attack)), .heading(attack), .form(form), .notice(PageText(chosen: attack)),
            .links([.init(PageText(attack), to: attack)]), .status(.init(attack, path: attack)),
            .items([.init(PageText(chosen: attack), details: [PageText(attack)], form: form)]),
            .code(.init(caption: attack, text: attack, link: .init(PageText(attack), to: attack))),
        ]
        let field = PageField.newPassword(
            name: attack, label: attack, advice: attack, minimumLength: 8, isInvalid: true)
        let html = try render(page, Content(field: field, note: attack))
        #expect(!html.contains("<script"))
        #expect(!html.contains("\"\">"))
    }

    @Test
    func `Characters that turn the direction of text, or that are invisible, are shown as such`() {
        let text = PageText(chosen: "a\u{202E}b\u{0}c\u{2067}d\ne")
        #expect(text.plain == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e")
        #expect(text.html == "<bdi>\(text.plain)</bdi>")
        #expect(PageText(chosen: String(repeating: "é", count: 500)).plain.count == PageText.longestChosenText + 1)
        #expect(PageText(chosen: "日本語 👩‍🚀").plain == "日本語 👩‍🚀")
    }

    @Test
    func `Of what is not seen, pages show joiners and selectors of variants alone`() {
        let planes: [ClosedRange<UInt32>] = [0...0xFFFF, 0x1BC00...0x1D1FF, 0xE0000...0xE1000]
        let all = planes.joined().compactMap { Unicode.Scalar($0) }
        #expect(all.filter(PageText.isHarmful).allSatisfy(PlainText.isInvisible))
        let shown = all.filter { PlainText.isInvisible($0) && !PageText.isHarmful($0) }.map(\.value)
        let joining: [UInt32] = [0x180B, 0x180C, 0x180D, 0x180F, 0x200C, 0x200D] + Array(0xFE00...0xFE0F)
        #expect(shown == joining)
    }

    @Test(arguments: [
        ("pay\u{200B}pal\u{2060}\u{FEFF}\u{AD}", "pay\u{FFFD}pal\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("\u{3164}\u{115F}", "\u{FFFD}\u{FFFD}"), ("\u{200D}\u{FE0F}", "\u{FFFD}"),
        ("Z" + String(repeating: "\u{301}", count: 500) + "a", "Z" + String(repeating: "\u{301}", count: 6) + "a"),
        ("ada\u{E0068}", "ada\u{FFFD}"), ("ada\u{1BCA0}", "ada\u{FFFD}"), ("\u{180B}", "\u{FFFD}"),
        (" \u{3000}\u{2800}", "\u{FFFD}\u{FFFD}\u{FFFD}"), (" a ", " a "), ("", ""),
        // What people write with the same means: flags, families, tones, keycaps, Persian, Hindi, Thai, Vietnamese.
        ("🏴󠁧󠁢󠁳󠁣󠁴󠁿🇩🇪", "🏴󠁧󠁢󠁳󠁣󠁴󠁿🇩🇪"), ("👩🏽‍❤️‍💋‍👨🏿1️⃣", "👩🏽‍❤️‍💋‍👨🏿1️⃣"), ("می‌خواهم", "می‌خواهم"),
        ("क्षत्रिय", "क्षत्रिय"), ("ที่นี่", "ที่นี่"), ("Nguye\u{302}\u{303}n", "Nguye\u{302}\u{303}n"),
    ])
    func `A chosen text shows what it is made of, and marks that do not cover others`(chosen: String, shown: String) {
        let text = PageText(chosen: chosen).plain
        #expect(Array(text.unicodeScalars) == Array(shown.unicodeScalars), "\(text)")
    }

    @Test
    func `The content reads the page's language and its own members`() throws {
        #expect(try render(Page("enrol", message), Content(note: "N"), in: .german).contains("<p>N (de)</p>"))
    }

    @Test(arguments: [true, false])
    func `A refused field refers to the problem (WCAG 2.2, success criterion 3.3.1), another does not`(isInvalid: Bool)
        throws
    {
        let tie = "aria-invalid=\"true\" aria-describedby=\"problem\""
        let password = PageField.newPassword(
            name: "new_password", label: "New password", advice: "Long.", minimumLength: 15, isInvalid: isInvalid)
        let html = try render(
            Page("reset", message, problem: isInvalid ? "Too short." : nil), Content(field: password))
        #expect(html.contains("<label for=\"new_password\">New password</label>"))
        #expect(
            html.contains("id=\"new_password\" name=\"new_password\" type=\"password\" autocomplete=\"new-password\""))
        #expect(html.contains("minlength=\"15\""))
        #expect(html.contains("<p class=\"hint\" id=\"new_password-hint\">Long.</p>"))
        #expect(
            html.contains("aria-invalid=\"true\" aria-describedby=\"new_password-hint problem\"") == isInvalid)
        #expect(
            html.contains("minlength=\"15\" aria-describedby=\"new_password-hint\" autofocus>") == !isInvalid)
        let code = try render(
            Page("code", message),
            Content(field: .oneTimeCode(name: "code", label: "Code", isInvalid: isInvalid)))
        #expect(
            code.contains("inputmode=\"numeric\" autocomplete=\"one-time-code\" pattern=\"[0-9 ]*\" maxlength=\"16\""))
        #expect(!code.contains("minlength"))
        #expect(code.contains(tie) == isInvalid)
    }

    /// A mark upon the sign, and a sign that binds what follows it (Unicode Standard Annex 29, rules GB9 and GB9b): to Swift the two are
    /// one character, and to browsers they are not.
    static let bound = ["<", ">", "\"", "'", "&"].flatMap { sign in
        ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{338}"].map { sign + $0 }
            + ["\u{D4E}", "\u{600}", "\u{110BD}"].map { $0 + sign }
    }

    @Test(arguments: bound)
    func `A sign of mark-up is escaped whatever is put upon it`(text: String) throws {
        let sign = try #require(text.unicodeScalars.first { $0.isASCII })
        let hostile = "AAA\(text)ZZZ"
        let field = PageField(name: "username", label: hostile, value: hostile)
        let form = PageForm(
            action: "/here?a=\(hostile)", hidden: [.init(name: "state", value: hostile)], fields: [field],
            buttons: [.init(hostile, name: "decision", value: hostile)])
        let page = Page(
            "sign-in", PageText(chosen: hostile), PageText(hostile), problem: nil,
            [.form(form), .links([.init(PageText(hostile), to: "/there?\(hostile)")])])
        let pages = [try render(page, Content(field: field, note: hostile)), page.html(in: try Self.visit())]
        for html in pages {
            let shown = html.components(separatedBy: "AAA").dropFirst().compactMap {
                $0.components(separatedBy: "ZZZ").first?.unicodeScalars
            }
            #expect(shown.count >= 4)
            for scalars in shown {
                // What an escape is written with.
                let rest = sign == "&" ? Array(scalars.drop { $0 != "&" }.dropFirst()) : Array(scalars)
                #expect(!rest.contains(sign), "\(String(String.UnicodeScalarView(scalars)))")
            }
        }
    }

    @Test
    func `Fields that have no length say none, and where something is wrong the keyboard goes to one place`() throws {
        let fields = ["text", "number", "date"].map { PageField(name: $0, label: "A", type: $0) }
        for problem in [nil, "Not that."] as [String?] {
            var page = Page("sign-in", message, problem: problem)
            page.blocks = [.form(PageForm(action: "/here", fields: [fields[0]], buttons: []))]
            let html = page.html(in: try Self.visit())
            #expect(html.components(separatedBy: " autofocus").count == 2)
        }
        let lengths = try fields.map { field in
            try render(Page("sign-in", message), Content(field: field)).contains("maxlength=\"256\"")
        }
        #expect(lengths == [true, false, false])
    }

    @Test
    func `The policy of a page admits its own scripts only where it has one, and the way out of its forms`() throws {
        var page = Page("consent", message)
        #expect(page.contentSecurityPolicy.hasPrefix("default-src 'none'; style-src 'self';"))
        #expect(page.contentSecurityPolicy.hasSuffix("form-action 'self'"))
        page.formActions = ["https://app.example"]
        #expect(page.contentSecurityPolicy.hasSuffix("form-action 'self' https://app.example"))
        page.formsLeadOn = true
        #expect(page.contentSecurityPolicy.hasSuffix("frame-ancestors 'none'"))
        page.formsLeadOn = false
        page.script = .wait
        #expect(
            page.contentSecurityPolicy.hasSuffix(
                "script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'"))
        for source in ["unsafe", "nonce", "*", "http:"] { #expect(!page.contentSecurityPolicy.contains(source)) }
    }
}
