import Foundation

/// Reads the HTML of a page more strictly than browsers do, and says what is wrong with it: each element is closed where it has to be and
/// stands where it may (HTML Living Standard, section 4), attributes are quoted and there once, characters are escaped, what names another
/// element finds it, every field has a label, and nothing runs or is styled in the page itself.
///
/// The tests read some ten thousand pages with it, without optimisation. So it goes by bytes, and what a start tag says by itself is found
/// out once for all pages (``PageTag``); what depends on the page around it is looked at every time.
struct PageMarkup {
    private(set) var faults: [String] = []

    /// The page's bytes, and one more behind them.
    private let start: UnsafePointer<UInt8>
    private let count: Int
    private var index = 0
    private var open: [PageTag] = []
    /// How many of ``open`` are of a kind, so that they need not be gone through for each element.
    private var phrases = 0
    private var controls = 0
    private var forms = 0
    private var drawings = 0
    private var counts: [String: Int] = [:]
    private var ids: Set<String> = []
    private var references: [PageTag.Reference] = []
    /// Fields that want a label, and what labels are for.
    private var fields: [PageTag.Field] = []
    private var labelled: Set<String> = []

    static func faults(in html: String) -> [String] { faults(in: Array(html.utf8)) }

    static func faults(in html: [UInt8]) -> [String] {
        (html + [0]).withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return [] }
            var markup = PageMarkup(start: start, count: bytes.count - 1)
            markup.read()
            return markup.faults
        }
    }

    private init(start: UnsafePointer<UInt8>, count: Int) {
        (self.start, self.count) = (start, count)
    }

    // MARK: Reading

    private mutating func read() {
        let doctype = Array("<!doctype html>\n".utf8)
        if !isNext(doctype) { faults.append("does not begin with its doctype") }
        index = doctype.count
        let (less, slash, ampersand) = (UInt8(ascii: "<"), UInt8(ascii: "/"), UInt8(ascii: "&"))
        while index < count, faults.count < 8 {
            let byte = start[index]
            if byte == less {
                if start[index + 1] == slash { readEnd() } else { readStart() }
            } else {
                if byte == ampersand { checkReference(index) }
                index += 1
            }
        }
        if !open.isEmpty { faults.append("open at the end: \(open.map(\.name).joined(separator: " "))") }
        for name in PageTag.once where counts[name] != 1 { faults.append("has \(counts[name] ?? 0) \(name)") }
        for reference in references where !ids.contains(reference.id) {
            faults.append("\(reference.by) names \(reference.id), which is not there")
        }
        for field in fields where field.id.map({ !labelled.contains($0) }) ?? true {
            faults.append("no label: \(field.text)")
        }
    }

    private func at(_ index: Int) -> UInt8? { index < count ? start[index] : nil }

    private func text(_ range: Range<Int>) -> String {
        String(
            decoding: UnsafeBufferPointer(start: start.advanced(by: range.lowerBound), count: range.count),
            as: UTF8.self)
    }

    /// Whether these bytes stand at the index.
    private func isNext(_ bytes: [UInt8]) -> Bool {
        bytes.count <= count - index && memcmp(start.advanced(by: index), bytes, bytes.count) == 0
    }

    private static func isName(_ byte: UInt8) -> Bool {
        // Lowercase, uppercase, digits with the colon behind them, and the hyphen. Comparisons, as a range is made anew for each byte.
        (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x30 && byte <= 0x3A)
            || byte == 0x2D
    }

    private mutating func readName() -> String {
        let begin = index
        while index < count, Self.isName(start[index]) { index += 1 }
        return text(begin..<index)
    }

    private mutating func readEnd() {
        if let last = open.last, isNext(last.endTag) {
            index += last.endTag.count
            return close()
        }
        index += 2
        let name = readName()
        guard at(index) == UInt8(ascii: ">") else { return fail("the end tag \(name) goes on") }
        index += 1
        fail("</\(name)> where \(open.last?.name ?? "nothing") is open")
    }

    private mutating func readStart() {
        guard let end = tagEnd() else {
            if let tag = readTag() { take(tag) }
            return
        }
        let spelling = text(index..<end)
        if let known = PageTag.known(spelling) {
            index = end
            return take(known)
        }
        let before = faults.count
        guard let tag = readTag() else { return }
        if index == end, faults.count == before { tag.keep(as: spelling) }
        take(tag)
    }

    /// Where the tag ends that begins at the index: behind its `>`, which is in no quotation marks.
    private func tagEnd() -> Int? {
        let (quote, greater) = (UInt8(ascii: "\""), UInt8(ascii: ">"))
        var isQuoted = false
        var end = index
        while end < count {
            let byte = start[end]
            end += 1
            if byte == quote {
                isQuoted = !isQuoted
            } else if byte == greater, !isQuoted {
                return end
            }
        }
        return nil
    }

    /// Reads a start tag; nil where it is none, which is among the faults then.
    private mutating func readTag() -> PageTag? {
        index += 1
        let name = readName()
        guard !name.isEmpty else { return refuse("a < that begins no tag") }
        var attributes: [String: String] = [:]
        while let byte = at(index) {
            if byte == UInt8(ascii: ">") {
                index += 1
                break
            }
            if byte == UInt8(ascii: "/"), at(index + 1) == UInt8(ascii: ">") {
                index += 2
                return PageTag(name, attributes, closesItself: true)
            }
            guard byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") else {
                return refuse("<\(name)> is cut short")
            }
            index += 1
            guard let next = at(index), Self.isName(next) else { continue }
            let attribute = readName()
            var value = ""
            if at(index) == UInt8(ascii: "=") {
                guard at(index + 1) == UInt8(ascii: "\"") else {
                    return refuse("\(attribute) of <\(name)> is not quoted")
                }
                index += 2
                let begin = index
                while let byte = at(index), byte != UInt8(ascii: "\"") {
                    if byte == UInt8(ascii: "<") { fail("a < in \(attribute) of <\(name)>") }
                    if byte == UInt8(ascii: "&") { checkReference(index) }
                    index += 1
                }
                value = text(begin..<min(index, count))
                index += 1
            }
            if attributes.updateValue(value, forKey: attribute) != nil { fail("\(attribute) is twice on <\(name)>") }
        }
        return PageTag(name, attributes, closesItself: false)
    }

    private mutating func readText(of tag: PageTag) {
        let begin = index
        while index < count, !isNext(tag.endTag) {
            if start[index] == UInt8(ascii: "&") { checkReference(index) }
            index += 1
        }
        if ["script", "style"].contains(tag.name), index > begin { fail("<\(tag.name)> has content") }
    }

    private mutating func checkReference(_ begin: Int) {
        var end = begin
        while end < min(begin + 12, count), start[end] != UInt8(ascii: ";") { end += 1 }
        let isEnded = end < min(begin + 12, count)
        let name = isEnded ? text(begin + 1..<end) : ""
        let isKnown =
            ["amp", "lt", "gt", "quot"].contains(name)
            || name.first == "#" && name.count > 1 && name.dropFirst().allSatisfy { $0.isHexDigit || $0 == "x" }
        if !isKnown { fail("an & that is no character reference: \(text(begin..<min(begin + 12, count)))") }
    }

    private mutating func fail(_ fault: String) {
        faults.append(fault)
        if index < count, start[index] == UInt8(ascii: "<") { index += 1 }
    }

    private mutating func refuse(_ fault: String) -> PageTag? {
        fail(fault)
        return nil
    }

    // MARK: What is open

    private mutating func push(_ tag: PageTag) {
        open.append(tag)
        if tag.isPhrase { phrases += 1 }
        if tag.isControl { controls += 1 }
        if tag.isForm { forms += 1 }
        if tag.isDrawing { drawings += 1 }
    }

    /// Ends what was opened last.
    private mutating func close() {
        guard let tag = open.popLast() else { return }
        if tag.isPhrase { phrases -= 1 }
        if tag.isControl { controls -= 1 }
        if tag.isForm { forms -= 1 }
        if tag.isDrawing { drawings -= 1 }
    }

    // MARK: Judging

    /// Goes on behind a start tag.
    private mutating func take(_ tag: PageTag) {
        if drawings == 0 {
            if tag.isOnce { counts[tag.name, default: 0] += 1 }
            judgePlace(of: tag)
        }
        if !tag.faults.isEmpty { faults += tag.faults }
        if let id = tag.id, !ids.insert(id).inserted { faults.append("the id \(id) is there twice") }
        if !tag.references.isEmpty { references += tag.references }
        if let label = tag.label { labelled.insert(label) }
        if let field = tag.field { fields.append(field) }
        if tag.closesItself {
            if drawings == 0 { fail("<\(tag.name)/> closes itself") }
            return
        }
        if tag.isVoid { return }
        push(tag)
        if tag.isText { readText(of: tag) }
    }

    private mutating func judgePlace(of tag: PageTag) {
        let (name, parent) = (tag.name, open.last)
        if let parent, let allowed = parent.children, !allowed.contains(name) {
            faults.append("<\(name)> in <\(parent.name)>")
        }
        if let allowed = tag.parents, !allowed.contains(parent?.name ?? "") {
            faults.append("<\(name)> in <\(parent?.name ?? "")>")
        }
        // A legend may have headings beside its phrases.
        if tag.isBlock, phrases > 0, let phrase = open.last(where: \.isPhrase),
            !(tag.isHeading && phrase.name == "legend")
        {
            faults.append("<\(name)> in <\(phrase.name)>")
        }
        if tag.isInteractive, controls > 0, let outer = open.last(where: \.isControl) {
            faults.append("<\(name)> in <\(outer.name)>")
        }
        if tag.isForm, forms > 0 { faults.append("<form> in <form>") }
    }
}
