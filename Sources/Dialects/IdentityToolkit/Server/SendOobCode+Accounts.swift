import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `accounts:sendOobCode`: mails a link. Where answers hide addresses, one that has no account gets the same answer.
    func sendOobCode(_ request: SendOobCodeRequest, _ call: Call) async throws -> SendOobCodeResponse {
        try requireProject(request.targetProjectId)
        let (subject, session) = try await subject(of: request, call)
        let returnsLink = request.returnOobLink == true
        if returnsLink && !call.isAdministrator {
            throw IdentityToolkitError(
                403, message: ErrorWord.insufficientPermission.message("Only an administrator is given the link."),
                status: "PERMISSION_DENIED")
        }
        try requireAuthorized(request.continueUrl, call)
        try checkLinkDomain(request)
        let items = linkItems(request, call)
        var client = call.client
        // An administrator may know which addresses have accounts.
        if call.isAdministrator { client.revealsAddresses = true }
        let outcome = try await realm.mailings.sendLink(
            subject, options: Mailings.LinkOptions(items: items, delivers: !returnsLink), of: session, by: client)
        switch outcome {
        case .refused(let refusal): throw IdentityToolkitError(mail: refusal)
        case .sent(let recipient, let handle):
            var response = SendOobCodeResponse(email: recipient.canonical)
            if returnsLink, let handle {
                response.oobCode = handle.token.reveal()
                let link = ActionLink(subject.action, code: handle.token, items: items, locale: client.locale)
                response.oobLink = "\(options.publicURL())/\(realm.linkFormat.path(of: link))"
            }
            return response
        }
    }

    /// What the mail is about, and the session that asks where it has to be of a recent sign-in.
    private func subject(
        of request: SendOobCodeRequest, _ call: Call
    ) async throws -> (Mailings.Subject, OwnSession?) {
        switch try Enumeration.requestType.word(request.requestType, at: "req_type") {
        case nil: throw IdentityToolkitError(.missingReqType)
        case "VERIFY_EMAIL":
            if let user = try await namedUser(request, call) { return (.verifyEmail(user), nil) }
            return (.verifyEmail(try await tokens(call).bearer(request.idToken, allowsUnenrolled: true).user.id), nil)
        case "PASSWORD_RESET":
            guard call.settings.identityToolkit.allowsEmail else { throw IdentityToolkitError(.passwordLoginDisabled) }
            return (.resetPassword(try address(request.email)), nil)
        case "EMAIL_SIGNIN":
            guard call.settings.identityToolkit.allowsSignInByLink else {
                throw IdentityToolkitError(.operationNotAllowed)
            }
            return (.signIn(try address(request.email)), nil)
        case "VERIFY_AND_CHANGE_EMAIL":
            let newEmail = try address(request.newEmail, missing: .missingNewEmail, invalid: .invalidNewEmail)
            if let user = try await namedUser(request, call) { return (.changeEmail(user, to: newEmail), nil) }
            let bearer = try await tokens(call).bearer(request.idToken, missing: .missingIDToken)
            // A stolen token of last week must not move the account to another mailbox.
            return (.changeEmail(bearer.user.id, to: newEmail), bearer.session)
        case let other?: throw IdentityToolkitError(.invalidReqType, "\(other) is not sent on request.")
        }
    }

    /// The user that an administrator names by address; nil where an ID token says whose address it is about.
    private func namedUser(_ request: SendOobCodeRequest, _ call: Call) async throws -> UserID? {
        guard call.isAdministrator, request.idToken == nil else { return nil }
        guard let user = try await realm.accounts.user(email: try address(request.email)) else {
            throw IdentityToolkitError(.userNotFound)
        }
        return user.id
    }

    /// Links lead to the server's public address, and to no other (Firebase documentation, "Passing state in email
    /// actions": a custom domain has to be one of the project).
    private func checkLinkDomain(_ request: SendOobCodeRequest) throws {
        if let domain = request.linkDomain, !domain.isEmpty,
            URL(string: options.publicURL())?.host?.lowercased() != domain.lowercased()
        {
            throw IdentityToolkitError(
                .invalidHostingLinkDomain, "Links are made below the server's public address alone.")
        }
        if let domain = request.dynamicLinkDomain, !domain.isEmpty {
            throw IdentityToolkitError(.invalidDynamicLinkDomain, "There are no dynamic links here.")
        }
    }

    /// A link leads on only where the operator lets it.
    private func requireAuthorized(_ continueURL: String?, _ call: Call) throws {
        guard let continueURL, !continueURL.isEmpty else { return }
        switch linkTargets(call.settings).fault(of: continueURL) {
        case nil: break
        case .malformed:
            throw IdentityToolkitError(.invalidContinueURI, "(expected an absolute URI with valid scheme and host)")
        case .unauthorized:
            throw IdentityToolkitError(.unauthorizedDomain, "Domain not allowlisted by project")
        }
    }

    private func linkItems(_ request: SendOobCodeRequest, _ call: Call) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        // The web's client takes a link without an API key for no link. An administrator has none, but under `--dev`
        // any will do.
        if !call.isAdministrator {
            items.append(("apiKey", call.client.clientID.rawValue))
        } else if options.isDevelopment {
            items.append(("apiKey", "dev-app"))
        }
        if let url = request.continueUrl, !url.isEmpty { items.append(("continueUrl", url)) }
        return items
    }

    /// `accounts:resetPassword`: tells what a link's code is for; with a new password, sets it.
    func resetPassword(_ request: ResetPasswordRequest, _ call: Call) async throws -> ResetPasswordResponse {
        guard let code = request.oobCode, !code.isEmpty else { throw IdentityToolkitError(.missingOOBCode) }
        let handle = FlowHandle(code)
        let status = try await realm.authenticator.status(of: handle, expecting: .anyLink)
        if case .expired = status { throw IdentityToolkitError(.expiredOOBCode) }
        // A pending credential is a handle of a sign-in too.
        guard case .open(let summary) = status, summary.isLink else { throw IdentityToolkitError(.invalidOOBCode) }
        let response = ResetPasswordResponse(
            requestType: summary.purpose.requestType,
            // A client with a sign-in link has to know the address that it was sent to: a client with only the code
            // must not learn it here.
            email: summary.purpose == .signIn ? nil : summary.email?.canonical,
            newEmail: summary.newEmail?.canonical)
        guard let newPassword = request.newPassword else { return response }
        guard call.settings.identityToolkit.allowsEmail else { throw IdentityToolkitError(.passwordLoginDisabled) }
        guard !newPassword.isEmpty else { throw IdentityToolkitError(.missingPassword) }
        let verdict = try await realm.authenticator.answer(
            .link(newPassword: Secret(newPassword)), to: .flow(handle, .oobCode(.resetPassword)), by: call.client
        )
        switch verdict {
        case .accomplished(.passwordReset): return response
        case .refused(let refusal): throw IdentityToolkitError(link: refusal)
        default: throw IdentityToolkitError.internal
        }
    }

    /// `accounts:createAuthUri`: which ways in an address has, where answers may tell.
    func createAuthURI(_ request: CreateAuthURIRequest, _ call: Call) async throws -> CreateAuthURIResponse {
        let email = try address(request.identifier, missing: .missingIdentifier, invalid: .invalidIdentifier)
        guard let continueURI = request.continueUri, !continueURI.isEmpty else {
            throw IdentityToolkitError(.missingContinueURI)
        }
        guard URL(string: continueURI)?.scheme != nil else { throw IdentityToolkitError(.invalidContinueURI) }
        let sessionID = request.sessionId.flatMap { $0.isEmpty ? nil : $0 } ?? realm.random.bytes(16).base64URL
        guard call.client.revealsAddresses else { return CreateAuthURIResponse(sessionId: sessionID) }
        guard let user = try await realm.accounts.user(email: email) else {
            return CreateAuthURIResponse(registered: false, sessionId: sessionID)
        }
        var methods: [String] = []
        if user.profile.providers.contains("password") { methods.append("password") }
        if user.profile.providers.contains("emailLink") { methods.append("emailLink") }
        return CreateAuthURIResponse(
            registered: true, allProviders: methods.isEmpty ? [] : ["password"], signinMethods: methods,
            sessionId: sessionID)
    }
}

extension Mailings.Subject {
    fileprivate var action: ActionLink.Action {
        switch self {
        case .verifyEmail: .verifyEmail
        case .resetPassword: .resetPassword
        case .signIn: .signIn
        case .changeEmail: .changeEmail
        }
    }
}

extension FlowPurpose {
    /// What `requestType` calls a link of this purpose.
    var requestType: String {
        switch self {
        case .signIn: "EMAIL_SIGNIN"
        case .verifyEmail: "VERIFY_EMAIL"
        case .resetPassword: "PASSWORD_RESET"
        case .changeEmail: "VERIFY_AND_CHANGE_EMAIL"
        case .restoreEmail: "RECOVER_EMAIL"
        case .signUp, .enrolFactor, .approve, .backchannel, .keepAccount: "OOB_REQ_TYPE_UNSPECIFIED"
        }
    }
}
