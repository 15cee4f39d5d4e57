import Foundation

/// Reads the HTML of a page more strictly than browsers do, and says what is wrong with it: each element is closed where it has to be and
/// stands where it may (HTML Living Standard, section 4), attributes are quoted and there once, characters are escaped, what names another
/// element finds it, every field has a label, and nothing runs or is styled in the page itself.
struct PageMarkup {
    private(set) var faults: [String] = []

    private let bytes: [UInt8]
    private var index = 0
    private var open: [String] = []
    private var counts: [String: Int] = [:]
    private var ids: Set<String> = []
    private var references: [(id: String, by: String)] = []
    /// Fields that want a label, and what labels are for.
    private var fields: [(id: String?, text: String)] = []
    private var labelled: Set<String> = []

    static func faults(in html: String) -> [String] {
        var markup = PageMarkup(bytes: Array(html.utf8))
        markup.read()
        return markup.faults
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private static let voids: Set = ["meta", "link", "input", "img", "br", "hr", "wbr"]
    /// Elements whose content is text: what looks like a tag in them is none.
    private static let texts: Set = ["script", "style", "textarea", "title"]
    private static let blocks: Set = [
        "p", "div", "ul", "ol", "dl", "form", "h1", "h2", "h3", "fieldset", "table", "pre", "nav", "section", "header",
        "footer", "article", "main", "details",
    ]
    /// Elements with phrases in them, and no blocks.
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

    // MARK: Reading

    private mutating func read() {
        let doctype = Array("<!doctype html>\n".utf8)
        if !bytes.starts(with: doctype) { faults.append("does not begin with its doctype") }
        index = doctype.count
        while index < bytes.count, faults.count < 8 {
            switch bytes[index] {
            case UInt8(ascii: "<"):
                if at(index + 1) == UInt8(ascii: "/") { readEnd() } else { readStart() }
            case UInt8(ascii: "&"):
                checkReference(index)
                index += 1
            default: index += 1
            }
        }
        if !open.isEmpty { faults.append("open at the end: \(open.joined(separator: " "))") }
        for name in ["title", "h1", "main"] where counts[name] != 1 {
            faults.append("has \(counts[name] ?? 0) \(name)")
        }
        for reference in references where !ids.contains(reference.id) {
            faults.append("\(reference.by) names \(reference.id), which is not there")
        }
        for field in fields where field.id.map({ !labelled.contains($0) }) ?? true {
            faults.append("no label: \(field.text)")
        }
    }

    private func at(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private mutating func readName() -> String {
        let start = index
        while let byte = at(index), Self.isName(byte) { index += 1 }
        return text(start..<index)
    }

    private mutating func readEnd() {
        index += 2
        let name = readName()
        guard at(index) == UInt8(ascii: ">") else { return fail("the end tag \(name) goes on") }
        index += 1
        if open.last == name { open.removeLast() } else { fail("</\(name)> where \(open.last ?? "nothing") is open") }
    }

    private mutating func readStart() {
        index += 1
        let name = readName()
        guard !name.isEmpty else { return fail("a < that begins no tag") }
        var attributes: [String: String] = [:]
        while let byte = at(index) {
            if byte == UInt8(ascii: ">") {
                index += 1
                break
            }
            if byte == UInt8(ascii: "/"), at(index + 1) == UInt8(ascii: ">") {
                index += 2
                judge(name, attributes)
                return open.contains("svg") ? () : fail("<\(name)/> closes itself")
            }
            guard byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") else { return fail("<\(name)> is cut short") }
            index += 1
            guard let next = at(index), Self.isName(next) else { continue }
            let attribute = readName()
            var value = ""
            if at(index) == UInt8(ascii: "=") {
                guard at(index + 1) == UInt8(ascii: "\"") else {
                    return fail("\(attribute) of <\(name)> is not quoted")
                }
                index += 2
                let start = index
                while let byte = at(index), byte != UInt8(ascii: "\"") {
                    if byte == UInt8(ascii: "<") { fail("a < in \(attribute) of <\(name)>") }
                    if byte == UInt8(ascii: "&") { checkReference(index) }
                    index += 1
                }
                value = text(start..<index)
                index += 1
            }
            if attributes.updateValue(value, forKey: attribute) != nil { fail("\(attribute) is twice on <\(name)>") }
        }
        judge(name, attributes)
        if Self.voids.contains(name) { return }
        open.append(name)
        if Self.texts.contains(name) { readText(of: name) }
    }

    private mutating func readText(of name: String) {
        let start = index
        let end = Array("</\(name)>".utf8)
        while index < bytes.count, !bytes[index...].starts(with: end) {
            if bytes[index] == UInt8(ascii: "&") { checkReference(index) }
            index += 1
        }
        if ["script", "style"].contains(name), index > start { fail("<\(name)> has content") }
    }

    private mutating func checkReference(_ start: Int) {
        let end = bytes[start..<min(start + 12, bytes.count)].firstIndex(of: UInt8(ascii: ";")) ?? start
        let name = end > start ? text(start + 1..<end) : ""
        let isKnown =
            ["amp", "lt", "gt", "quot"].contains(name)
            || name.first == "#" && name.count > 1 && name.dropFirst().allSatisfy { $0.isHexDigit || $0 == "x" }
        if !isKnown { fail("an & that is no character reference: \(text(start..<min(start + 12, bytes.count)))") }
    }

    private mutating func fail(_ fault: String) {
        faults.append(fault)
        if index < bytes.count, bytes[index] == UInt8(ascii: "<") { index += 1 }
    }

    // MARK: Judging

    private mutating func judge(_ name: String, _ attributes: [String: String]) {
        if !open.contains("svg") {
            counts[name, default: 0] += 1
            judgePlace(of: name)
        }
        for (attribute, value) in attributes {
            if attribute.hasPrefix("on") || attribute == "style" { faults.append("\(attribute) on <\(name)>") }
            if ["href", "src", "action", "data-options", "data-wait"].contains(attribute) {
                judgeAddress(value, "\(attribute) of <\(name)>")
            }
        }
        if let id = attributes["id"] {
            if id.isEmpty || id.contains(" ") { faults.append("<\(name)> has the id \"\(id)\"") }
            if !ids.insert(id).inserted { faults.append("the id \(id) is there twice") }
        }
        for attribute in ["for", "form", "aria-describedby", "aria-labelledby"] {
            for id in (attributes[attribute] ?? "").split(separator: " ") {
                references.append((String(id), "\(attribute) of <\(name)>"))
            }
        }
        if let target = attributes["href"], target.first == "#", target.count > 1 {
            references.append((String(target.dropFirst()), "a link"))
        }
        judgeContent(of: name, attributes)
    }

    private mutating func judgePlace(of name: String) {
        let parent = open.last ?? ""
        if let allowed = Self.children[parent], !allowed.contains(name) { faults.append("<\(name)> in <\(parent)>") }
        if let allowed = Self.parents[name], !allowed.contains(parent) { faults.append("<\(name)> in <\(parent)>") }
        if Self.blocks.contains(name), let phrase = open.last(where: Self.phrases.contains) {
            faults.append("<\(name)> in <\(phrase)>")
        }
        if Self.interactive.contains(name), let outer = open.last(where: { $0 == "a" || $0 == "button" }) {
            faults.append("<\(name)> in <\(outer)>")
        }
        if name == "form", open.contains("form") { faults.append("<form> in <form>") }
    }

    private mutating func judgeAddress(_ value: String, _ place: String) {
        let starts = [
            "/", "#", "https://", "http://127.0.0.1", "http://localhost", "http://[::1]", "mailto:", "otpauth:",
            "data:image/",
        ]
        // Applications on a person's own device have schemes of their own, with a dot.
        let isOwnScheme = value.prefix { $0 != ":" }.contains(".") && !value.hasPrefix(".")
        if !starts.contains(where: value.hasPrefix) && !isOwnScheme || value.hasPrefix("//") {
            faults.append("\(place) leads to \(value.prefix(80))")
        }
    }

    private mutating func judgeContent(of name: String, _ attributes: [String: String]) {
        switch name {
        case "html" where attributes["lang", default: ""].isEmpty: faults.append("the page has no language")
        case "img" where attributes["alt"] == nil: faults.append("an image has no alt")
        case "button" where attributes["type"] == nil: faults.append("a button has no type")
        case "script" where attributes["src"] == nil: faults.append("a script has no src")
        case "label":
            if let id = attributes["for"] { labelled.insert(id) } else { faults.append("a label is for nothing") }
        case "input" where attributes["type"] == nil: faults.append("an input has no type")
        case "input" where attributes["type"] == "hidden" || attributes["hidden"] != nil: break
        case "input", "select", "textarea":
            if attributes["aria-label"] == nil {
                fields.append((attributes["id"], "\(name) \(attributes["name"] ?? "")"))
            }
        default: break
        }
    }
}
