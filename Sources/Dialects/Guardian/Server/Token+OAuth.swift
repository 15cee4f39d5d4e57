import CountersignCore
import Foundation
import Hummingbird
import OAuthHTTP
import ServerHTTP

extension OAuthForm {
    func required(_ name: String) throws(OAuthError) -> String {
        guard let text = text(name) else { throw .invalidRequest("\(name) is missing.") }
        return text
    }
}

/// A grant of this protocol in the table of the token endpoint.
private struct GuardianGrant: TokenGrant {
    let type: String
    let guardian: Guardian

    func redeem(_ request: TokenRequest) async throws -> Response? {
        do {
            guard let signedIn = try await guardian.redeem(type, request) else { return nil }
            return try .json(try await guardian.tokens.answer(for: signedIn))
        } catch let error as OAuthError {
            return try error.response()
        }
    }
}

extension Guardian {
    /// What `grant_type` may be.
    public static let grantTypes =
        ["password", realmGrant, "refresh_token"] + ["otp", "oob", "recovery-code"].map { mfaGrant + $0 } + [
            backchannelGrant
        ]
    /// Scopes of applications that have no list of their own.
    public static let scopes = ["openid", "profile", "email", "offline_access"]

    private static let realmGrant = "http://auth0.com/oauth/grant-type/password-realm"
    private static let mfaGrant = "http://auth0.com/oauth/grant-type/mfa-"
    /// How often one attempt may be asked about (Auth0, "Rate Limit Configurations").
    static let polls = RateLimit(count: 12, window: 60)

    /// What this protocol adds to the table of the token endpoint (Auth0, Authentication API, "Get Token").
    public var grants: [any TokenGrant] {
        (Self.grantTypes + [Self.proofGrant]).map { GuardianGrant(type: $0, guardian: self) }
    }

    /// - Returns: nil where the request is another protocol's.
    fileprivate func redeem(_ type: String, _ request: TokenRequest) async throws -> SignedIn? {
        let (form, application) = (request.form, request.application)
        var client = request.client(of: .guardian)
        client.revealsAddresses = false
        let oauth = application.registration.oauth
        // An application with a kind uses what it lists and nothing else; those of before have no list.
        if oauth.kind != nil, !oauth.allowsGrant(type) { throw OAuthError.unauthorizedGrant }
        if type == "refresh_token" {
            if try await !isOwn(request) { return nil }
        } else if oauth.requiresDPoP {
            throw OAuthError.unboundGrant
        }
        let settings = try await realm.settings().secondFactors
        client.requiresSecondFactor = application.registration.requiresSecondFactor || settings.isRequired
        let signedIn: SignedIn
        switch type {
        case "password", Self.realmGrant: signedIn = try await password(form, application, client)
        case Self.mfaGrant + "otp": signedIn = try await oneTimeCode(form, application, client)
        case Self.mfaGrant + "oob": signedIn = try await outOfBand(form, request.request, application, client)
        case Self.backchannelGrant: signedIn = try await backchannel(form, application, client)
        case Self.proofGrant: signedIn = try await proof(form, application, client)
        case Self.mfaGrant + "recovery-code": signedIn = try await recoveryCode(form, application, client)
        case "refresh_token": signedIn = try await refresh(form, application, client)
        default: throw OAuthError.unsupportedGrant
        }
        try admit(signedIn.grant.terms, for: application)
        return signedIn
    }

    /// Whether a refresh token is one of this protocol, or an unknown one of an application that was registered before there were others.
    private func isOwn(_ request: TokenRequest) async throws -> Bool {
        let token = Secret(try request.form.required("refresh_token"))
        // The endpoint may have looked for one of its own protocol already.
        let look = request.refreshToken
        if look?.grant != nil { return false }
        let dialects: [Dialect] = look == nil ? [.guardian, .oauth] : [.guardian]
        for dialect in dialects {
            let owner = HandleOwner.application(request.application.id, of: dialect)
            if try await realm.sessions.grant(ofRefreshToken: token, of: owner) != nil { return dialect == .guardian }
        }
        return request.application.registration.oauth.kind == nil
    }

