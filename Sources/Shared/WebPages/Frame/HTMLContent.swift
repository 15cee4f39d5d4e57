import Mustache

/// How templates of pages escape what they show: scalar by scalar, as browsers read it.
///
/// The library's own way looks at whole characters. A quotation mark with a mark upon it, or behind a sign that binds (Unicode Standard
/// Annex 29, rule GB9b), is another character to it, and would end the attribute that it stands in.
struct HTMLContent: MustacheContentType {
    private static let name = "PAGE"

    func escapeText(_ text: String) -> String { PageText.escaped(text) }

    private static let pragma: String = {
        MustacheContentTypes.register(HTMLContent(), named: name)
        return "{{% CONTENT_TYPE:\(name)}}\n"
    }()

    /// A template that escapes so. A partial begins with the library's way again: each template has to be made here.
    /// - Throws: `MustacheTemplate.ParserError`.
    static func template(_ source: [UInt8]) throws -> MustacheTemplate {
        try MustacheTemplate(string: pragma + String(decoding: source, as: UTF8.self))
    }
}
