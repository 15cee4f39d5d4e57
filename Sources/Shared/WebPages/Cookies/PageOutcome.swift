import CountersignCore
import Foundation

/// What a form came to, for the page that its answer leads to. It waits in a cookie, sealed under the browser's key
/// (``PageVisit/say(_:_:)``). The address of the page says nothing of it: a link of a stranger could have a page of ours claim anything
/// (docs/decisions/0403).
public struct PageOutcome: Sendable, Codable, Equatable {
    /// The path of the page that says it, without a query.
    public let page: String
    /// What is said above a page that is there without it too; it is said once. Nil where the whole page is about the outcome.
    public let notice: String?
    /// What a page says that is all about it.
    public let values: [String: String]
    /// What a form had in its fields, for the page that shows the form again.
    public let typed: [String: String]
    /// Whether the form did nothing, since its sender has to prove first who they are: it is said after the proof, and not without it.
    public let awaitsProof: Bool
    /// In microseconds since 1970.
    private let at: Int64

    private enum CodingKeys: String, CodingKey {
        case page = "p"
        case notice = "n"
        case values = "v"
        case typed = "t"
        case awaitsProof = "w"
        case at = "a"
    }

    /// Something that is said above a page, once.
    public init(notice: String, on page: String, at now: Date) {
        (self.page, self.notice, values, typed, awaitsProof) = (page, notice, [:], [:], false)
        at = now.microseconds
    }

    /// Something that is said above the page of a form after a proof.
    /// - Parameter typed: the fields that the page fills in.
    public init(notice: String, afterProofOn page: String, typed: [String: String], at now: Date) {
        (self.page, self.notice, values, self.typed, awaitsProof) = (page, notice, [:], typed, true)
        at = now.microseconds
    }

    /// What a page says that is there for it alone, as often as it is loaded within five minutes.
    public init(_ values: [String: String], on page: String, at now: Date) {
        (self.page, notice, self.values, typed, awaitsProof) = (page, nil, values, [:], false)
        at = now.microseconds
    }

    /// Seconds that it is said. A proof may take a mail, which may take a while.
    static let longestLifetime: TimeInterval = 1800
    private var lifetime: TimeInterval { awaitsProof ? Self.longestLifetime : SealedNote.lifetime }
    /// Characters of the cookie: proxies take answers whose headers are 4 KiB in all.
    static let longest = 2048

    /// Whether it came before another instant, or with it.
    public func isNotLater(than instant: Date) -> Bool { at <= instant.microseconds }

    /// The cookie's value; nil where it is longer than such a cookie may be.
    func sealed(in key: BrowserKey, _ random: any RandomSource) throws -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let text = Secret(String(decoding: try encoder.encode(self), as: UTF8.self))
        let sealed = try SealedNote(ofBrowser: key.present).seal(
            text, until: Date(microseconds: at) + lifetime, random)
        return sealed.utf8.count <= Self.longest ? sealed : nil
    }

    /// What a cookie's value says; nil where it was not sealed for this browser, or its time is over.
    static func open(_ sealed: String, in key: BrowserKey, at now: Date) -> PageOutcome? {
        key.all.lazy.compactMap { SealedNote(ofBrowser: $0).open(sealed, at: now) }.first.flatMap {
            try? JSONDecoder().decode(PageOutcome.self, from: Data($0.reveal().utf8))
        }
    }
}
