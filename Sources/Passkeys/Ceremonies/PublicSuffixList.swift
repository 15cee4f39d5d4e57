/// The names below which anyone may register one (`co.uk`, `github.io`), from Mozilla's list in the form in which it is published
/// (https://publicsuffix.org/list/).
///
/// A passkey of such a name would be good for every site below it, and could be asked for by each: no relying party should have one as
/// ``RelyingParty/id``. The list changes every week, so it is no part of this library: read the one of your system, for instance
/// `/usr/share/publicsuffix/public_suffix_list.dat` of Debian's package `publicsuffix`.
public struct PublicSuffixList: Sendable {
    private let text: [UInt8]

    /// - Parameter text: the list in UTF-8: a rule on each line, comments after `//`.
    public init(_ text: [UInt8]) {
        self.text = text
    }

    /// Whether a domain is a public suffix by a rule of the list. A name for which there is no rule is none.
    /// - Parameter domain: labels in lower case, international ones as A-labels.
    public func contains(_ domain: String) -> Bool {
        suffix(of: domain) == domain
    }

    /// The part of a domain below which anyone may register a name: `co.uk` of `www.example.co.uk`; nil where no rule of the list fits.
    /// Reads the whole list.
    /// - Parameter domain: labels in lower case, international ones as A-labels.
    public func suffix(of domain: String) -> String? {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        let readable = labels.map { Array((Punycode.decodingALabel($0) ?? String($0)).utf8) }
        // What each rule that may fit says: where the suffix begins, and whether it is an exception to a wider rule.
        var verdicts: [[UInt8]: (start: Int, isException: Bool)] = [:]
        for start in labels.indices {
            let name = Array(readable[start...].joined(separator: [UInt8(ascii: ".")]))
            verdicts[name] = (start, false)
            verdicts[[UInt8(ascii: "!")] + name] = (start + 1, true)
            if start > 0 { verdicts[Array("*.".utf8) + name] = (start - 1, false) }
        }
        let lengths = Set(verdicts.keys.map(\.count))
        var best: (start: Int, isException: Bool)?
        var line = text.startIndex
        while line < text.endIndex {
            let end = text[line...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
            let rule = text[line..<end].prefix { $0 > UInt8(ascii: " ") }
            line = end + 1
            guard !rule.isEmpty, lengths.contains(rule.count), let verdict = verdicts[Array(rule)],
                verdict.start < labels.count
            else {
                continue
            }
            // An exception wins, then the longest suffix.
            if let found = best, found.isException || !verdict.isException && found.start <= verdict.start { continue }
            best = verdict
        }
        return best.map { labels[$0.start...].joined(separator: ".") }
    }
}

/// Labels of international domain names (RFC 3492).
enum Punycode {
    /// The characters of an A-label (`xn--…`); nil for a label that is none.
    static func decodingALabel(_ label: some StringProtocol) -> String? {
        guard label.hasPrefix("xn--") else { return nil }
        return decode(Array(label.utf8.dropFirst(4)))
    }

    /// Section 6.2, with the parameters of section 5.
    private static func decode(_ text: [UInt8]) -> String? {
        let basic = text.lastIndex(of: UInt8(ascii: "-"))
        var scalars = basic.map { text[..<$0].map { Unicode.Scalar($0) } } ?? []
        var digits = text[(basic.map { $0 + 1 } ?? 0)...]
        var (value, index, bias, isFirst) = (128, 0, 72, true)
        while !digits.isEmpty {
            let former = index
            var (weight, step) = (1, 36)
            while true {
                guard let byte = digits.popFirst(), let digit = digit(byte) else { return nil }
                let (product, overflows) = digit.multipliedReportingOverflow(by: weight)
                guard !overflows, product <= Int(Int32.max) - index else { return nil }
                index += product
                let threshold = min(max(step - bias, 1), 26)
                if digit < threshold { break }
                let (next, isTooLarge) = weight.multipliedReportingOverflow(by: 36 - threshold)
                guard !isTooLarge else { return nil }
                (weight, step) = (next, step + 36)
            }
            let count = scalars.count + 1
            bias = adapted(index - former, count, isFirst)
            isFirst = false
            value += index / count
            index %= count
            guard value <= 0x10FFFF, let scalar = Unicode.Scalar(UInt32(value)) else { return nil }
            scalars.insert(scalar, at: index)
            index += 1
        }
        var result = ""
        result.unicodeScalars.append(contentsOf: scalars)
        return result
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    /// Section 6.1.
    private static func adapted(_ delta: Int, _ count: Int, _ isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var step = 0
        while delta > 455 {
            delta /= 35
            step += 36
        }
        return step + 36 * delta / (delta + 38)
    }
}
