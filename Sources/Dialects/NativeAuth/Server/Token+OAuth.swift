import CountersignCore
import Foundation
import NativeAuthWire
import ServerHTTP

extension NativeAuth {
    /// `POST oauth2/v2.0/token`, for each grant type.
    func token(_ request: TokenRequest, _ call: NativeAuthCall) async throws -> TokenResponse {
        guard let grant = GrantType(rawValue: try call.required(request.grantType, "grant_type")) else {
            throw NativeAuthError.unsupportedGrant
        }
        // What could be refused without looking at the answer is, so that no code is used up for it.
        let scopes = try scopes(request.scope, call, isRefresh: grant == .refreshToken)
        let contexts = try authenticationContexts(request.claims)
        let extensions = ExtensionConsultant(
            realm: realm, call: call, resource: NativeAuthTokens.resource(of: scopes))
        if grant == .refreshToken { return try await refresh(request, scopes, contexts, extensions, call) }

        let handle = try call.handle(request.continuationToken)
        var details: [String: JSONValue] = [NativeAuthTokens.directoryDetail: .bool(true)]
        if !contexts.isEmpty { details[NativeAuthTokens.contextsDetail] = .array(contexts.map { .string($0) }) }
        let answer: Answer
        let judged: NativeAuthError.Judged
        var expectation: FlowExpectation
        switch grant {
        case .password:
            (answer, judged) = (.password(Secret(try call.required(request.password, "password"))), .password)
            expectation = call.expectation(.signIn, at: [.firstProof])
        case .oob, .mfaOOB:
            let code = Secret(try call.required(request.oob, "oob"))
            expectation = Self.expectation(ofCode: call.message)
            expectation.isUnlessDeviceIsAwaited = Self.isOfMail(code.reveal())
            let isCode = expectation.isUnlessDeviceIsAwaited || Self.isOfAuthenticator(code.reveal())
            answer = isCode ? .code(code) : try await self.answer(code, for: handle, expectation)
            judged = .code
        case .continuationToken:
            let claimed = try request.username.flatMap { $0.isEmpty ? nil : try address($0, call) }
            (answer, judged) = (.claim(claimed), .handle)
            expectation = call.anyExpectation(at: [.complete])
        case .refreshToken, .attributes: throw NativeAuthError.unsupportedGrant
        }
        expectation.terms = GrantTerms(scopes: scopes, details: details)
        expectation.requiresSecondFactor = !contexts.isEmpty
        expectation.consultant = extensions
        switch try await verdict(answer, handle, expectation, call) {
        case .accomplished(.signedIn(let signedIn)):
            return try await tokens(call).answer(
                for: signedIn, scopes: scopes, claims: extensions.claims(for: signedIn.user))
        case .advanced(.secondFactor): throw NativeAuthError.secondFactorRequired(continuation(handle))
        case .advanced(.registration): throw NativeAuthError.registrationRequired(continuation(handle))
        case .advanced(.beyondClient(let lacksRegistration)):
            throw NativeAuthError.lacking(lacksRegistration ? .registrationRequired : .mfaRequired)
        case .refused(let refusal): throw refused(refusal, judged)
        default: throw refused(Refusal(.unexpectedAnswer))
        }
    }

    /// Judges an answer. Where it is a code of the length of mailed ones and a device was asked, it asks whether that one has answered.
    private func verdict(
        _ answer: Answer, _ handle: FlowHandle, _ expectation: FlowExpectation, _ call: NativeAuthCall
    ) async throws -> Verdict {
        do {
            return try await realm.authenticator.answer(answer, to: .flow(handle, expectation), by: call.client)
        } catch is AttemptAwaitsDevice {
            var expectation = expectation
            expectation.isUnlessDeviceIsAwaited = false
            let answer = try await self.answer(Secret(call.message.fields["oob"] ?? ""), for: handle, expectation)
            return try await realm.authenticator.answer(answer, to: .flow(handle, expectation), by: call.client)
        }
    }

    /// Whether a request's first write may find out whether the application is as it was: an answer that is judged at once. A question whether
    /// a device has answered writes nothing, and counts against its pace.
    func assumesInToken(_ request: TokenRequest) -> Bool {
        switch request.grantType.flatMap(GrantType.init(rawValue:)) {
        case .password: true
        case .oob, .mfaOOB: request.oob.map { Self.isOfMail($0) || Self.isOfAuthenticator($0) } ?? false
        default: false
        }
    }

    func tokens(_ call: NativeAuthCall) -> NativeAuthTokens {
        NativeAuthTokens(realm: realm, issuer: authority(call.tenant) + "/v2.0", settings: call.ground.tokens)
    }

    /// The code that begins a sign-in was mailed; later, in an attempt of any kind, it is of the second factor that was chosen.
    private static func expectation(ofCode message: NativeAuthMessage) -> FlowExpectation {
        message.expectation([.signIn], at: [.firstProof]).or(message.anyExpectation(at: [.secondFactor]))
    }