    /// The application that asks: a public one says its id; a confidential one shows its secret, in the body or by Basic, or
    /// an assertion.
    func application(_ form: OAuthForm, _ call: GuardianCall) async throws -> CountersignCore.Application {
        try await application(form, call, judging: Applications.Companion<Never>?.none).application
    }

    /// The same, with something else that the request brings.
    func application<Answer: Sendable>(
        _ form: OAuthForm, _ call: GuardianCall, judging companion: Applications.Companion<Answer>?
    ) async throws -> (application: CountersignCore.Application, answer: Answer?) {
        let credentials = ClientCredentials(authorization: call.authorization, parameter: form.text)
        // As discovery spells the issuer, and as the tokens do.
        let issuers = Set(options.baseURLs().flatMap { [$0, $0 + "/"] })
        let expectation = ClientExpectation(Set(ClientAuthenticationMethod.allCases), issuers: issuers)
        let (outcome, answer) = try await realm.applications.authenticate(
            credentials, expecting: expectation, by: call.client, judging: companion)
        switch outcome {
        case .authenticated(let application, _): return (application, answer)
        case .refused(.limited): throw OAuthError(Refusal(.sourceLimited))
        case .refused: throw OAuthError.unknownClient
        }
    }

    private func password(
        _ form: OAuthForm, _ application: CountersignCore.Application, _ client: ClientContext
    ) async throws -> SignedIn {
        let username = try form.required("username")
        let password = try form.required("password")
        guard let email = EmailAddress(username) else { throw OAuthError(Refusal(.wrongAnswer)) }
        var opening = FlowOpening(subject: .email(email), terms: try terms(form, application), lifetime: 600)
        opening.canEnrol = true
        return try await signedIn(
            byFirstFactor: realm.authenticator.answer(
                .password(Secret(password)), to: .opening(opening), by: client))
    }

    /// What a first factor led to, where it is enough.
    func signedIn(byFirstFactor verdict: Verdict) async throws -> SignedIn {
        switch verdict {
        case .accomplished(.signedIn(let signedIn)): return signedIn
        case .more(let continuation): throw try await mfaRequired(continuation)
        case .refused(let refusal): throw OAuthError(refusal)
        default: throw OAuthError(Refusal(.unexpectedAnswer))
        }
    }

    /// The password was right and not enough: the token of the sign-in, and what can complete it.
    private func mfaRequired(_ continuation: Continuation) async throws -> OAuthError {
        let enrolled = try await authenticators(of: continuation.user.id).map(\.type)
        let settings = try await realm.settings().secondFactors
        var types: [AuthenticatorType] = []
        if enrolled.isEmpty ? settings.offersPush : enrolled.contains(.push) { types.append(.push) }
        if enrolled.isEmpty ? settings.offersTOTP : enrolled.contains(.otp) { types.append(.otp) }
        if enrolled.contains(.recoveryCode) { types.append(.recoveryCode) }
        let token = try await mfaToken(for: continuation.handle, until: continuation.expiresAt)
        return .mfaRequired(token, MFARequirements(types, isEnrolled: !enrolled.isEmpty))
    }

    /// What the session will be for: of the scopes that were asked for those that the application has, or that the protocol
    /// knows where it has no list.
    func terms(_ form: OAuthForm, _ application: CountersignCore.Application) throws -> GrantTerms {
        let asked = form.words("scope")
        let registered = application.registration.scopes
        var known = registered.isEmpty ? Self.scopes : registered
        var audiences: [String] = []
        if let audience = form.text("audience") {
            guard audience.utf8.count <= ApplicationRegistration.longestAudience else {
                throw OAuthError.invalidRequest("audience is too long.")
            }
            try admit(audience, for: application)
            audiences.append(audience)
            // Every user may manage their own authenticators.
            if mfaAudiences.contains(audience) { known += MFAScope.allCases.map(\.rawValue) }
        }
        return GrantTerms(scopes: asked.filter(known.contains), audiences: audiences)
    }

