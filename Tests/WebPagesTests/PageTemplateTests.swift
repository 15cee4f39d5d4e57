import Testing

@testable import WebPages

@Suite("The frame of pages")
struct PageTemplateTests {
    private struct Content: Sendable {
        var field: PageField?
        var note: String?
    }

    private func render(_ page: Page, _ content: Content = Content()) throws -> String {
        let template = try PageTemplate(
            Array("{{#field}}\n{{>field}}\n{{/field}}\n{{#note}}<p>{{.}} ({{page.lang}})</p>{{/note}}\n".utf8))
        return template.render(page, content: content)
    }

    private let message = PageMessage(title: "Title", text: "Sentence.")

    @Test(
        arguments: PageLanguage.allCases)
    func `A page names its language, its title twice and the style sheet that the server has`(language: PageLanguage)
        throws
    {
        let html = try render(Page(message, in: language))
        #expect(html.hasPrefix("<!doctype html>\n<html lang=\"\(language.rawValue)\">\n"))
        #expect(html.contains("<title>Title</title>"))
        #expect(html.contains("<h1>Title</h1>\n<p>Sentence.</p>"))
        #expect(html.contains("href=\"\(PageAssets.styleSheetPath)\""))
        #expect(!html.contains("http-equiv"))
        #expect(!html.contains("role=\"alert\""))
    }

    @Test(
        arguments: [(PageLanguage.english, "Error"), (.german, "Fehler"), (.japanese, "エラー")])
    func `A refused page says so in its title and in an alert`(language: PageLanguage, prefix: String) throws {
        let html = try render(Page(message, in: language, problem: "Not that."))
        #expect(html.contains("<title>\(prefix): Title</title>"))
        #expect(html.contains("<p class=\"problem\" id=\"problem\" role=\"alert\">Not that.</p>"))
    }

    @Test
    func `A page that waits is loaded again by the browser`() throws {
        let html = try render(Page(message, in: .english, refreshSeconds: 4))
        #expect(html.contains("<meta http-equiv=\"refresh\" content=\"4\">"))
    }

    @Test
    func `What comes from outside cannot add mark-up, wherever it stands`() throws {
        let attack = "\"><script>'&"
        let page = Page(PageMessage(title: attack, text: attack), in: .english, problem: attack)
        let field = PageField.newPassword(name: attack, label: attack, minimumLength: 8, isInvalid: true)
        let html = try render(page, Content(field: field, note: attack))
        #expect(!html.contains("<script"))
        #expect(!html.contains("\"\">"))
    }

    @Test
    func `The content reads the page's language and its own members`() throws {
        #expect(try render(Page(message, in: .german), Content(note: "N")).contains("<p>N (de)</p>"))
    }

    @Test(
        arguments: [true, false])
    func `A refused field refers to the problem (WCAG 2.2, success criterion 3.3.1), another does not`(isInvalid: Bool)
        throws
    {
        let tie = "aria-invalid=\"true\" aria-describedby=\"problem\""
        let password = PageField.newPassword(
            name: "new_password", label: "New password", minimumLength: 15, isInvalid: isInvalid)
        let html = try render(
            Page(message, in: .english, problem: isInvalid ? "Too short." : nil), Content(field: password))
        #expect(html.contains("<label for=\"new_password\">New password</label>"))
        #expect(
            html.contains("id=\"new_password\" name=\"new_password\" type=\"password\" autocomplete=\"new-password\""))
        #expect(html.contains("minlength=\"15\""))
        #expect(html.contains(tie) == isInvalid)
        let code = try render(
            Page(message, in: .english),
            Content(field: .oneTimeCode(name: "code", label: "Code", isInvalid: isInvalid)))
        #expect(
            code.contains("inputmode=\"numeric\" autocomplete=\"one-time-code\" pattern=\"[0-9 ]*\" maxlength=\"16\""))
        #expect(!code.contains("minlength"))
        #expect(code.contains(tie) == isInvalid)
    }
}
