/// The languages that pages are written in.
public enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case japanese = "ja"

    /// What its speakers call it.
    public var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .japanese: "日本語"
        }
    }

    /// A language tag (BCP 47) in any case, `de-AT` or `de_AT` for `de`.
    public init?(tag: String) {
        self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }

    /// The language of the highest weight among ours, the first where several weigh the same. A weight of 0 refuses.
    init?(accepting header: String) {
        var best: (language: Self, weight: Double)?
        for range in header.prefix(1000).split(separator: ",").prefix(32) {
            let parts = range.utf8.split(separator: UInt8(ascii: ";")).map {
                Substring($0).trimming { $0 == " " || $0 == "\t" }
            }
            guard let tag = parts.first, let language = Self(tag: String(tag)) else { continue }
            var weight = 1.0
            for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("q=") {
                weight = Double(parameter.dropFirst(2)) ?? 0
            }
            if weight > (best?.weight ?? 0) { best = (language, weight) }
        }
        guard let best else { return nil }
        self = best.language
    }
}

extension Substring {
    fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
        var rest = self.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