    /// What an `mfa_token` or an `auth_req_id` names, and whose it is.
    /// - Parameter application: the caller, where the request names it; one whose list of audiences became shorter
    ///   meanwhile is refused before anything is used up.
    func pending(
        _ token: String, _ expectation: FlowExpectation, by application: CountersignCore.Application? = nil
    ) async throws -> (handle: FlowHandle, userID: UserID, summary: FlowSummary) {
        guard let handle = try await handle(ofMFAToken: token) else { throw OAuthError.wrongMFAToken }
        return try await pending(handle, expectation, by: application)
    }

    /// The same for a handle that has no token around it.
    func pending(
        _ handle: FlowHandle, _ expectation: FlowExpectation, by application: CountersignCore.Application? = nil
    ) async throws -> (handle: FlowHandle, userID: UserID, summary: FlowSummary) {
        let summary = try summary(of: try await realm.authenticator.status(of: handle, expecting: expectation))
        guard let userID = summary.userID else { throw OAuthError.wrongMFAToken }
        if let application { try admit(summary.terms, for: application) }
        return (handle, userID, summary)
    }

    /// The attempt, where it is open.
    func summary(of status: FlowStatus) throws(OAuthError) -> FlowSummary {
        switch status {
        case .open(let summary): return summary
        case .unknown: throw OAuthError.wrongMFAToken
        case .finished: throw OAuthError(Refusal(.flowFinished))
        case .expired: throw OAuthError(Refusal(.flowExpired))
        case .exhausted: throw OAuthError(Refusal(.flowExhausted))
        }
    }

    private func oneTimeCode(
        _ form: OAuthForm, _ application: CountersignCore.Application, _ client: ClientContext
    ) async throws -> SignedIn {
        let token = try form.required("mfa_token")
        if let enrolment = try await handle(ofMFAToken: token),
            let signedIn = try await confirmed(form.required("otp"), enrolment, client)
        {
            return signedIn
        }
        let expectation = FlowExpectation.pendingSignIn(of: application.id)
        let (handle, _, _) = try await pending(token, expectation, by: application)
        let verdict = try await realm.authenticator.answer(
            .code(Secret(form.required("otp"))), to: .flow(handle, expectation), by: client)
        return try signedIn(verdict)
    }

    /// The first code of an app that a signed-in user associates; nil where the token is of nothing like that.
    private func confirmed(_ code: String, _ handle: FlowHandle, _ client: ClientContext) async throws -> SignedIn? {
        let expectation = FlowExpectation.association(of: client.clientID)
        guard case .open(let summary) = try await realm.authenticator.status(of: handle, expecting: expectation),
            summary.device != nil
        else { return nil }
        switch try await realm.authenticator.answer(
            .code(Secret(code)), to: .flow(handle, expectation), by: client)
        {
        case .accomplished(.enrolled(_, let signedIn)): return signedIn
        case .refused(let refusal): throw OAuthError(code: refusal)
        default: throw OAuthError(Refusal(.unexpectedAnswer))
        }
    }

    private func recoveryCode(
        _ form: OAuthForm, _ application: CountersignCore.Application, _ client: ClientContext
    ) async throws -> SignedIn {
        let expectation = FlowExpectation.pendingSignIn(of: application.id)
        let (handle, _, _) = try await pending(form.required("mfa_token"), expectation, by: application)
        let verdict = try await realm.authenticator.answer(
            .recoveryCode(Secret(form.required("recovery_code"))), to: .flow(handle, expectation), by: client)
        return try signedIn(verdict)
    }

    private func signedIn(_ verdict: Verdict) throws -> SignedIn {
        switch verdict {
        case .accomplished(.signedIn(let signedIn)): return signedIn
        case .refused(let refusal): throw OAuthError(code: refusal)
        default: throw OAuthError(Refusal(.unexpectedAnswer))
        }
    }

