import DialectTestSupport

/// A piece of a page's HTML, as bytes. Every page that tests go through is searched for its forms: by patterns over characters this takes
/// tens of milliseconds a page without optimisation.
struct PageBytes {
    private let page: [UInt8]
    private let range: Range<Int>

    init(_ page: [UInt8]) { self.init(page, page.indices) }

    private init(_ page: [UInt8], _ range: Range<Int>) {
        (self.page, self.range) = (page, range)
    }

    var text: String { String(decoding: page[range], as: UTF8.self) }

    /// Whether it begins with that, in ASCII.
    func begins(_ text: String) -> Bool {
        text.utf8.count <= range.count && page[range].starts(with: text.utf8)
    }

    /// What stands between two words for the first time; nil where they are not there.
    func first(_ word: String, until end: String) -> PageBytes? {
        piece(Array(word.utf8), Array(end.utf8), from: range.lowerBound)
    }

    /// What stands between two words, each time.
    func all(_ word: String, until end: String) -> [PageBytes] {
        let (word, end) = (Array(word.utf8), Array(end.utf8))
        var pieces: [PageBytes] = []
        var index = range.lowerBound
        while let found = piece(word, end, from: index) {
            pieces.append(found)
            index = found.range.upperBound + end.count
        }
        return pieces
    }

    private func piece(_ word: [UInt8], _ end: [UInt8], from index: Int) -> PageBytes? {
        guard let begin = page.position(of: word, from: index, to: range.upperBound),
            let stop = page.position(of: end, from: begin + word.count, to: range.upperBound)
        else { return nil }
        return PageBytes(page, begin + word.count..<stop)
    }

    /// What stands behind a piece of it; all of it where there is none.
    func behind(_ piece: PageBytes?) -> PageBytes {
        PageBytes(page, (piece?.range.upperBound ?? range.lowerBound)..<range.upperBound)
    }

    /// The attributes of a start tag, as a browser reads their values; those without one are empty.
    var attributes: [String: String] {
        var attributes: [String: String] = [:]
        var index = range.lowerBound
        while index < range.upperBound {
            let begin = index
            while index < range.upperBound, Self.isOfName(page[index]) { index += 1 }
            guard index > begin else {
                index += 1
                continue
            }
            let name = String(decoding: page[begin..<index], as: UTF8.self)
            let value = PageBytes(page, index..<range.upperBound)
            guard value.begins("=\""), let quoted = value.first("=\"", until: "\"") else {
                attributes[name] = ""
                continue
            }
            attributes[name] = TestPage.plain(quoted.text)
            index = quoted.range.upperBound + 1
        }
        return attributes
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")) || byte == UInt8(ascii: "-")
    }
}
