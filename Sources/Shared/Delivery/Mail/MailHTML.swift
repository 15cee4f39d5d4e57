import Mustache

/// How the HTML part of mails escapes what it shows: scalar by scalar, as mail programs read it.
///
/// The library's own way looks at whole characters. A quotation mark with a mark upon it, or behind a sign that binds (Unicode Standard
/// Annex 29, rule GB9b), is another character to it, and would stay as it is. Pages have the same (`HTMLContent` in `WebPages`).
struct MailHTML: MustacheContentType {
    private static let name = "MAIL"

    /// What a template begins with that escapes so.
    static let pragma: String = {
        MustacheContentTypes.register(MailHTML(), named: name)
        return "{{% CONTENT_TYPE:\(name)}}\n"
    }()

    func escapeText(_ text: String) -> String {
        var html = ""
        html.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(scalar)
            }
        }
        return html
    }
}