    /// Whether a code is of the length of mailed codes.
    private static func isOfMail(_ code: String) -> Bool { isDigits(code, codeLength) }

    /// Whether a code is of the length of authenticators' codes.
    private static func isOfAuthenticator(_ code: String) -> Bool { isDigits(code, 6) }

    private static func isDigits(_ code: String, _ length: Int) -> Bool {
        let digits = code.filter { !$0.isWhitespace }
        return digits.utf8.count == length && digits.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// A code is for whatever is open. Where a device was asked its own codes are digits, and anything else asks whether it has
    /// said yes.
    private func answer(
        _ code: Secret<String>, for handle: FlowHandle, _ expectation: FlowExpectation
    ) async throws -> Answer {
        guard case .open(let summary) = try await realm.authenticator.status(of: handle, expecting: expectation),
            summary.journey?.awaitsDevice ?? false
        else { return .code(code) }
        // Asking is no answer: it counts against nothing but its own pace.
        guard realm.polls.admits(handle, Self.polls) else {
            throw NativeAuthError.slowDown
        }
        switch summary.approval {
        case .decided: return .approval
        case .pending: throw NativeAuthError.pending
        case .expired, nil: throw NativeAuthError.unanswered
        }
    }

    /// How often a client may ask whether a device has answered.
    static let polls = RateLimit(count: 30, window: 60)

    // MARK: Refreshing

    /// An authentication context is had only by a session with a second factor, and so is any token where every user
    /// needs one; the refresh token of another stays as it is.
    private func refresh(
        _ request: TokenRequest, _ scopes: [String], _ contexts: [String], _ extensions: ExtensionConsultant,
        _ call: NativeAuthCall
    ) async throws -> TokenResponse {
        let token = Secret(try call.required(request.refreshToken, "refresh_token"))
        let outcome = try await realm.sessions.refresh(
            token, of: .application(call.application.id, of: .nativeAuth),
            secondFactor: contexts.isEmpty ? .whereRequired : .always, by: call.client, asking: extensions)
        switch outcome {
        case .refreshed(var signedIn):
            let wanted = request.scope?.isEmpty ?? true ? signedIn.evidence.scopes : scopes
            signedIn.add(contexts: contexts)
            var answer = try await tokens(call).answer(
                for: signedIn, scopes: wanted, claims: extensions.claims(for: signedIn.user))
            // The one before is used up, whatever the scopes of this access token.
            answer.refreshToken = signedIn.refreshToken.reveal()
            return answer
        case .refused(let refusal): throw NativeAuthError(refusal)
        }
    }

    // MARK: Scopes and claims

    /// What every application may ask for (OpenID Connect Core, sections 5.4 and 11).
    static let openIDScopes = ["openid", "profile", "email", "offline_access"]

    /// The scopes asked for, each once, all of which the application was registered with.
    private func scopes(_ text: String?, _ call: NativeAuthCall, isRefresh: Bool) throws -> [String] {
        let asked = text?.spaceSeparated ?? []
        var scopes: [String] = []
        for scope in asked where !scopes.contains(scope) {
            guard Self.openIDScopes.contains(scope) || call.registration.scopes.contains(scope) else {
                let excerpt = String(scope.prefix(100))
                throw isRefresh ? NativeAuthError.noConsent(excerpt) : NativeAuthError.unknownScope(excerpt)
            }
            scopes.append(scope)
        }
        return scopes.isEmpty ? ["openid", "profile", "offline_access"] : scopes
    }

    /// Authentication contexts that a claims request wants in the access token: they are had with a second factor.
    private func authenticationContexts(_ claims: String?) throws -> [String] {
        guard let claims, !claims.isEmpty else { return [] }
        guard let parsed = try? LenientJSON.parse(Array(claims.utf8)), case .object = parsed else {
            throw NativeAuthError.invalidParameter("claims")
        }
        let wanted = parsed["access_token"]?["acrs"]
        var values: [String] = []
        if let value = wanted?["value"]?.stringValue { values.append(value) }
        if case .array(let several)? = wanted?["values"] { values += several.compactMap(\.stringValue) }
        return values.filter { (1...64).contains($0.utf8.count) }.prefix(10).map { $0 }
    }
}

extension SignedIn {
    /// Puts authentication contexts into the tokens of this answer, beside those of the sign-in.
    fileprivate mutating func add(contexts: [String]) {
        guard !contexts.isEmpty else { return }
        var all: [JSONValue] = []
        if case .array(let present)? = evidence.details[NativeAuthTokens.contextsDetail] { all = present }
        for context in contexts where !all.contains(.string(context)) { all.append(.string(context)) }
        grant.terms.details[NativeAuthTokens.contextsDetail] = .array(all)
    }
}
