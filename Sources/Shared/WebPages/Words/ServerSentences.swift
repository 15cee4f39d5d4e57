import CPageFiles
import Foundation

/// What the server says in English to commands and programs, as pages say it in each language: reasons of refusals, meanings of settings,
/// warnings.
///
/// The English sentence is what names it, as in gettext: it is what goes over the wire, also from a server of another version, and pages read
/// the values back out of it. The sources are the files `said-*.json`; `scripts/check-messages` finds a reason that has no words there
/// (docs/decisions/0386).
struct ServerSentences: Sendable {
    private struct Entry: Sendable {
        let said: MessageFormat
        let formats: [PageLanguage: MessageFormat]
    }

    /// Sentences without places, by themselves.
    private let constant: [String: Entry]
    /// Those with places, those with most words of their own first: what reads as several is the one that says most.
    private let open: [Entry]

    /// - Parameter bytes: `[{"says": "…", "en": "…", "de": "…", "ja": "…"}, …]`; `en` is left out where pages say what the server says. A place
    ///   whose name begins with `number` stands for digits alone, one whose name begins with `sentence` for another sentence of these.
    /// - Throws: ``Messages/Faults``, `DecodingError`.
    init(_ bytes: [UInt8]) throws { try self.init([bytes]) }

    /// - Parameter pieces: of the same form each.
    /// - Throws: ``Messages/Faults``, `DecodingError`.
    init(_ pieces: [[UInt8]]) throws {
        var constant: [String: Entry] = [:]
        var open: [(entry: Entry, length: Int)] = []
        var faults: [String] = []
        let decoder = JSONDecoder()
        for texts in try pieces.flatMap({ try decoder.decode([[String: String]].self, from: Data($0)) }) {
            let says = texts["says"] ?? ""
            do {
                let said = try MessageFormat(says)
                var formats: [PageLanguage: MessageFormat] = [:]
                for language in PageLanguage.allCases {
                    guard let text = texts[language.rawValue] ?? (language == .english ? says : nil) else {
                        faults.append("“\(says)” lacks \(language.rawValue)")
                        continue
                    }
                    formats[language] = try MessageFormat(text)
                }
                if formats.values.contains(where: { !$0.names.isSubset(of: said.names) }) {
                    faults.append("“\(says)” has places for values that it does not have")
                }
                let entry = Entry(said: said, formats: formats)
                if said.names.isEmpty {
                    constant[says] = entry
                } else {
                    open.append((entry, said.literalLength))
                }
            } catch {
                faults.append("“\(says)”: \(error)")
            }
        }
        guard faults.isEmpty else { throw Messages.Faults(faults: faults) }
        self.constant = constant
        self.open = open.sorted { $0.length > $1.length }.map(\.entry)
    }

    /// Read when a page first says one of them.
    static let ofServer = try? ServerSentences([
        PageFile.saidDoctorAuthentication.bytes,
        PageFile.saidDoctorNist.bytes,
        PageFile.saidDoctorTokens.bytes,
        PageFile.saidExtensions.bytes,
        PageFile.saidImport.bytes,
        PageFile.saidReasons.bytes,
        PageFile.saidSettings.bytes,
        PageFile.saidWarnings.bytes,
    ])

    /// The sentence in that language; nil for one that is not known.
    /// - Parameter depth: how often a value of a sentence may be one itself, with values of its own.
    func text(_ sentence: String, in language: PageLanguage, depth: Int = 2) -> PageText? {
        if let entry = constant[sentence] { return entry.formats[language]?.text([:]) }
        for entry in open {
            guard let found = entry.said.values(in: sentence) else { continue }
            var values: [String: MessageFormat.Value] = [:]
            for (name, value) in found {
                let known = depth > 0 ? text(value, in: language, depth: depth - 1) : nil
                if known == nil, name.hasPrefix("sentence") { break }
                values[name] = .text(known ?? PageText(chosen: value))
            }
            if values.count == found.count { return entry.formats[language]?.text(values) }
        }
        return nil
    }
}

extension Words {
    /// What the server said in English, as this page says it; nil for a sentence that is not known.
    public func said(_ sentence: String) -> PageText? { ServerSentences.ofServer?.text(sentence, in: language) }

    /// The same, and the English sentence, as that, where it is not known (WCAG 3.1.2).
    public func saying(_ sentence: String) -> PageText {
        said(sentence) ?? (language == .english ? PageText(unknown: sentence) : PageText(english: sentence))
    }
}

// MARK: Reading values back

extension MessageFormat {
    /// Characters of the message that are no values.
    var literalLength: Int {
        parts.reduce(0) { length, part in
            if case .text(let text) = part { length + text.count } else { length }
        }
    }

    /// The values with which the message says just that; nil where it says something else, or has a plural.
    ///
    /// A value ends where the next words of the message begin for the first time. It may begin with a mark or a joiner, which is one
    /// `Character` with the quotation mark before it: words are found by scalars.
    func values(in sentence: String) -> [String: String]? {
        var values: [String: String] = [:]
        var rest = sentence.unicodeScalars[...]
        var place: String?
        func take(_ value: Substring.UnicodeScalarView) -> Bool {
            guard let name = place else { return value.isEmpty }
            if name.hasPrefix("number"), value.isEmpty || !value.allSatisfy({ ("0"..."9").contains($0) }) {
                return false
            }
            values[name] = String(value)
            place = nil
            return true
        }
        for (index, part) in parts.enumerated() {
            switch part {
            case .value(let name): place = name
            case .text(let text):
                // The last words are the end of the sentence, whatever the value before them is.
                let isLast = index == parts.count - 1
                let words = text.unicodeScalars
                guard let range = isLast ? rest.rangeOfSuffix(words) : rest.firstRange(of: words) else { return nil }
                guard take(rest[..<range.lowerBound]) else { return nil }
                rest = rest[range.upperBound...]
            case .plural, .number: return nil
            }
        }
        return take(rest) ? values : nil
    }
}

extension Substring.UnicodeScalarView {
    fileprivate func rangeOfSuffix(_ words: String.UnicodeScalarView) -> Range<Index>? {
        guard let start = index(endIndex, offsetBy: -words.count, limitedBy: startIndex),
            self[start...].elementsEqual(words)
        else { return nil }
        return start..<endIndex
    }
}
