import CountersignCore
import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// The page of a mailed link, `/auth/action?mode=…&oobCode=…`: confirms an address, sets a new password.
///
/// Opening it changes nothing, because mail scanners open links too; its button does, and leads on to `/auth/action/done`, which says
/// what was done. It works without JavaScript.
struct MailedLinkPage: Sendable {
    let pages: AccountPages

    private var realm: Realm { pages.realm }

    func show(_ request: Request) async throws -> Response {
        let query = request.queryItems
        let frame = try await frame(request, continueURL: query["continueUrl"])
        guard let mode = query["mode"].flatMap(MailedLinkMode.init(rawValue:)), let code = query["oobCode"]
        else { return page(frame.words.deadLink, frame, status: .badRequest) }
        return try await form(mode, code: code, frame)
    }

    /// What all states of one page have in common.
    private struct Frame {
        var visit: PageVisit
        var language: PageLanguage { visit.language }
        /// Where the user may go on to; nil where the link says nothing or names a host that is not authorized.
        let continueURL: String?
        var words: MailedLinkWords { .of(language) }

        var mode: MailedLinkMode?

        /// Which page it is: a form, its result, or why there is none.
        func kind(_ status: HTTPResponse.Status) -> PageKind {
            guard [.ok, .unprocessableContent].contains(status) else { return "error" }
            return mode == .resetPassword ? "reset" : "verify"
        }
        var passwordWords: PasswordWords { .of(language) }
    }

    /// - Parameter lang: what a form says; nil where the address does.
    private func frame(_ request: Request, lang: String? = nil, continueURL: String?) async throws -> Frame {
        var visit = pages.options.site.visit(request, lang: lang)
        visit.linkItems = [:]
        visit.keepBrowser(realm.random)
        guard let continueURL, !continueURL.isEmpty else { return Frame(visit: visit, continueURL: nil) }
        // A client that has a code can add any target to it, so the judgement of the time of mailing is made again.
        let targets = LinkTargets(
            try await realm.settings().links, publicURLs: pages.options.publicURLs(),
            allowsLoopback: pages.options.isDevelopment)
        return Frame(visit: visit, continueURL: targets.fault(of: continueURL) == nil ? continueURL : nil)
    }

    private func form(
        _ mode: MailedLinkMode, code: String, _ frame: Frame, problem: String? = nil
    ) async throws -> Response {
        let words = frame.words
        let status = try await realm.authenticator.status(of: FlowHandle(code), expecting: mode.expectation)
        guard case .open(let summary) = status, summary.isLink else {
            return page(words.deadLink, frame, status: .gone)
        }
        var frame = frame
        frame.mode = mode
        frame.visit.linkItems = ["mode": mode.rawValue, "oobCode": code]
        frame.visit.linkItems?["continueUrl"] = frame.continueURL
        var content = MailedLinkContent()
        content.code = code
        content.csrf = frame.visit.linkToken(for: code)
        content.mode = mode.rawValue
        let message: PageMessage
        switch mode {
        case .verifyEmail:
            message = words.confirmAddress(summary.email?.canonical)
            content.button = words.confirmAddressButton
        case .verifyAndChangeEmail:
            message = words.changeAddress(summary.newEmail?.canonical)
            content.button = words.changeAddressButton
        case .resetPassword:
            message = words.newPassword(summary.email?.canonical)
            content.button = words.newPasswordButton
            let minimum = try await realm.accounts.minimumPasswordLength(of: summary.userID)
            content.password = .newPassword(
                name: "new_password", label: frame.passwordWords.newPasswordLabel(minimum),
                advice: frame.visit.words.plain("newPasswordAdvice"), minimumLength: minimum, isInvalid: problem != nil,
                revealLabel: frame.visit.words.plain("showPassword"))
        case .recoverEmail:
            message = words.restoreAddress(summary.email?.canonical)
            content.button = words.restoreAddressButton
        case .keepAccount:
            message = words.keepAccount(summary.email?.canonical)
            content.button = words.keepAccountButton
        case .signIn:
            // The app that asked for the link completes it: only there may the tokens go.
            message = words.openInApp
        }
        return page(message, frame, content, problem: problem, status: problem == nil ? .ok : .unprocessableContent)
    }

    private struct Submission: Decodable, Sendable {
        var mode: String?
        var oobCode: String?
        var csrf: String?
        var new_password: String?
        /// What pages of earlier versions called it.
        var newPassword: String?
        var continueUrl: String?
        var lang: String?
    }

