import CountersignCore
import HTTPTypes
import Hummingbird

/// The cookies of pages: their names, what they hold, how long, and how browsers are told to keep them.
///
/// Over TLS each is bound to this host by its name (`__Host-`, RFC 6265bis, section 4.1.3.2). Over plain HTTP, which exists on loopback in
/// development alone, browsers and other clients drop such cookies, so the names are plain there.
public struct BrowserCookies: Sendable {
    private let isSecure: Bool

    /// - Parameter isSecure: whether browsers reach the server by TLS alone.
    public init(isSecure: Bool) {
        self.isSecure = isSecure
    }

    /// What each cookie is for.
    public enum Kind: String, Sendable, CaseIterable {
        /// The browser's session.
        case session = "cs_session"
        /// Binds attempts on pages to the browser.
        case browser = "cs_browser"
        /// The language that was chosen.
        case language = "cs_lang"
        /// What the page after a form shows of a session.
        case note = "cs_note"
        /// What a form came to.
        case outcome = "cs_outcome"
        /// The accounts that the browser shows again.
        case known = "cs_known"
        /// When the session's user was at the console last.
        case console = "cs_console"

        /// Seconds that the browser keeps it; nil: until the browser is closed. A session's token says itself how long.
        var lifetime: Int? {
            switch self {
            case .session, .console: nil
            case .browser: 3600
            case .language: 365 * 86_400
            case .note: Int(SealedNote.lifetime)
            case .outcome: Int(PageOutcome.longestLifetime)
            case .known: 90 * 86_400
            }
        }

        /// Bytes that are read of it.
        var longest: Int {
            switch self {
            case .known: Sessions.longestKnownAccounts
            case .outcome: PageOutcome.longest
            default: 512
            }
        }
    }

    /// The cookie's name here.
    public func name(_ kind: Kind) -> String { isSecure ? "__Host-\(kind.rawValue)" : kind.rawValue }

    // MARK: Reading

    /// The session's token, for `Sessions.session(ofBrowser:)`.
    public func session(_ request: Request) -> Secret<String>? { value(.session, request).map { Secret($0) } }

    /// What binds attempts to the browser; nil where it sent nothing, or nothing of ours.
    public func browser(_ request: Request) -> BrowserKey? {
        value(.browser, request).flatMap(BrowserKey.init(cookie:))
    }

    /// The language that was chosen.
    public func language(_ request: Request) -> PageLanguage? {
        value(.language, request).flatMap(PageLanguage.init(rawValue:))
    }

    /// What an earlier answer had this browser's next page show.
    func note(_ request: Request) -> String? { value(.note, request) }

    /// What an earlier form came to.
    func outcome(_ request: Request) -> String? { value(.outcome, request) }

    /// The accounts that the browser shows again, for `Sessions.knownAccounts(in:)`.
    func knownAccounts(_ request: Request) -> String? { value(.known, request) }

    /// When the console was used, for `ConsoleSessions`.
    func console(_ request: Request) -> Secret<String>? { value(.console, request).map { Secret($0) } }

    /// The first of the name, where it is not longer than it can be.
    ///
    /// Read by bytes, as browsers write: to Swift the Greek question mark (U+037E) is a semicolon, and a cookie of another host's would
    /// bring one of ours along, past the prefix `__Host-`.
    private func value(_ kind: Kind, _ request: Request) -> String? {
        let name = name(kind)
        for header in request.headers[values: .cookie] {
            for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
                let own = pair.drop { $0 == UInt8(ascii: " ") }
                guard let equals = own.firstIndex(of: UInt8(ascii: "=")), own[..<equals].elementsEqual(name.utf8) else {
                    continue
                }
                let value = own[own.index(after: equals)...]
                return value.count <= kind.longest ? String(Substring(value)) : nil
            }
        }
        return nil
    }

    // MARK: Writing

    /// A `Set-Cookie` for the session's token, which the browser keeps for as long as the token says.
    public func setting(session token: Secret<String>) -> String {
        setting(.session, token.reveal(), for: Sessions.lifetime(ofBrowser: token))
    }

    /// A `Set-Cookie` for a browser's key.
    public func setting(browser key: BrowserKey) -> String { setting(.browser, key.cookie.reveal()) }

    /// A `Set-Cookie` for a chosen language.
    public func setting(language: PageLanguage) -> String { setting(.language, language.rawValue) }

    /// A `Set-Cookie` for what the next page shows.
    func setting(note: String) -> String { setting(.note, note) }

    /// A `Set-Cookie` for what a form came to.
    func setting(outcome: String) -> String { setting(.outcome, outcome) }

    /// A `Set-Cookie` for the accounts that the browser shows again.
    func setting(knownAccounts value: String) -> String { setting(.known, value) }

    /// A `Set-Cookie` for when the console was used.
    func setting(console mark: Secret<String>) -> String { setting(.console, mark.reveal()) }

    /// A key for a browser that has none, and its `Set-Cookie`.
    public func freshBrowser(
        _ random: any RandomSource, after earlier: BrowserKey? = nil
    ) -> (key: BrowserKey, setCookie: String) {
        let key = BrowserKey(random: random, after: earlier)
        return (key, setting(browser: key))
    }

    /// `Set-Cookie` values that take the session and the browser's key away, and the console's mark with them.
    public var clearingSession: [String] { [clearing(.session), clearing(.browser), clearing(.console)] }

    /// A `Set-Cookie` that takes a cookie away.
    public func clearing(_ kind: Kind) -> String { "\(name(kind))=; Max-Age=0\(attributes)" }

    private func setting(_ kind: Kind, _ value: String, for seconds: Int? = nil) -> String {
        "\(name(kind))=\(value)" + ((seconds ?? kind.lifetime).map { "; Max-Age=\($0)" } ?? "") + attributes
    }

    private var attributes: String { "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") }
}

extension Response {
    /// The answer with further `Set-Cookie` headers.
    public func setting(cookies: [String]) -> Response {
        var response = self
        for cookie in cookies { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return response
    }
}
