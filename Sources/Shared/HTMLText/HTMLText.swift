/// Text as HTML, escaped scalar by scalar, as browsers and mail programs read it.
///
/// A `Character` is another unit than theirs: a quotation mark with a mark upon it, or behind a sign that binds (Unicode Standard Annex 29,
/// rule GB9b), is another character than a quotation mark, and would end the attribute that it stands in (docs/decisions/0425).
public enum HTMLText {
    /// The text in place of an element's content or of a quoted attribute's value.
    public static func escaped(_ text: String) -> String {
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
