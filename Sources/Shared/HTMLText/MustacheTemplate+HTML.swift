import Mustache

/// How templates of HTML escape what they show. The library's own way looks at whole characters.
private struct HTMLContent: MustacheContentType {
    static let name = "HTMLTEXT"

    func escapeText(_ text: String) -> String { HTMLText.escaped(text) }
}

extension MustacheTemplate {
    /// What a template begins with that escapes so. It is a line of its own, which leaves nothing in what is made.
    private static let htmlPragma: String = {
        MustacheContentTypes.register(HTMLContent(), named: HTMLContent.name)
        return "{{% CONTENT_TYPE:\(HTMLContent.name)}}\n"
    }()

    /// A template of HTML: `{{name}}` is escaped by ``HTMLText/escaped(_:)``, `{{{name}}}` is put in as it is. A partial begins with the
    /// library's way again: each is to be made here.
    /// - Throws: `MustacheTemplate.ParserError`, with the lines of `source`.
    public init(html source: String) throws {
        try self.init(source, after: Self.htmlPragma)
    }

    /// A template of plain text: nothing is escaped.
    /// - Throws: `MustacheTemplate.ParserError`, with the lines of `source`.
    public init(plainText source: String) throws {
        try self.init(source, after: "{{% CONTENT_TYPE:TEXT}}\n")
    }

    private init(_ source: String, after pragma: String) throws {
        do {
            try self.init(string: pragma + source)
        } catch {
            // What is wrong is told with the line that its writer knows.
            _ = try MustacheTemplate(string: source)
            throw error
        }
    }
}
