import CountersignCore
import Foundation
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// Sign-ins that an application begins by itself (OpenID Connect Client-Initiated Backchannel Authentication Core 1.0, in
/// poll mode; Auth0, Authentication API, "Start Back-Channel Login").
extension Guardian {
    static let backchannelGrant = "urn:openid:params:grant-type:ciba"

    private struct Answer: Encodable {
        let auth_req_id: String
        let expires_in: Int
        let interval: Int
    }

    private struct LoginHint: Decodable, Sendable {
        let format: String?
        let iss: String?
        let sub: String?
    }

    /// Bytes of `authorization_details`, and objects in it.
    private static let longestDetails = 8192
    private static let mostDetails = 10

    /// `POST bc-authorize`: asks a user's devices, and shows on them what it is about.
    func backchannelAuthorize(_ form: OAuthForm, _ call: GuardianCall) async throws -> Response {
        let application = try await application(form, call)
        guard application.registration.isConfidential else {
            throw OAuthError(
                403, "unauthorized_client",
                "Only an application with a secret or a key may start a backchannel sign-in.")
        }
        let oauth = application.registration.oauth
        if oauth.kind != nil, !oauth.allowsGrant(Self.backchannelGrant) { throw OAuthError.unauthorizedGrant }
        var client = call.client
        client.clientID = application.id
        var terms = try terms(form, application)
        let authorizationDetails = try authorizationDetails(form)
        if !authorizationDetails.isEmpty {
            terms.details[GuardianTokens.authorizationDetail] = .array(authorizationDetails)
        }
        guard terms.scopes.contains("openid") else {
            throw OAuthError(400, "invalid_scope", "scope has to have openid.")
        }
        let lifetime = try form.text("requested_expiry").map(Self.lifetime) ?? FlowLifetime.approval
        let asked = Approvals.Backchannel(
            terms: terms, audience: form.text("audience") ?? tokens.issuer + "userinfo",
            bindingMessage: try bindingMessage(form), authorizationDetails: authorizationDetails,
            lifetime: lifetime)
        let (handle, outcome) = try await realm.approvals.begin(
            for: try user(hinted: form), asked, details: ApprovalDetails(), by: client)
        switch outcome {
        case .asked(let asked):
            return try .json(
                Answer(auth_req_id: handle.token.reveal(), expires_in: Int(lifetime), interval: 5),
                headers: asked.standing.headers)
        case .limited(let standing): throw OAuthError.tooManyPushes(standing)
        case .refused(let refusal) where refusal.reason == .userNotFound: throw OAuthError.unknownUser
        case .refused(let refusal): throw OAuthError(asking: refusal)
        }
    }

    /// The grant: whether a device has allowed it yet.
    func backchannel(
        _ form: OAuthForm, _ application: CountersignCore.Application, _ client: ClientContext
    ) async throws -> SignedIn {
        let handle = FlowHandle(try form.required("auth_req_id"))
        let expectation = FlowExpectation.backchannel(of: application.id)
        let (_, _, summary) = try await pending(handle, expectation, by: application)
        guard realm.polls.admits(handle, Self.polls) else {
            throw OAuthError.slowDown
        }
        return try await claim(handle, summary, expectation, client)
    }

    private static func lifetime(_ text: String) throws -> TimeInterval {
        guard let seconds = Int(text), (1...Int(FlowLifetime.approval)).contains(seconds) else {
            throw OAuthError.invalidRequest("requested_expiry has to be 1 to \(Int(FlowLifetime.approval)) seconds.")
        }
        return TimeInterval(seconds)
    }

    /// `login_hint`: `{"format": "iss_sub", "iss": "https://…/", "sub": "auth0|…"}`.
    private func user(hinted form: OAuthForm) throws -> UserID {
        let hint: LoginHint
        do {
            hint = try LenientJSON.decode(
                LoginHint.self, from: LenientJSON.parse(Array(try form.required("login_hint").utf8)))
        } catch is RequestBodyFault {
            throw OAuthError.invalidRequest("login_hint has to be a JSON object.")
        }
        guard hint.format == "iss_sub", let issuer = hint.iss,
            options.baseURLs().contains(where: { $0 == issuer || $0 + "/" == issuer })
        else {
            throw OAuthError.invalidRequest(
                "login_hint has to have the format iss_sub, and as iss this server's address.")
        }
        guard let userID = hint.sub.flatMap(Self.userID) else { throw OAuthError.unknownUser }
        return userID
    }

    /// What both screens show: 64 characters of those that every screen has.
    private func bindingMessage(_ form: OAuthForm) throws -> String? {
        guard let message = form.text("binding_message") else { return nil }
        let allowed = "+-_.,:# "
        guard message.utf8.count <= 64,
            message.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || allowed.contains($0)) })
        else {
            throw OAuthError(
                400, "invalid_binding_message",
                "binding_message has to be at most 64 letters, digits, spaces and + - _ . , : #.")
        }
        return message
    }

    /// RFC 9396, section 2: an array of objects that each have a `type`.
    private func authorizationDetails(_ form: OAuthForm) throws -> [JSONValue] {
        let wrong = OAuthError(
            400, "invalid_authorization_details",
            "authorization_details has to be an array of at most \(Self.mostDetails) objects with a type.")
        let value: JSONValue
        switch form.members["authorization_details"] {
        case nil, .null, .string(""): return []
        case .string(let text):
            guard text.utf8.count <= Self.longestDetails, let parsed = try? LenientJSON.parse(Array(text.utf8)) else {
                throw wrong
            }
            value = parsed
        case .some(let other): value = other
        }
        guard case .array(let items) = value, items.count <= Self.mostDetails,
            items.allSatisfy({ $0["type"]?.stringValue?.isEmpty == false }),
            try JSONEncoder().encode(value).count <= Self.longestDetails
        else { throw wrong }
        return items
    }
}
