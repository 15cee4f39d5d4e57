import CountersignCore
import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// One request for a page of a sign-in: the visit, the attempt that it is about, and who is signed in.
///
/// An attempt is named twice, by its handle and by a proof that this browser began it. A link with an attempt of another browser leads to
/// the page that says to begin again, and to nothing of either browser's.
struct PageScene: Sendable {
    let pages: AccountPages
    let context: CountersignRequestContext
    var visit: PageVisit
    /// What the form or the query says.
    private(set) var fields: [String: String]
    /// The application's request that waits for this sign-in.
    let pending: PendingAuthorization?
    /// The attempt in progress.
    let attempt: FlowHandle?
    /// Seconds that the attempt has left; nil where there is none.
    var expiresIn: Int?
    /// Whether a second factor is asked of everybody who signs in here: by the application or by the settings.
    let requiresSecondFactor: Bool
    /// Whether new accounts are made here.
    let offersSignUp: Bool
    /// Whether people may ask to stay signed in.
    let offersStaying: Bool
    /// Whether another device may sign this browser in.
    let offersOtherDevice: Bool
    /// Whether the user asked for that when the attempt began. The attempt's name says so, which no link of another site can make.
    var stays: Bool
    /// The browser's session.
    let present: (session: Session, user: User)?
    /// Where passkeys can be asked for; nil where they are off.
    let passkeySite: PasskeySite?

    init(
        pages: AccountPages, context: CountersignRequestContext, visit: PageVisit, fields: [String: String],
        pending: PendingAuthorization?, attempt: NamedAttempt?, requiresSecondFactor: Bool,
        offersSignUp: Bool, offersStaying: Bool, offersOtherDevice: Bool,
        present: (session: Session, user: User)?,
        passkeySite: PasskeySite?
    ) {
        self.passkeySite = passkeySite
        self.offersSignUp = offersSignUp
        self.offersStaying = offersStaying
        self.offersOtherDevice = offersOtherDevice
        stays = offersStaying && attempt?.stays == true
        self.requiresSecondFactor = requiresSecondFactor
        self.pages = pages
        self.context = context
        self.visit = visit
        self.fields = fields
        self.pending = pending
        self.attempt = attempt?.handle
        self.present = present
    }

    var realm: Realm { pages.realm }
    var words: Words { visit.words }
    var key: BrowserKey? { visit.browser }