    func submit(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        guard let submission = try await request.submission(as: Submission.self) else {
            let frame = try await frame(request, continueURL: nil)
            return page(frame.words.deadLink, frame, status: .badRequest)
        }
        let frame = try await frame(request, lang: submission.lang, continueURL: submission.continueUrl)
        let words = frame.words
        guard let mode = submission.mode.flatMap(MailedLinkMode.init(rawValue:)), mode != .signIn,
            let code = submission.oobCode
        else { return page(words.deadLink, frame, status: .badRequest) }
        guard pages.options.site.admits(linkForm: submission.csrf, for: code, request) else {
            return frame.visit.staleForm()
        }
        let client = context.client(
            ClientID(rawValue: "action-page"), of: .admin, locale: frame.language.rawValue)
        let password = mode == .resetPassword ? Secret(submission.new_password ?? submission.newPassword ?? "") : nil
        let verdict = try await realm.authenticator.answer(
            .link(newPassword: password), to: .flow(FlowHandle(code), mode.expectation), by: client)
        switch verdict {
        case .accomplished(.emailVerified), .accomplished(.emailChanged), .accomplished(.passwordReset),
            .accomplished(.accountKept):
            var visit = frame.visit
            try visit.say(
                PageOutcome(["mode": mode.rawValue], on: Self.donePath, at: realm.clock.now), realm.random)
            return visit.redirect(
                to: PagePath(
                    Self.donePath, [("continueUrl", frame.continueURL), ("lang", frame.language.rawValue)]
                ).text)
        case .refused(let refusal) where refusal.reason == .weakPassword:
            return try await form(mode, code: code, frame, problem: frame.passwordWords.fault(refusal.passwordFault))
        case .refused(let refusal) where mode == .resetPassword && refusal.reason == .sourceLimited:
            return try await form(mode, code: code, frame, problem: words.tooManyPasswords)
        case .refused(let refusal) where refusal.reason == .addressTaken:
            return page(words.addressTaken, frame, status: .conflict)
        default:
            return page(words.deadLink, frame, status: .gone)
        }
    }

    private static let donePath = "/auth/action/done"

    /// What a link has done, in the browser that pressed its button. The page tells nothing of an account.
    func done(_ request: Request) async throws -> Response {
        let frame = try await frame(request, continueURL: request.queryItems["continueUrl"])
        guard
            let mode = frame.visit.outcome(at: realm.clock.now)?.values["mode"].flatMap(MailedLinkMode.init(rawValue:))
        else {
            return frame.visit.redirect(to: "/")
        }
        return result(of: mode, frame)
    }

    private func result(of mode: MailedLinkMode, _ frame: Frame) -> Response {
        let words = frame.words
        let message: PageMessage
        switch mode {
        case .verifyEmail: message = words.addressConfirmed
        case .verifyAndChangeEmail: message = words.addressChanged
        case .resetPassword: message = words.passwordSet
        case .recoverEmail: message = words.addressRestored
        case .keepAccount: message = words.accountKept
        case .signIn: return page(words.deadLink, frame, status: .badRequest)
        }
        var frame = frame
        frame.mode = mode
        frame.visit.linkItems = [:]
        frame.visit.linkItems?["continueUrl"] = frame.continueURL
        var content = MailedLinkContent()
        content.offersToContinue = frame.continueURL != nil
        return page(message, frame, content)
    }

    private func page(
        _ message: PageMessage, _ frame: Frame, _ content: MailedLinkContent = MailedLinkContent(),
        problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        var content = content
        content.continueURL = frame.continueURL
        content.continueLabel = frame.words.goOn
        var page = Page(frame.kind(status), message, problem: problem)
        page.hasPassword = content.password != nil
        page.problemField = problem == nil ? nil : content.password?.name
        // Who has come to an end here may want to go on in this browser.
        if content.button == nil, !content.offersToContinue {
            page.blocks.append(.links([.init(frame.visit.words("homeLink"), to: "/")]))
        }
        return pages.mailedLinkTemplate.response(page, content: content, in: frame.visit, status: status)
    }
}

/// What the template of the page shows.
private struct MailedLinkContent: Sendable {
    var code: String?
    var csrf: String?
    var mode: String?
    var button: String?
    var password: PageField?
    var continueURL: String?
    var continueLabel = ""
    var offersToContinue = false
}
