import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// Brings what came of an authorization request to its redirect URI (RFC 6749, section 4.1.2; OAuth 2.0 Multiple Response Types 1.0;
/// Form Post Response Mode 1.0).
struct AuthorizationAnswer: Sendable {
    /// Where it goes. The address is one of the application's.
    struct Target: Sendable {
        let redirectURI: String
        let mode: AuthorizationRequest.ResponseMode
        /// Byte for byte as it came.
        let state: String?
        /// RFC 9207: an application of several servers sees which one answers.
        let issuer: String
        let application: CountersignCore.Application
        /// Whether the request wants no page (`prompt=none`): it is asked by a frame or a script, and follows no form.
        var isSilent = false

        /// Whether an administrator said that the address leads on to elsewhere.
        var leadsOn: Bool { application.registration.oauth.redirectsOn == true }

        /// Where the content security policy of a page lets its form lead; nil where a policy cannot name the address.
        var formActionSource: String? { RedirectURI.policySource(of: redirectURI) }
    }

    let target: Target
    private var members: [(String, String)]

    init(code: Secret<String>, to target: Target) {
        self.init([("code", code.reveal())], target)
    }

    init(error: String, _ description: String, to target: Target) {
        self.init([("error", error), ("error_description", description)], target)
    }

    private init(_ members: [(String, String)], _ target: Target) {
        self.target = target
        self.members = members
        if let state = target.state { self.members.append(("state", state)) }
        self.members.append(("iss", target.issuer))
    }

    var fields: [(name: String, value: String)] { members.map { (name: $0.0, value: $0.1) } }

    /// The address with the answer in it.
    var location: String {
        let text = members.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
        if target.mode == .fragment { return "\(target.redirectURI)#\(text)" }
        let mark = target.redirectURI.contains("?") ? (target.redirectURI.hasSuffix("?") ? "" : "&") : "?"
        return target.redirectURI + mark + text
    }
}

extension OAuth {
    /// 303, so that no browser repeats a form with a password at the application (RFC 9700, section 4.12); a page where a redirect does
    /// not do.
    func response(_ answer: AuthorizationAnswer, _ request: Request) -> Response {
        // Neither a form nor a redirect after one gets where the policy cannot name: a link does.
        if answer.target.formActionSource == nil { return pages.last(answer, request) }
        if answer.target.mode == .formPost { return pages.formPost(answer, request) }
        // Browsers hold what the application's address leads on to against the policy of the form before, too. A silent request has no form
        // before it, and no page is shown in its frame.
        if answer.target.leadsOn, !answer.target.isSilent { return pages.last(answer, request) }
        if RedirectURI.isPrivateUse(answer.target.redirectURI) { return pages.last(answer, request) }
        return Response(
            status: .seeOther,
            headers: [
                .location: answer.location, .cacheControl: "no-store", .referrerPolicy: "no-referrer",
            ])
    }

    func refuse(
        _ failure: AuthorizationFailure, _ target: AuthorizationAnswer.Target, _ request: Request
    ) -> Response {
        response(AuthorizationAnswer(error: failure.rawValue, failure.sentence, to: target), request)
    }
}

extension AuthorizationFailure {
    /// ASCII, for developers.
    var sentence: String {
        switch self {
        case .accessDenied: "The user said no."
        case .loginRequired: "The user has to sign in."
        case .interactionRequired: "The user has to do something."
        case .consentRequired: "The user has to allow it."
        case .accountSelectionRequired: "The user has to choose an account."
        case .unmetAuthenticationRequirements: "The authentication that was asked for cannot be given."
        }
    }
}
