import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import ServerHTTP

/// One request for a page: in which language it is answered, from which browser it came, and which cookies the answer sets.
public struct PageVisit: Sendable {
    public let site: PageSite
    public private(set) var language: PageLanguage
    /// Whether the browser's user chose the language here.
    private let hasChosenLanguage: Bool
    /// What binds attempts to the browser; nil where it has nothing yet.
    public private(set) var browser: BrowserKey?
    /// The token of the browser's session.
    public let sessionToken: Secret<String>?
    /// The accounts that the browser shows again, as its cookie has them.
    public let knownAccounts: String?
    /// When the console was used, as its cookie says.
    public let consoleMark: Secret<String>?
    public let query: [String: String]
    /// What the page's links to itself in other languages say beside the language; nil: the whole query. A page that was not found under
    /// what the query names says nothing of it, so that it looks alike whatever was named.
    public var linkItems: [String: String]?
    let path: String
    /// The host by which the browser knows the server, without its port.
    public let host: String
    private var cookies: [String] = []
    private let sealedNote: String?
    private let sealedOutcome: String?

    /// - Parameters:
    ///   - lang: the language that a form was shown in.
    ///   - languages: what an application asked for (`ui_locales`, OpenID Connect Core 1.0, section 3.1.2.1), where the page's own
    ///     address does not say it.
    init(site: PageSite, request: Request, lang: String?, languages: [String]) {
        self.site = site
        query = request.queryItems
        path = request.uri.path
        host = Self.host(of: request.head.authority ?? "")
        browser = site.cookies.browser(request)
        sessionToken = site.cookies.session(request)
        sealedNote = site.cookies.note(request)
        sealedOutcome = site.cookies.outcome(request)
        knownAccounts = site.cookies.knownAccounts(request)
        consoleMark = site.cookies.console(request)
        let chosen = (lang ?? query["lang"]).flatMap(PageLanguage.init(tag:))
        let kept = site.cookies.language(request)
        // As many as an authorization request keeps for the pages after it.
        let asked = Array((query["ui_locales"]?.spaceSeparated ?? []).prefix(16))
        language =
            chosen ?? kept ?? (asked.isEmpty ? languages : asked).lazy.compactMap(PageLanguage.init(tag:)).first
            ?? request.headers[.acceptLanguage].flatMap(PageLanguage.init(accepting:)) ?? .english
        hasChosenLanguage = chosen != nil || kept != nil
        if let chosen, chosen != kept, request.method == .get { cookies.append(site.cookies.setting(language: chosen)) }
    }