    func field(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Who asks, as the core counts and logs it: for the application that waits, or for these pages.
    var client: ClientContext {
        var client = context.client(
            pending?.request.client ?? ClientID(rawValue: "account"), of: .oauth, locale: visit.language.rawValue)
        client.requiresSecondFactor = requiresSecondFactor
        return client
    }

    /// The same, of a sign-in that leads to a page which waits for it with a code.
    func leading(to target: Target, with code: String) -> PageScene {
        var scene = self
        scene.fields["to"] = target.rawValue
        scene.fields["user_code"] = code
        return scene
    }

    // MARK: Paths

    /// A page of the same attempt.
    func path(_ path: String, attempt handle: FlowHandle? = nil, _ more: [(String, String?)] = []) -> String {
        PagePath(path, items(handle ?? attempt) + more).text
    }

    /// A page that follows the attempt, and leads where that led.
    func pathAfterAttempt(_ path: String) -> String { PagePath(path, items(nil)).text }

    /// What names the attempt, the application's request and where the sign-in leads.
    private func items(_ handle: FlowHandle?) -> [(String, String?)] {
        let attempt = handle.flatMap { handle in key.map { Self.name(of: handle, stays: stays, flow, in: $0) } }
        return [
            ("flow", flow), ("attempt", attempt), ("to", target), ("user_code", userCode),
            (ReturnPath.item, sealedReturn),
        ]
    }

    /// What forms send along, so that they are about the same attempt.
    func hidden(_ purpose: String, attempt handle: FlowHandle? = nil) -> [PageForm.HiddenField] {
        let token = key.map { FormToken.text(for: purpose, flow: flow ?? "", in: $0) }
        return ([("csrf", token)] + items(handle ?? attempt)).compactMap { name, value in
            value.map { PageForm.HiddenField(name: name, value: $0) }
        }
    }

    /// The application's request, as paths name it.
    var flow: String? { pending?.handle.token.reveal() }
    /// Pages that wait for a sign-in: with the code of a device, of an invitation; the console.
    enum Target: String {
        case activate
        case owner
        case console
        case otherDevice = "other-device"

        var path: String { self == .otherDevice ? ConfirmBrowserPage.path : "/\(rawValue)" }
    }
    /// Where a sign-in leads that no application waits for: to such a page, or to the account.
    var target: String? { fields["to"].flatMap(Target.init)?.rawValue }
    var leadsToConsole: Bool { pending == nil && target == Target.console.rawValue }
    /// The code that the page waits with.
    var userCode: String? { target == nil ? nil : field("user_code").map { String($0.prefix(32)) } }

    /// Where the sign-in leads once it is complete.
    var destination: String {
        if let flow { return PagePath("/authorize/continue", [("flow", flow)]).text }
        if leadsToConsole, let path = returning(for: .console)?.path { return path }
        if let path = target.flatMap(Target.init)?.path { return PagePath(path, [("user_code", userCode)]).text }
        return returnPath ?? "/account"
    }

    /// Where the sign-in begins.
    var beginning: String {
        PagePath(
            "/sign-in", [("flow", flow), ("to", target), ("user_code", userCode), (ReturnPath.item, sealedReturn)]
        ).text
    }

    // MARK: Coming back

    /// The page of the account that the sign-in leads back to; nil where it says none, or none that this server named for this browser.
    var returnPath: String? { returning(for: .account)?.path }

    /// The same with its proof, or a page of the console, as paths and forms carry it.
    private var sealedReturn: String? { (returning(for: .account) ?? returning(for: .console))?.sealed }

    private func returning(for purpose: ReturnPath.Purpose) -> ReturnPath? {
        guard let text = field(ReturnPath.item), let key else { return nil }
        return ReturnPath(text, for: purpose, in: key)
    }

    /// A page that leads back to another one of ours.
    mutating func path(_ page: String, leadingBackTo path: String) -> String {
        let key = visit.browserKey(realm.random)
        return PagePath(page, [(ReturnPath.item, ReturnPath(to: path, for: .account, in: key)?.sealed)]).text
    }

    // MARK: What a form came to

    /// Forgets what the query says beside these fields: a link of a stranger fills in no form.
    mutating func keepFields(_ names: [String]) { fields = fields.filter { names.contains($0.key) } }

    /// Fills fields in with what was typed before.
    mutating func fill(in typed: [String: String]) { fields.merge(typed) { $1 } }

    /// What the fields say whose names begin so.
    func typed(in names: Set<String>) -> [String: String] {
        fields.filter { field in names.contains { field.key.hasPrefix($0) } }
    }

    /// Leads to a page that is all about what a form came to.
    /// - Parameter values: what it says.
    func redirect(to page: String, saying values: [String: String]) throws -> Response {
        var scene = self
        try scene.visit.say(PageOutcome(values, on: page, at: realm.clock.now), realm.random)
        return scene.redirect(to: page)
    }

    /// What such a page says; nil where no form of this browser led to it in the last minutes.
    var outcome: [String: String]? { visit.outcome(at: realm.clock.now)?.values }

    /// What a browser gets that came to such a page by itself.
    func withoutOutcome() -> Response { redirect(to: present == nil ? "/" : "/account") }

    // MARK: Attempts

    private static let purpose = "attempt"

    /// The name of an attempt, for a script; nil where the browser has no key.
    func name(of handle: FlowHandle) -> String? { key.map { Self.name(of: handle, stays: stays, flow, in: $0) } }

    /// What the name of an attempt has between handle and proof where the user asked to stay signed in.
    private static let stayMark = "stay"

    /// An attempt as the name says it.
    struct NamedAttempt: Sendable {
        let handle: FlowHandle
        let stays: Bool
    }

    /// A handle and the proof that this browser began it.
    private static func name(of handle: FlowHandle, stays: Bool, _ flow: String?, in key: BrowserKey) -> String {
        let said = [handle.token.reveal()] + (stays ? [stayMark] : [])
        return (said + [key.proof(for: purpose, said + [flow ?? ""])]).joined(separator: ".")
    }

    /// The attempt of such a name; nil where this browser did not begin it.
    static func attempt(_ name: String, _ flow: String?, in key: BrowserKey) -> NamedAttempt? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let token = parts.first, let proof = parts.last, token.utf8.count <= 128, (2...3).contains(parts.count),
            parts.count == 2 || parts[1] == stayMark,
            key.admits(proof: proof, for: purpose, parts.dropLast() + [flow ?? ""])
        else { return nil }
        return NamedAttempt(handle: FlowHandle(token), stays: parts.count == 3)
    }

    // MARK: Answers

    /// A page. Its forms may lead to the application in the end, where one waits. In another language it is about the same attempt, which
    /// a refused form names in its body alone.
    func show(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        var (page, visit) = (page, visit)
        let named = items(attempt).compactMap { name, value in value.map { (name, $0) } }
        visit.linkItems = visit.query.merging(named) { $1 }
        page.expiresIn = expiresIn
        if let registration = pending?.application.registration.oauth {
            page.picture = registration.logo.map(ApplicationLogo.path)
            page.accent = registration.accent
        }
        if let source = pending?.formActionSource { page.formActions.append(source) }
        return visit.response(page, status: status)
    }

    func redirect(to path: String) -> Response { visit.redirect(to: path) }

    /// The sentence that names the application.
    var purposeText: PageText {
        if leadsToConsole { return words("signInToConsole", ["site": .words(visit.site.name)]) }
        guard let pending else { return words("signInText", ["site": .words(visit.site.name)]) }
        guard let host = pending.redirectHost else {
            return words("signInToPlain", ["application": .chosen(pending.application.shownName)])
        }
        return words("signInTo", ["application": .chosen(pending.application.shownName), "host": .chosen(host)])
    }
}

extension CountersignCore.Application {
    /// What people are told that it is called.
    var shownName: String { registration.displayName ?? id.rawValue }

    /// The same in the language of a page, where the application has a name in it.
    func shownName(in words: Words) -> String {
        registration.displayName(in: words.language.rawValue) ?? id.rawValue
    }

    /// That no administrator looked at it, and the host that people can know it by; nil where one did.
    /// - Parameters:
    ///   - names: what the sentence names beside the host.
    ///   - host: where this request has its answer sent, where it has one.
    func strangerText(_ names: [String: Words.Value], host: String?, _ words: Words) -> PageBlock? {
        guard registration.oauth.isUnchecked else { return nil }
        let isItself = registration.oauth.selfRegistration != nil
        let shown = (isItself ? host : nil) ?? registration.shownHost ?? id.rawValue
        return .text(
            words(
                isItself ? "consentRegistered" : "consentDocument",
                names.merging(["host": .chosen(shown)]) { $1 }))
    }
}
