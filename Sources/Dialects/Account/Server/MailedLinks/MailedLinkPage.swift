import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import ServerHTTP

/// The page at the end of mailed links, `/auth/action?mode=…&oobCode=…`: confirms an address, sets a new password.
///
/// Opening it changes nothing, because mail scanners open links too; the button does. It works without JavaScript.
public struct ActionPages: Sendable {
    private let realm: Realm
    private let templates: Templates
    /// Under `--dev`, limits per source do not apply to loopback, and pages lead on to it.
    private let isDevelopment: Bool
    private let publicURLs: @Sendable () -> [String]

    /// - Parameter publicURLs: the addresses that the server is reached at; pages lead on to their hosts.
    public init(realm: Realm, isDevelopment: Bool, publicURLs: @escaping @Sendable () -> [String]) throws {
        self.realm = realm
        self.isDevelopment = isDevelopment
        self.publicURLs = publicURLs
        templates = try Templates()
    }

    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        router.get("auth/action") { request, _ in try await show(request) }
        router.post("auth/action") { request, context in try await submit(request, context) }
        router.get("assets/countersign.css") { _, _ in Assets.styleSheet() }
    }

    /// What the page of a link offers to do.
    private enum Mode: String {
        case verifyEmail
        case resetPassword
        case verifyAndChangeEmail
        case signIn

        /// A link, whichever protocol had it mailed.
        var expectation: FlowExpectation {
            switch self {
            case .verifyEmail: .mailedLink(for: [.verifyEmail])
            case .resetPassword: .mailedLink(for: [.resetPassword])
            case .verifyAndChangeEmail: .mailedLink(for: [.changeEmail])
            case .signIn: .mailedLink(for: [.signIn])
            }
        }
    }

    private func show(_ request: Request) async throws -> Response {
        let query = request.queryItems
        let frame = try await frame(request, continueURL: query["continueUrl"])
        guard let mode = query["mode"].flatMap(Mode.init(rawValue:)), let code = query["oobCode"]
        else { return try page(ActionView(frame.words.deadLink), frame, status: .badRequest) }
        return try await form(mode, code: code, frame)
    }

    /// What all states of one page have in common.
    private struct Frame {
        let language: PageLanguage
        /// Where the user may go on to; nil where the link says nothing or names a host that nobody authorized.
        let continueURL: String?
        var words: ActionWords { ActionWords.of(language) }
    }

    /// - Parameter lang: what a form says; nil where the address does.
    private func frame(_ request: Request, lang: String? = nil, continueURL: String?) async throws -> Frame {
        let language = PageLanguage(of: request, lang: lang)
        guard let continueURL, !continueURL.isEmpty else { return Frame(language: language, continueURL: nil) }
        // Whoever has a code can put any target beside it, so what was judged when the mail was sent is judged again.
        let targets = LinkTargets(
            try await realm.settings().links, publicURLs: publicURLs(), allowsLoopback: isDevelopment)
        return Frame(language: language, continueURL: targets.fault(of: continueURL) == nil ? continueURL : nil)
    }

    private func form(_ mode: Mode, code: String, _ frame: Frame, problem: String? = nil) async throws -> Response {
        let words = frame.words
        let status = try await realm.authenticator.status(of: FlowHandle(code), expecting: mode.expectation)
        guard case .open(let summary) = status, summary.isLink else {
            return try page(ActionView(words.deadLink), frame, status: .gone)
        }
        var view: ActionView
        switch mode {
        case .verifyEmail:
            view = ActionView(words.confirmAddress(summary.email?.canonical))
            view.button = words.confirmAddressButton
        case .verifyAndChangeEmail:
            view = ActionView(words.changeAddress(summary.newEmail?.canonical))
            view.button = words.changeAddressButton
        case .resetPassword:
            view = ActionView(words.newPassword(summary.email?.canonical))
            view.button = words.newPasswordButton
            let minimum = try await realm.accounts.minimumPasswordLength(of: summary.userID)
            view.asksForPassword = PasswordField(
                minimumLength: minimum, label: words.newPasswordLabel(minimum), isInvalid: problem != nil)
        case .signIn:
            // The app that asked for the link completes it: only there may the tokens go.
            view = ActionView(words.openInApp)
        }
        view.code = code
        view.mode = mode.rawValue
        view.problem = problem
        return try page(view, frame, status: problem == nil ? .ok : .unprocessableContent)
    }

    private struct Submission: Decodable, Sendable {
        var mode: String?
        var oobCode: String?
        var newPassword: String?
        var continueUrl: String?
        var lang: String?
    }

    private func submit(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let submission: Submission
        do {
            submission = try await request.decodeBody(as: Submission.self, accepting: .form)
        } catch is RequestBodyFault {
            let frame = try await frame(request, continueURL: nil)
            return try page(ActionView(frame.words.deadLink), frame, status: .badRequest)
        }
        let frame = try await frame(request, lang: submission.lang, continueURL: submission.continueUrl)
        let words = frame.words
        guard let mode = submission.mode.flatMap(Mode.init(rawValue:)), mode != .signIn, let code = submission.oobCode
        else { return try page(ActionView(words.deadLink), frame, status: .badRequest) }
        let client = ClientContext(
            clientID: ClientID(rawValue: "action-page"), dialect: .admin,
            limitedSource: isDevelopment && context.source.isLoopback ? nil : context.source.limitKey,
            source: context.source.text, locale: frame.language.rawValue)
        let password = mode == .resetPassword ? Secret(submission.newPassword ?? "") : nil
        let verdict = try await realm.authenticator.answer(
            .link(newPassword: password), to: .flow(FlowHandle(code), mode.expectation), by: client)
        switch verdict {
        case .accomplished(.emailVerified): return try done(words.addressConfirmed, frame)
        case .accomplished(.emailChanged): return try done(words.addressChanged, frame)
        case .accomplished(.passwordReset): return try done(words.passwordSet, frame)
        case .refused(let refusal) where refusal.reason == .weakPassword:
            return try await form(mode, code: code, frame, problem: words.fault(refusal.passwordFault))
        case .refused(let refusal) where mode == .resetPassword && refusal.reason == .sourceLimited:
            return try await form(mode, code: code, frame, problem: words.tooManyPasswords)
        case .refused(let refusal) where refusal.reason == .addressTaken:
            return try page(ActionView(words.addressTaken), frame, status: .conflict)
        default:
            return try page(ActionView(words.deadLink), frame, status: .gone)
        }
    }

    private func done(_ text: ActionWords.Text, _ frame: Frame) throws -> Response {
        var view = ActionView(text)
        view.offersToContinue = frame.continueURL != nil
        return try page(view, frame)
    }

    private func page(_ view: ActionView, _ frame: Frame, status: HTTPResponse.Status = .ok) throws -> Response {
        var view = view
        view.lang = frame.language.rawValue
        view.continueURL = frame.continueURL
        view.continueLabel = frame.words.goOn
        if view.problem != nil { view.errorPrefix = frame.words.error }
        return .html(templates.action.render(view), status: status)
    }
}

/// What the template of the page shows.
struct ActionView {
    var title: String
    var text: String?
    var lang = PageLanguage.english.rawValue
    /// Before the title in the browser's tab, where something was refused.
    var errorPrefix: String?
    var problem: String?
    var code: String?
    var mode: String?
    var button: String?
    var asksForPassword: PasswordField?
    var continueURL: String?
    var continueLabel = ""
    var offersToContinue = false

    init(_ words: ActionWords.Text) {
        title = words.title
        text = words.text
    }
}

struct PasswordField {
    var minimumLength: Int
    var label: String
    /// Whether what was typed was refused: the problem is then tied to the field (WCAG 2.2, success criterion 3.3.1).
    var isInvalid: Bool
}