    private static func host(of authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":"),
            authority[authority.index(after: colon)...].allSatisfy(\.isNumber)
        else { return authority.lowercased() }
        return authority[..<colon].lowercased()
    }

    /// Takes the language of the user who is signed in, where none was chosen in this browser and pages have it.
    public mutating func prefer(locale: String?) {
        guard !hasChosenLanguage, let own = locale.flatMap(PageLanguage.init(tag:)) else { return }
        language = own
    }

    public var words: Words { Words(messages: site.messages, language: language) }

    // MARK: Cookies

    /// The browser's key, a fresh one where it has none.
    public mutating func browserKey(_ random: any RandomSource) -> BrowserKey {
        if let browser { return browser }
        return renewBrowser(random)
    }

    /// Gives the browser a key where it has none, and has it kept for a while longer where it has one.
    public mutating func keepBrowser(_ random: any RandomSource) {
        if let browser { cookies.append(site.cookies.setting(browser: browser)) } else { renewBrowser(random) }
    }

    /// Gives the browser another key, which goes on with what was begun under the earlier one.
    @discardableResult
    public mutating func renewBrowser(_ random: any RandomSource) -> BrowserKey {
        let fresh = site.cookies.freshBrowser(random, after: browser)
        browser = fresh.key
        cookies.append(fresh.setCookie)
        return fresh.key
    }

    /// Gives the browser a session's token.
    public mutating func hold(session token: Secret<String>) { cookies.append(site.cookies.setting(session: token)) }

    /// Has the browser know when the console was used.
    public mutating func hold(consoleMark mark: Secret<String>) { cookies.append(site.cookies.setting(console: mark)) }

    /// Has the browser show these accounts again; nil: none.
    public mutating func keep(knownAccounts value: String?) {
        cookies.append(value.map { site.cookies.setting(knownAccounts: $0) } ?? site.cookies.clearing(.known))
    }

    /// Has pages of the session show a text for the next five minutes: where a form brings something that is shown, its answer is a
    /// redirect all the same.
    public mutating func note(
        _ text: Secret<String>, of session: Secret<String>, at now: Date, _ random: any RandomSource
    ) throws {
        let sealed = try SealedNote(of: session).seal(text, until: now + SealedNote.lifetime, random)
        cookies.append(site.cookies.setting(note: sealed))
    }

    /// What an earlier answer to this session has pages show.
    public func note(at now: Date) -> Secret<String>? {
        guard let sealedNote, let sessionToken else { return nil }
        return SealedNote(of: sessionToken).open(sealedNote, at: now)
    }

    /// Seconds that a form carries what an earlier one brought.
    public static let longestCarried: TimeInterval = 900

    /// What a form carries to the page after it, as a file that browsers do not give back: sealed under a key that this session's cookie has and
    /// the server does not store, with the time until which it counts. Nil without a session.
    /// - Parameter purpose: what the form is for; a form for something else opens nothing of it.
    public func carrying(
        _ bytes: [UInt8], for purpose: String, at now: Date, _ random: any RandomSource
    ) throws -> String? {
        guard let sessionToken else { return nil }
        let sealed = try SealedNote(ofForm: purpose, of: sessionToken).seal(
            Data(bytes), until: now + Self.longestCarried, random)
        return Array(sealed).base64URL
    }

    /// What ``carrying(_:for:at:_:)`` has sealed; nil where that was another session's, for something else, or too long ago.
    public func carried(in text: String, for purpose: String, at now: Date) -> [UInt8]? {
        guard let sessionToken, let sealed = [UInt8](base64URL: text) else { return nil }
        return SealedNote(ofForm: purpose, of: sessionToken).open(Data(sealed), at: now).map { [UInt8]($0) }
    }

    /// Has a page of this browser say what a form came to. It takes the place of what an earlier one came to.
    /// - Returns: whether it is short enough; otherwise nothing is said.
    @discardableResult
    public mutating func say(_ outcome: PageOutcome, _ random: any RandomSource) throws -> Bool {
        let key = browserKey(random)
        guard let sealed = try outcome.sealed(in: key, random) else { return false }
        cookies.append(site.cookies.setting(outcome: sealed))
        return true
    }

    /// What a form came to that led here; nil where none did, or too long ago.
    public func outcome(at now: Date) -> PageOutcome? {
        guard let sealedOutcome, let browser, let outcome = PageOutcome.open(sealedOutcome, in: browser, at: now),
            outcome.page == path
        else { return nil }
        return outcome
    }

    /// Says it no more.
    public mutating func forgetOutcome() { cookies.append(site.cookies.clearing(.outcome)) }

    /// Takes session and key away.
    public mutating func signOut() {
        browser = nil
        cookies += site.cookies.clearingSession
    }

    // MARK: Answers

    /// A page, with the cookies.
    public func response(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        response(page, status: status, template: nil, content: NoContent())
    }

    func response(
        _ page: Page, status: HTTPResponse.Status, template: PageTemplate?, content: any Sendable
    ) -> Response {
        page.response(in: self, status: status, template: template, content: content).setting(cookies: cookies)
    }

    /// Leads on to another page of ours: 303, so that reloading sends nothing again.
    /// - Parameter path: of this server; the answer names no host.
    public func redirect(to path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path, .cacheControl: "no-store"]).setting(cookies: cookies)
    }

    /// The address of this page in another language.
    func path(in language: PageLanguage) -> String {
        let said = (linkItems ?? query).filter { $0.key != "lang" && $0.key != "csrf" }.sorted { $0.key < $1.key }
        // Browsers take what begins with two slashes, of either kind, for the name of another host (URL Standard, section 4.4).
        let path = "/" + path.drop { $0 == "/" || $0 == "\\" }
        return PagePath(path, said.map { ($0.key, $0.value) } + [("lang", language.rawValue)]).text
    }
}

/// A path of ours with a query.
public struct PagePath: Sendable {
    public let text: String

    /// - Parameter items: those whose value is nil are left out.
    public init(_ path: String, _ items: [(String, String?)]) {
        let query = items.compactMap { name, value in value.map { "\(name.percentEncoded)=\($0.percentEncoded)" } }
        text = path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