    /// Whether a device has allowed it yet. A client that polls too often is told to slow down, and loses nothing.
    ///
    /// The `oob_code` is that of the challenge, or of the association: then the device is asked as soon as it has enrolled.
    /// For a sign-in that went on in a browser it is the `signature` that its page posted.
    private func outOfBand(
        _ form: OAuthForm, _ request: Request, _ application: CountersignCore.Application, _ client: ClientContext
    ) async throws -> SignedIn {
        let code = try form.required("oob_code")
        let expectation = FlowExpectation.pendingSignIn(of: application.id)
        let (handle, _, summary) = try await pending(form.required("mfa_token"), expectation, by: application)
        guard realm.polls.admits(handle, Self.polls) else {
            throw OAuthError.slowDown
        }
        var isKnown = summary.approval?.id == code
        if !isKnown, let device = summary.device, device.rawValue == code {
            if summary.approval == nil {
                // In this order: the device may enrol between the two.
                let isPending = try await realm.enrolments.pending(device) != nil
                guard try await realm.enrolments.secondFactor(device) != nil else {
                    throw isPending ? OAuthError.pending : OAuthError.ended
                }
                switch try await ask(
                    for: handle, expectation, device: device, asksForNumber: false, request, client)
                {
                case .asked, .limited: throw OAuthError.pending
                case .refused(let refusal): throw OAuthError(asking: refusal)
                }
            }
            isKnown = true
        }
        if !isKnown { isKnown = try await isSignature(code, of: handle) }
        guard isKnown else {
            throw OAuthError(403, "invalid_grant", "The oob_code is unknown, or a newer one took its place.")
        }
        return try await claim(handle, summary, expectation, client)
    }

    /// Whether a page was given it for this sign-in (``signature(of:by:)``).
    private func isSignature(_ text: String, of handle: FlowHandle) async throws -> Bool {
        var expectation = ownToken(for: Self.resultAudience)
        expectation.claims["txid"] = .string(Self.transactionID(of: handle))
        return try await realm.tokens.verify(text, expecting: expectation).token != nil
    }

    /// The session that a device allowed.
    func claim(
        _ handle: FlowHandle, _ summary: FlowSummary, _ expectation: FlowExpectation, _ client: ClientContext
    ) async throws -> SignedIn {
        switch summary.approval {
        case .pending, nil: throw OAuthError.pending
        case .expired: throw OAuthError.ended
        case .decided(_, let decision) where !decision.isAllowed:
            throw summary.purpose == .signIn ? OAuthError.rejected : OAuthError.denied
        case .decided: break
        }
        switch try await realm.authenticator.answer(.approval, to: .flow(handle, expectation), by: client) {
        case .accomplished(.signedIn(let signedIn)): return signedIn
        case .refused(let refusal): throw OAuthError(refusal)
        default: throw OAuthError(Refusal(.unexpectedAnswer))
        }
    }

    private func refresh(
        _ form: OAuthForm, _ application: CountersignCore.Application, _ client: ClientContext
    ) async throws -> SignedIn {
        let token = Secret(try form.required("refresh_token"))
        let owner = HandleOwner.application(application.id, of: .guardian)
        // Before the token is traded: after a refusal it is as good as before.
        if let evidence = try await realm.sessions.evidence(of: token, of: owner) {
            if application.registration.oauth.requiresDPoP { throw OAuthError.unboundGrant }
            try admit(evidence.terms, for: application)
        }
        // A session of before the demand ends with its present tokens, and the next sign-in enrols.
        let outcome = try await realm.sessions.refresh(token, of: owner, by: client)
        switch outcome {
        case .refreshed(let signedIn): return signedIn
        case .refused: throw OAuthError(403, "invalid_grant", "Unknown or invalid refresh token.")
        }
    }
}
