import Synchronization

/// What a start tag says by itself, whatever page it is on: what is wrong with its attributes, what it names, where its element may stand.
///
/// The tags of menus, tables and forms are the same on thousands of pages. Each spelling without a fault in how it is written is looked at
/// once in the process.
final class PageTag: Sendable {
    /// Another element that an attribute names.
    struct Reference: Sendable {
        var id: String
        var by: String
    }

    /// A field that wants a label.
    struct Field: Sendable {
        var id: String?
        var text: String
    }

    let name: String
    let endTag: [UInt8]
    let closesItself: Bool
    let faults: [String]
    let id: String?
    let references: [Reference]
    /// What a label is for.
    let label: String?
    let field: Field?
    /// What the element may hold, and what it may stand in; nil: anything.
    let children: Set<String>?
    let parents: Set<String>?

    let isOnce: Bool
    let isVoid: Bool
    /// Whether what looks like a tag in it is none.
    let isText: Bool
    let isBlock: Bool
    let isHeading: Bool
    /// Whether it has phrases in it, and no blocks.
    let isPhrase: Bool
    let isInteractive: Bool
    /// Whether nothing that one presses may be in it.
    let isControl: Bool
    let isForm: Bool
    let isDrawing: Bool

    init(_ name: String, _ attributes: [String: String], closesItself: Bool) {
        self.name = name
        endTag = Array("</\(name)>".utf8)
        self.closesItself = closesItself
        id = attributes["id"]
        label = name == "label" ? attributes["for"] : nil
        references = PageTag.references(name, attributes)
        field = PageTag.field(name, attributes)
        faults = PageTag.faults(name, attributes)
        children = PageTag.children[name]
        parents = PageTag.parents[name]
        isOnce = PageTag.once.contains(name)
        isVoid = PageTag.voids.contains(name)
        isText = PageTag.texts.contains(name)
        isBlock = PageTag.blocks.contains(name)
        isHeading = ["h1", "h2", "h3"].contains(name)
        isPhrase = PageTag.phrases.contains(name)
        isInteractive = PageTag.interactive.contains(name)
        isControl = name == "a" || name == "button"
        isForm = name == "form"
        isDrawing = name == "svg"
    }

    // MARK: Known ones

    private static let kept = Mutex<[String: PageTag]>([:])
    /// Tokens of forms and what is typed into queries are in tags too: those of the first pages are kept, with what they have in common.
    private static let mostKept = 30_000

    static func known(_ spelling: String) -> PageTag? { kept.withLock { $0[spelling] } }

    func keep(as spelling: String) {
        Self.kept.withLock { kept in
            if kept.count < Self.mostKept { kept[spelling] = self }
        }
    }

    // MARK: Elements

    /// What a page has one of.
    static let once = ["title", "h1", "main"]
    private static let voids: Set = ["meta", "link", "input", "img", "br", "hr", "wbr"]
    private static let texts: Set = ["script", "style", "textarea", "title"]
    private static let blocks: Set = [
        "p", "div", "ul", "ol", "dl", "form", "h1", "h2", "h3", "fieldset", "table", "pre", "nav", "section", "header",
        "footer", "article", "main", "details",
    ]
    private static let phrases: Set = [
        "p", "span", "h1", "h2", "h3", "label", "button", "legend", "pre", "bdi", "time", "code", "strong", "em",
    ]
    private static let interactive: Set = ["a", "button", "input", "select", "textarea", "label", "details"]
    private static let children: [String: Set<String>] = [
        "html": ["head", "body"], "head": ["meta", "title", "link", "script", "noscript"], "ul": ["li"], "ol": ["li"],
        "dl": ["div", "dt", "dd"], "table": ["caption", "thead", "tbody", "tr"], "thead": ["tr"], "tbody": ["tr"],
        "tr": ["th", "td"], "select": ["option"],
    ]
    private static let parents: [String: Set<String>] = [
        "head": ["html"], "body": ["html"], "li": ["ul", "ol"], "dt": ["dl", "div"], "dd": ["dl", "div"],
        "caption": ["table"], "thead": ["table"], "tbody": ["table"], "tr": ["table", "thead", "tbody"], "th": ["tr"],
        "td": ["tr"], "option": ["select"], "legend": ["fieldset"], "summary": ["details"], "title": ["head", "svg"],
        "main": ["body", "div"],
    ]

    // MARK: Attributes

    private static func references(_ name: String, _ attributes: [String: String]) -> [Reference] {
        var references: [Reference] = []
        for attribute in ["for", "form", "aria-describedby", "aria-labelledby"] {
            for id in (attributes[attribute] ?? "").split(separator: " ") {
                references.append(Reference(id: String(id), by: "\(attribute) of <\(name)>"))
            }
        }
        if let target = attributes["href"], target.first == "#", target.count > 1 {
            references.append(Reference(id: String(target.dropFirst()), by: "a link"))
        }
        return references
    }

    private static func field(_ name: String, _ attributes: [String: String]) -> Field? {
        guard ["input", "select", "textarea"].contains(name), attributes["aria-label"] == nil else { return nil }
        if name == "input", attributes["type"] == nil || attributes["type"] == "hidden" || attributes["hidden"] != nil {
            return nil
        }
        return Field(id: attributes["id"], text: "\(name) \(attributes["name"] ?? "")")
    }

    private static func faults(_ name: String, _ attributes: [String: String]) -> [String] {
        var faults: [String] = []
        for (attribute, value) in attributes {
            if attribute.hasPrefix("on") || attribute == "style" { faults.append("\(attribute) on <\(name)>") }
            if ["href", "src", "action", "data-options", "data-wait"].contains(attribute), !isAddress(value) {
                faults.append("\(attribute) of <\(name)> leads to \(value.prefix(80))")
            }
        }
        if let id = attributes["id"], id.isEmpty || id.contains(" ") { faults.append("<\(name)> has the id \"\(id)\"") }
        switch name {
        case "html" where attributes["lang", default: ""].isEmpty: faults.append("the page has no language")
        case "img" where attributes["alt"] == nil: faults.append("an image has no alt")
        case "button" where attributes["type"] == nil: faults.append("a button has no type")
        case "script" where attributes["src"] == nil: faults.append("a script has no src")
        case "label" where attributes["for"] == nil: faults.append("a label is for nothing")
        case "input" where attributes["type"] == nil: faults.append("an input has no type")
        default: break
        }
        return faults
    }

    private static func isAddress(_ value: String) -> Bool {
        let starts = [
            "/", "#", "https://", "http://127.0.0.1", "http://localhost", "http://[::1]", "mailto:", "otpauth:",
            "data:image/",
        ]
        // Applications on a person's own device have schemes of their own, with a dot.
        let isOwnScheme = value.prefix { $0 != ":" }.contains(".") && !value.hasPrefix(".")
        return (starts.contains(where: value.hasPrefix) || isOwnScheme) && !value.hasPrefix("//")
    }
}
