import HTMLText
import Mustache
import Testing

@Suite struct HTMLTextTests {
    /// A mark upon the sign, and a sign that binds what follows it (Unicode Standard Annex 29, rules GB9 and GB9b): to Swift the two are
    /// one character, and to browsers they are not.
    private static let bound: [(text: String, escaped: String)] = {
        let signs = ["<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;", "&": "&amp;"]
        var found: [(text: String, escaped: String)] = []
        for (sign, escape) in signs {
            for mark in ["", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{338}"] {
                found.append((sign + mark, escape + mark))
            }
            for prefix in ["\u{D4E}", "\u{600}", "\u{110BD}"] { found.append((prefix + sign, prefix + escape)) }
        }
        return found
    }()

    /// By code points: canonically equal texts are others to a browser.
    private static func isSame(_ one: String, _ other: String) -> Bool { Array(one.utf8) == Array(other.utf8) }

    @Test(arguments: bound)
    func `A sign of mark-up is escaped whatever is put upon it`(text: String, escaped: String) {
        #expect(Self.isSame(HTMLText.escaped(text), escaped))
        #expect(Self.isSame(HTMLText.escaped("a\(text)b\(text)"), "a\(escaped)b\(escaped)"))
    }

    @Test(arguments: ["", "a b", "Grüße 🔐", "e\u{301}", "\u{37E}\u{212A}", "\u{0}\r\n\t", "`=/"])
    func `Every other text stays as it is`(text: String) {
        #expect(Self.isSame(HTMLText.escaped(text), text))
    }

    @Test(arguments: bound)
    func `A template of HTML escapes so, in sections and in lists too, and puts mark-up of ours in as it is`(
        text: String, escaped: String
    ) throws {
        let template = try MustacheTemplate(
            html: "<a title=\"{{text}}\">{{#more}}<i>{{.}}</i>{{/more}}{{^none}}{{text}}{{/none}}{{{text}}}</a>")
        let page = template.render(["text": text, "more": [text, text]] as [String: any Sendable])
        let expected = "<a title=\"\(escaped)\"><i>\(escaped)</i><i>\(escaped)</i>\(escaped)\(text)</a>"
        #expect(Self.isSame(page, expected))
    }

    @Test func `A partial escapes so where it is made so`() throws {
        let library = MustacheLibrary(templates: [
            "page": try MustacheTemplate(html: "<p>{{>part}}</p>\n"),
            "part": try MustacheTemplate(html: "<b>{{.}}</b>"),
        ])
        let page = library.render("\"\u{301}", withTemplate: "page")
        #expect(page.map { Self.isSame($0, "<p><b>&quot;\u{301}</b></p>\n") } == true)
    }

    @Test func `A template of plain text escapes nothing, and nothing stands before its text`() throws {
        let template = try MustacheTemplate(plainText: "  {{a}}\n{{#b}}\nB & {{a}}\n{{/b}}\nend")
        #expect(template.render(["a": "<\"'>&", "b": true] as [String: any Sendable]) == "  <\"'>&\nB & <\"'>&\nend")
        #expect(try MustacheTemplate(html: "\n {{a}}").render(["a": "<"]) == "\n &lt;")
    }

    @Test(arguments: [true, false])
    func `What is wrong with a template is told with the line of its writer`(isHTML: Bool) {
        #expect {
            let source = "one\ntwo {{/never}} opened\nthree"
            _ = isHTML ? try MustacheTemplate(html: source) : try MustacheTemplate(plainText: source)
        } throws: { error in
            guard let error = error as? MustacheTemplate.ParserError else { return false }
            return error.context.lineNumber == 2 && error.context.line.contains("two")
        }
    }
}
