import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP
import WebPages

extension Guardian {
    /// Every endpoint, one line each.
    /// - Parameter site: what the page of invitations shares with other pages.
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>, site: PageSite) throws {
        for prefix in Self.prefixes {
            let devices = GuardianGroup(guardian: self, prefix: "\(prefix)/api", router: router)
            devices.on(.post, "enroll", enroll)
            devices.on(.post, "resolve-transaction", resolveTransaction)
            devices.on(.patch, "device-accounts/{id}", updateDevice)
            devices.on(.delete, "device-accounts/{id}", deleteDevice)
            devices.on(.get, "device-accounts/{id}/notifications", notifications)

            devices.on(.post, "start-flow", startFlow)
            devices.on(.post, "transaction-state", transactionState)
            devices.on(.post, "send-push-notification", sendPushNotification)
            devices.on(.post, "verify-otp", verifyOTP)
            devices.on(.post, "recover-account", recoverAccount)
            devices.on(.post, "send-sms", textMessages)
            devices.on(.post, "device-accounts/{id}/sms-enroll", textMessages)
        }
        let consents = GuardianGroup(guardian: self, prefix: "", router: router)
        consents.on(.get, "rich-consents/{id}", richConsent)

        let enrolmentPage = try EnrolmentPage(guardian: self, site: site)
        let pages = router.group().add(middleware: PageMiddleware(site, forms: .withSecret))
        pages.get("guardian/enroll") { request, context in try await enrolmentPage.show(request, context) }
        pages.get("guardian/enroll/wait") { request, context in
            try await enrolmentPage.wait(request, context)
        }
        pages.post("guardian/enroll") { request, context in try await enrolmentPage.submit(request, context) }

        let oauth = GuardianGroup(guardian: self, prefix: "", router: router)
        oauth.on(.get, "mfa/authenticators", mfaAuthenticators)
        oauth.on(.delete, "mfa/authenticators/{id}", mfaRemoveAuthenticator)
        oauth.on(.post, "mfa/associate", mfaAssociate)
        oauth.on(.post, "mfa/challenge", mfaChallenge)

        let management = GuardianGroup(guardian: self, prefix: "/api/v2", isForAdministrators: true, router: router)
        management.on(.get, "guardian/factors", listFactors)
        management.on(.put, "guardian/factors/{name}", switchFactor)
        // Routes below a literal take it away from the one with a name.
        let push = "guardian/factors/push-notification"
        management.on(.put, "\(push)", switchFactor)
        management.on(.get, "\(push)/selected-provider", showSelectedProvider)
        management.on(.put, "\(push)/selected-provider", selectProvider)
        management.on(.get, "\(push)/providers/apns", showAPNs)
        management.on(.put, "\(push)/providers/apns", replaceAPNs)
        management.on(.patch, "\(push)/providers/apns", updateAPNs)
        for method in [HTTPRequest.Method.get, .put, .patch] {
            management.on(method, "\(push)/providers/fcm", refuseFCM)
            management.on(method, "\(push)/providers/fcmv1", refuseFCM)
            management.on(method, "\(push)/providers/sns", refuseSNS)
        }
        management.on(.get, "guardian/policies", showPolicies)
        management.on(.put, "guardian/policies", setPolicies)
        management.on(.post, "guardian/enrollments/ticket", createTicket)
        management.on(.get, "guardian/enrollments/{id}", showEnrollment)
        management.on(.delete, "guardian/enrollments/{id}", removeEnrollment)
        management.on(.get, "users", listUsers)
        management.on(.post, "users", createUser)
        management.on(.get, "users-by-email", findUsersByEmail)
        management.on(.get, "users/{id}", showUser)
        management.on(.patch, "users/{id}", updateUser)
        management.on(.delete, "users/{id}", deleteUser)
        management.on(.get, "users/{id}/logs", listUserLogs)
        management.on(.get, "users/{id}/enrollments", listEnrollments)
        management.on(.delete, "users/{id}/authenticators", removeAuthenticators)
        management.on(.get, "users/{id}/authentication-methods", listMethods)
        management.on(.post, "users/{id}/authentication-methods", addMethod)
        management.on(.put, "users/{id}/authentication-methods", replaceMethods)
        management.on(.delete, "users/{id}/authentication-methods", removeAuthenticators)
        management.on(.get, "users/{id}/authentication-methods/{method}", showMethod)
        management.on(.patch, "users/{id}/authentication-methods/{method}", renameMethod)
        management.on(.delete, "users/{id}/authentication-methods/{method}", removeMethod)
        management.on(.post, "users/{id}/recovery-code-regeneration", regenerateRecoveryCode)
        management.on(.get, "logs", listLogs)
        management.on(.get, "logs/{id}", showLog)
    }

    /// The endpoints that are this protocol's and others': each answers what is its own.
    public var sharedEndpoints: SharedEndpoints {
        SharedEndpoints(
            userInfo: { request, context in
                try await answering { try await userInfo(request, call(request, context, false)) }
            },
            backchannel: { form, request, context in
                try await answering { try await backchannelAuthorize(form, call(request, context, false)) }
            },
            user: { GuardianTokens.user(of: $0) })
    }

    private func answering(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as OAuthError {
            return try error.response()
        }
    }

    /// What pages may read of answers beside the usual headers.
    public static let exposedHeaders: [HTTPField.Name] =
        [.retryAfter] + ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"].map(HTTPField.Name.known)

    private static let ownPrefixes = ["/api/", "/appliance-mfa/", "/rich-consents/"] + oauthPrefixes
    private static let oauthPrefixes = ["/oauth/", "/mfa/", "/bc-authorize", "/userinfo"]

    /// Whether a path is one of this dialect's, for what applies to the dialect as a whole (CORS, error words).
    public static func owns(path: String) -> Bool {
        ownPrefixes.contains { path.hasPrefix($0) }
    }

    /// This dialect's words for failures that no endpoint put into words.
    public static func format(_ failure: ServerFailure, _ request: Request) throws -> Response? {
        guard owns(path: request.uri.path) else { return nil }
        if oauthPrefixes.contains(where: { request.uri.path.hasPrefix($0) }) {
            let error: OAuthError =
                switch failure {
                case .internalError: OAuthError(500, "server_error", "Something went wrong inside the server.")
                case .overloaded(let seconds), .unavailable(let seconds), .outcomeUnknown(let seconds):
                    OAuthError(503, "temporarily_unavailable", "There is too much to do.", retryAfter: seconds)
                case .body(let fault): .invalidRequest("\(fault)")
                case .status(.methodNotAllowed):
                    OAuthError(405, "invalid_request", "The endpoint is there, but not for this method.")
                case .status(let status): OAuthError(status.code, "invalid_request", "There is no such endpoint.")
                }
            return try error.response()
        }
        let error: GuardianError =
            switch failure {
            case .internalError: .internalError
            case .overloaded(let seconds), .unavailable(let seconds), .outcomeUnknown(let seconds):
                .overloaded(retryAfter: seconds)
            case .body(let fault): .invalidBody("\(fault)")
            case .status(.notFound): .notFound
            case .status(let status) where status.kind == .serverError: .internalError
            case .status(let status): GuardianError(status.code, "invalid_request", "\(status.reasonPhrase).")
            }
        return try error.response()
    }
}

