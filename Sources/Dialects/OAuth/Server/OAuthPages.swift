import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServerHTTP
import WebPages

/// The few pages of the authorization endpoint itself. Those that people sign in on belong to another part.
struct OAuthPages: Sendable {
    let site: PageSite
    private let refusals = WarningPace(most: WarningPace.mostOfTheirOwn)

    init(site: PageSite) {
        self.site = site
    }

    /// A request whose application or address is not known: nothing of it is repeated, and nothing leads anywhere.
    /// - Parameters:
    ///   - reason: for the log, whose number for the request stands on the page.
    ///   - code: the standard's word for it, for the application's developers; nil where there is none.
    func error(
        _ request: Request, _ context: CountersignRequestContext, _ reason: String, code: String? = nil
    ) -> Response {
        if let leftOut = refusals.leftOut(at: .now) {
            let metadata: Logger.Metadata = ["reason": .string(reason)]
            context.logger.info("request of an application refused", metadata: metadata.with(leftOut: leftOut))
        }
        let visit = visit(withoutQueryOf: request)
        let words = OAuthWords.of(visit.language)
        var page = Page("error", PageText(words.errorTitle), PageText(words.error))
        if let code { page.blocks.append(.text(PageText("\(words.errorCode) \(code)"))) }
        page.blocks += visit.naming(context.reference)
        return visit.response(page, status: .badRequest)
    }

    /// The page's links to itself in other languages would repeat what the request said.
    private func visit(withoutQueryOf request: Request) -> PageVisit {
        var head = request.head
        head.path = request.uri.path
        return site.visit(
            Request(head: head, body: RequestBody(buffer: ByteBuffer())), lang: request.queryItems["lang"])
    }

    /// The application that a page leads back to.
    struct WayBack: Sendable {
        let name: String
        /// An address that is registered for the application.
        let start: String
    }

    /// A request that is over, or that another browser began: nothing of it is told but whose it was.
    /// - Parameters:
    ///   - flow: what names the request, for the page in other languages.
    ///   - back: nil where no way back to the application is known.
    func startAgain(_ request: Request, flow: String? = nil, back: WayBack? = nil) -> Response {
        var visit = visit(withoutQueryOf: request)
        let words = OAuthWords.of(visit.language)
        var page = Page("start-again", PageText(words.startAgainTitle), PageText(words.startAgain))
        if let back {
            let label = visit.words("backToApplication", ["application": .chosen(back.name)])
            page.blocks = [.links([.init(label, to: back.start, isButton: true, leavesSite: true)])]
            visit.linkItems = flow.map { ["flow": $0] } ?? [:]
        }
        return visit.response(page, status: .badRequest)
    }

    /// A form that posts the answer to the application: by a script, or by its button (OAuth 2.0 Form Post Response Mode).
    func formPost(_ answer: AuthorizationAnswer, _ request: Request) -> Response {
        let visit = site.visit(request)
        let words = OAuthWords.of(visit.language)
        var page = Page("start", PageText(words.leaveTitle), PageText(words.leave))
        page.blocks = [
            .form(
                PageForm(
                    action: answer.target.redirectURI,
                    hidden: answer.fields.map { PageForm.HiddenField(name: $0.name, value: $0.value) },
                    buttons: [PageForm.Button(words.goOn)]))
        ]
        page.formActions = answer.target.formActionSource.map { [$0] } ?? []
        // Browsers hold the application's own redirects against this page's policy, and it has nothing that anyone typed
        // (`docs/decisions/0464`).
        page.formsLeadOn = answer.target.leadsOn
        page.script = .post
        return visit.response(page)
    }

    /// A page that leads to an application of a scheme of its own, at an address of IPv6, or whose address leads on to another site: no
    /// redirect after a form reaches them in every browser.
    func last(_ answer: AuthorizationAnswer, _ request: Request) -> Response {
        let visit = site.visit(request)
        let words = OAuthWords.of(visit.language)
        var page = Page("start", PageText(words.leaveTitle), PageText(words.leave))
        page.blocks = [.links([PageBlock.Link(PageText(words.goOn), to: answer.location, isButton: true)])]
        page.refreshSeconds = 0
        page.refreshTarget = answer.location
        return visit.response(page)
    }
}

/// The words of these pages.
struct OAuthWords: PageWords {
    let errorTitle: String
    let error: String
    let errorCode: String
    let startAgainTitle: String
    let startAgain: String
    let leaveTitle: String
    let leave: String
    let goOn: String

    static let english = OAuthWords(
        errorTitle: "This link does not work",
        error: "The application that sent you here made a mistake in its request. Go back to it and try again.",
        errorCode: "For its developers:",
        startAgainTitle: "Please start again",
        startAgain:
            "This sign-in is over, or another browser began it. Go back to the application and sign in from there.",
        leaveTitle: "Back to the application", leave: "You are led back to the application.", goOn: "Continue")
    static let german = OAuthWords(
        errorTitle: "Dieser Link funktioniert nicht",
        error:
            "Die Anwendung, von der Sie kommen, hat eine fehlerhafte Anfrage gestellt. Versuchen Sie es dort noch einmal.",
        errorCode: "Für deren Entwickler:",
        startAgainTitle: "Bitte neu beginnen",
        startAgain:
            "Diese Anmeldung ist beendet oder wurde in einem anderen Browser begonnen. Melden Sie sich von der Anwendung aus neu an.",
        leaveTitle: "Zurück zur Anwendung", leave: "Sie werden zur Anwendung zurückgeleitet.", goOn: "Weiter")
    static let japanese = OAuthWords(
        errorTitle: "このリンクは使用できません",
        error: "アプリケーションからのリクエストに誤りがあります。アプリケーションに戻ってやり直してください。",
        errorCode: "開発者向け：",
        startAgainTitle: "もう一度やり直してください",
        startAgain: "このサインインは終了したか、別のブラウザーで開始されました。アプリケーションに戻ってやり直してください。",
        leaveTitle: "アプリケーションに戻る", leave: "アプリケーションに戻ります。", goOn: "続ける")
}
