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
    /// Under `--dev`, limits per source do not apply to loopback.
    private let isDevelopment: Bool

    public init(realm: Realm, isDevelopment: Bool) throws {
        self.realm = realm
        self.isDevelopment = isDevelopment
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

        var expectation: FlowExpectation {
            switch self {
            case .verifyEmail: FlowExpectation(.verifyEmail)
            case .resetPassword: FlowExpectation(.resetPassword)
            case .verifyAndChangeEmail: FlowExpectation(.changeEmail)
            case .signIn: FlowExpectation(.signIn)
            }
        }
    }

    private func show(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        guard let mode = query["mode"].flatMap({ Mode(rawValue: String($0)) }),
            let code = query["oobCode"].map(String.init)
        else { return try page(.deadLink, status: .badRequest) }
        return try await form(mode, code: code, continueURL: query["continueUrl"].map(String.init))
    }

    private func form(_ mode: Mode, code: String, continueURL: String?, problem: String? = nil) async throws -> Response
    {
        let status = try await realm.authenticator.status(of: FlowHandle(code), expecting: mode.expectation)
        guard case .open(let summary) = status, summary.isLink else { return try page(.deadLink, status: .gone) }
        var view = ActionView(title: "", problem: problem)
        view.code = code
        view.mode = mode.rawValue
        view.continueURL = continueURL
        switch mode {
        case .verifyEmail:
            view.title = "Confirm your address"
            view.text = "Is \(summary.email?.canonical ?? "this") your e-mail address?"
            view.button = "Yes, confirm it"
        case .verifyAndChangeEmail:
            view.title = "Confirm your new address"
            view.text = "From now on, sign in with \(summary.newEmail?.canonical ?? "this address")?"
            view.button = "Yes, change it"
        case .resetPassword:
            view.title = "Choose a new password"
            view.text = "For \(summary.email?.canonical ?? "your account"). You will be signed out everywhere."
            view.button = "Set the password"
            view.asksForPassword = PasswordField(
                minimumLength: try await realm.accounts.minimumPasswordLength(of: summary.userID))
        case .signIn:
            // The app that asked for the link completes it: only there may the tokens go.
            view.title = "Open this link in the app"
            view.text =
                "This link signs you in to the app that you asked for it from. Open it on the device with that app."
        }
        return try page(view, status: problem == nil ? .ok : .unprocessableContent)
    }

    private struct Submission: Decodable, Sendable {
        var mode: String?
        var oobCode: String?
        var newPassword: String?
        var continueUrl: String?
    }

    private func submit(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let submission: Submission
        do {
            submission = try await request.decodeBody(as: Submission.self, accepting: .form)
        } catch is RequestBodyFault {
            return try page(.deadLink, status: .badRequest)
        }
        guard let mode = submission.mode.flatMap(Mode.init(rawValue:)), mode != .signIn, let code = submission.oobCode
        else { return try page(.deadLink, status: .badRequest) }
        let client = ClientContext(
            clientID: ClientID(rawValue: "action-page"), dialect: .admin,
            limitedSource: isDevelopment && context.source.isLoopback ? nil : context.source.limitKey,
            source: context.source.text)
        let password = mode == .resetPassword ? Secret(submission.newPassword ?? "") : nil
        let verdict = try await realm.authenticator.answer(
            .link(newPassword: password), to: .flow(FlowHandle(code), mode.expectation), by: client)
        switch verdict {
        case .accomplished(.emailVerified):
            return try done("Address confirmed", "You can go back to the app.", submission.continueUrl)
        case .accomplished(.emailChanged):
            return try done("Address changed", "Sign in again with the new address.", submission.continueUrl)
        case .accomplished(.passwordReset):
            return try done("Password set", "Sign in with it from now on.", submission.continueUrl)
        case .refused(let refusal) where refusal.reason == .weakPassword:
            return try await form(
                mode, code: code, continueURL: submission.continueUrl, problem: refusal.passwordFault.sentence)
        case .refused(let refusal) where mode == .resetPassword && refusal.reason == .sourceLimited:
            return try await form(
                mode, code: code, continueURL: submission.continueUrl,
                problem: "Too many passwords were tried. Wait an hour, then ask for another link in the app.")
        case .refused(let refusal) where refusal.reason == .addressTaken:
            return try page(
                ActionView(title: "This address has an account", text: "Sign in with it, or choose another."),
                status: .conflict)
        default:
            return try page(.deadLink, status: .gone)
        }
    }

    private func done(_ title: String, _ text: String, _ continueURL: String?) throws -> Response {
        var view = ActionView(title: title, text: text)
        // Only to web pages: a link out of a mail must not start a script.
        view.continueURL = continueURL.flatMap { url in
            ["https", "http"].contains(URL(string: url)?.scheme?.lowercased()) ? url : nil
        }
        view.offersToContinue = view.continueURL != nil
        return try page(view)
    }

    private func page(_ view: ActionView, status: HTTPResponse.Status = .ok) throws -> Response {
        .html(templates.action.render(view), status: status)
    }
}

/// What the template of the page shows.
struct ActionView {
    var title: String
    var text: String?
    var problem: String?
    var code: String?
    var mode: String?
    var button: String?
    var asksForPassword: PasswordField?
    var continueURL: String?
    var offersToContinue = false

    static let deadLink = ActionView(
        title: "This link is no longer good",
        text: "It was used before, it has expired, or it is not complete. Ask for a new one in the app.")
}

struct PasswordField {
    var minimumLength: Int
}

extension PasswordPolicy.Fault? {
    /// For the one who chose the password.
    fileprivate var sentence: String {
        switch self {
        case .tooShort(let minimum): "Use at least \(minimum) characters. Several words make a good password."
        case .tooLong(let maximum): "Use at most \(maximum) characters."
        case .containsAddress: "Do not use your address."
        case .recentlyUsed: "You have this password, or had it lately. Choose another."
        case .common, nil: "This is one of the passwords that are tried first. Choose another."
        }
    }
}