typealias GuardianCall = ClientCall

extension ClientCall {
    /// `Authorization: Ticket id="…"`, with or without the quotation marks.
    var ticket: FlowHandle? {
        guard var value = credentials("Ticket"), value.hasPrefix("id=") else { return nil }
        value.removeFirst(3)
        if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
            value = String(value.dropFirst().dropLast())
        }
        return value.isEmpty ? nil : FlowHandle(value)
    }
}

private struct GuardianGroup<Routes: RouterMethods<CountersignRequestContext>> {
    let guardian: Guardian
    let prefix: String
    var isForAdministrators = false
    let router: Routes

    func on(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (Request, GuardianCall) async throws -> Response
    ) {
        let (guardian, isForAdministrators) = (guardian, isForAdministrators)
        router.on(RouterPath("\(prefix)/\(path)"), method: method) { request, context in
            do {
                if isForAdministrators {
                    guard let token = request.bearerToken else { throw GuardianError.unauthorized }
                    guard guardian.options.isAdministrator(token) else { throw GuardianError.wrongAdministratorToken }
                }
                return try await handler(request, guardian.call(request, context, isForAdministrators))
            } catch let error as GuardianError {
                return try error.response()
            } catch let error as OAuthError {
                return try error.response()
            }
        }
    }
}

extension Guardian {
    fileprivate func call(
        _ request: Request, _ context: CountersignRequestContext, _ isAdministrator: Bool
    ) -> GuardianCall {
        var client = context.client(
            ClientID(rawValue: isAdministrator ? "administrator" : "guardian"), of: .guardian,
            isAdministrator: isAdministrator)
        if isAdministrator { client.administrator = AdministratorToken.actor }
        return GuardianCall(request, context, client: client)
    }
}

extension Response {
    /// No body and no content type: Guardian.swift takes nothing else for an empty success.
    static var done: Response { Response(status: .noContent) }
}
