import CountersignCore
import Foundation
import MSAL
import OneTimePassword
import Testing

/// The real client against the real server, over a socket. Source: MSAL for iOS.
@MainActor
@Suite struct RealServerTests {
    private let recorder = Recorder()

    private nonisolated static let everything = ["oob", "password", "redirect"]
    private nonisolated static let email = RealServer.email
    private nonisolated static let password = RealServer.password

    // MARK: Steps that many tests have

    private func signUp(
        _ nativeAuth: MSALNativeAuthPublicClientApplication, password: String? = nil, attributes: [String: Any]? = nil
    ) async -> DelegateCall {
        let parameters = MSALNativeAuthSignUpParameters(username: Self.email)
        parameters.password = password
        parameters.attributes = attributes
        return await recorder.told { nativeAuth.signUp(parameters: parameters, delegate: $0) }
    }

    private func signIn(
        _ nativeAuth: MSALNativeAuthPublicClientApplication, password: String? = nil, scopes: [String]? = nil,
        claims: String? = nil
    ) async throws -> DelegateCall {
        let parameters = MSALNativeAuthSignInParameters(username: Self.email)
        parameters.password = password
        parameters.scopes = scopes
        parameters.claimsRequest = try claims.map { try MSALClaimsRequest(jsonString: $0) }
        return await recorder.told { nativeAuth.signIn(parameters: parameters, delegate: $0) }
    }

    /// An account with a password, or without.
    private func makeAccount(
        _ server: RealServer, _ nativeAuth: MSALNativeAuthPublicClientApplication,
        password: String? = RealServer.password
    ) async throws -> SignInAfterSignUpState {
        let told = await signUp(nativeAuth, password: password)
        let state: SignUpCodeRequiredState = try told.state()
        let code = try await server.newestCode()
        let made = await recorder.told { state.submitCode(code: code, delegate: $0) }
        #expect(made.line == "onSignUpCompleted", "\(made.error?.errorDescription ?? "")")
        return try made.state()
    }

    private func token(
        _ result: MSALNativeAuthUserAccountResult, scopes: [String]? = nil, forced: Bool = false
    ) async -> DelegateCall {
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        parameters.scopes = scopes
        parameters.forceRefresh = forced
        return await recorder.told { result.getAccessToken(parameters: parameters, delegate: $0) }
    }

    // MARK: Sign-up

    @Test func `A sign-up with everything at the start is a code and then a session`() async throws {
        try await RealServer.run { server in try await self.signsUpWithAPassword(server) }
    }

    private func signsUpWithAPassword(_ server: RealServer) async throws {
        let nativeAuth = try await server.application()
        let after = try await makeAccount(server, nativeAuth)
        let told = await recorder.told {
            after.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: $0)
        }
        #expect(told.line == "onSignInCompleted", "\(told.error?.errorDescription ?? "")")
        let result = try #require(told.result)
        #expect(result.account.username == Self.email)
        #expect(result.account.accountClaims?["preferred_username"] as? String == Self.email)
        #expect(result.account.accountClaims?["ver"] as? String == "2.0")
        #expect(result.account.identifier?.split(separator: ".").count == 2)
        #expect(nativeAuth.getNativeAuthUserAccount()?.account.identifier == result.account.identifier)

        let cached = try #require(await token(result).token)
        #expect(await token(result).token?.accessToken == cached.accessToken)
        let before = result.idToken
        let fresh = await token(result, forced: true)
        #expect(fresh.line == "onAccessTokenRetrieveCompleted", "\(fresh.error?.errorDescription ?? "")")
        #expect(fresh.token?.accessToken != cached.accessToken)
        #expect(result.idToken != before)
        #expect(await token(result, forced: true).line == "onAccessTokenRetrieveCompleted")

        result.signOut()
        #expect(nativeAuth.getNativeAuthUserAccount() == nil)
        #expect(try await signIn(nativeAuth, password: Self.password).line == "onSignInCompleted")
    }

    @Test func `Password and attributes can come one after the other, and wrong ones again`() async throws {
        try await RealServer.run { server in try await self.signsUpStepByStep(server) }
    }

    private func signsUpStepByStep(_ server: RealServer) async throws {
        let nativeAuth = try await server.application(
            ApplicationRegistration(
                challengeTypes: Self.everything,
                attributes: [
                    .init(name: "city", type: "string", isRequired: true),
                    .init(name: "age", type: "integer", isRequired: true),
                ]))
        let told = await signUp(nativeAuth)
        #expect(told.line == "onSignUpCodeRequired")
        #expect(told.codeLength == 8)
        #expect(told.contact?.contains("*") == true)
        let code: SignUpCodeRequiredState = try told.state()
        let wrong = try await server.wrongCode()
        let refused = await recorder.told { code.submitCode(code: wrong, delegate: $0) }
        #expect(refused.line == "onSignUpVerifyCodeError InvalidCode +state")
        let resent = await recorder.told { code.resendCode(delegate: $0) }
        #expect(resent.line == "onSignUpResendCodeCodeRequired")
        let again: SignUpCodeRequiredState = try resent.state()
        let codes = try await server.codes()
        #expect(codes.count == 2)
        #expect(
            await recorder.told { again.submitCode(code: codes[0], delegate: $0) }.line
                == "onSignUpVerifyCodeError InvalidCode +state")
        let proven = await recorder.told { again.submitCode(code: codes[1], delegate: $0) }
        #expect(proven.line == "onSignUpPasswordRequired", "\(proven.error?.errorDescription ?? "")")

        let password: SignUpPasswordRequiredState = try proven.state()
        let weak = await recorder.told { password.submitPassword(password: "short", delegate: $0) }
        #expect(weak.line == "onSignUpPasswordRequiredError InvalidPassword +state")
        let chosen = await recorder.told { password.submitPassword(password: Self.password, delegate: $0) }
        #expect(chosen.line == "onSignUpAttributesRequired")
        #expect(chosen.attributes.map(\.name) == ["city", "age"])

        let attributes: SignUpAttributesRequiredState = try chosen.state()
        let missing = await recorder.told { attributes.submitAttributes(attributes: ["city": "London"], delegate: $0) }
        #expect(missing.line == "onSignUpAttributesRequired")
        let next: SignUpAttributesRequiredState = try missing.state()
        let invalid = await recorder.told { next.submitAttributes(attributes: ["age": "many"], delegate: $0) }
        #expect(invalid.line == "onSignUpAttributesInvalid")
        #expect(invalid.names == ["age"])
        let last: SignUpAttributesRequiredState = try invalid.state()
        let made = await recorder.told { last.submitAttributes(attributes: ["age": 36], delegate: $0) }
        #expect(made.line == "onSignUpCompleted", "\(made.error?.errorDescription ?? "")")
        let after: SignInAfterSignUpState = try made.state()
        let done = await recorder.told {
            after.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: $0)
        }
        #expect(done.result?.account.accountClaims?["city"] as? String == "London")
        #expect(done.result?.account.accountClaims?["age"] as? Int == 36)
    }

    @Test func `An application that reveals addresses says who is there, and one that does not never does`()
        async throws
    {
        try await RealServer.run { server in try await self.reveals(server) }
    }

    private func reveals(_ server: RealServer) async throws {
        let open = try await server.application(
            ApplicationRegistration(challengeTypes: Self.everything, revealsAddresses: true))
        #expect(try await signIn(open).line == "onSignInStartError UserNotFound")
        _ = try await makeAccount(server, open)
        #expect(await signUp(open, password: Self.password).line == "onSignUpStartError UserAlreadyExists")
        #expect(await signUp(open, password: "short").line == "onSignUpStartError InvalidPassword")
        let parameters = MSALNativeAuthSignUpParameters(username: "nobody")
        #expect(
            await recorder.told { open.signUp(parameters: parameters, delegate: $0) }.line
                == "onSignUpStartError InvalidUsername")
        let hiding = try await server.application()
        #expect(await signUp(hiding, password: Self.password).line == "onSignUpCodeRequired")
    }

    // MARK: Sign-in

    @Test func `A code signs in: not a wrong one, not an old one, and the states stay good`() async throws {
        try await RealServer.run { server in try await self.signsInByCode(server) }
    }

    private func signsInByCode(_ server: RealServer) async throws {
        let nativeAuth = try await server.application(
            ApplicationRegistration(challengeTypes: ["oob", "redirect"]), [.OOB])
        _ = try await makeAccount(server, nativeAuth, password: nil)
        let told = try await signIn(nativeAuth)
        #expect(told.line == "onSignInCodeRequired")
        let first: SignInCodeRequiredState = try told.state()
        let old = try await server.newestCode()
        let wrong = try await server.wrongCode()
        let refused = await recorder.told { first.submitCode(code: wrong, delegate: $0) }
        #expect(refused.line == "onSignInVerifyCodeError InvalidCode +state")
        let resent = await recorder.told { first.resendCode(delegate: $0) }
        #expect(resent.line == "onSignInResendCodeCodeRequired")
        #expect(
            await recorder.told { first.submitCode(code: old, delegate: $0) }.line
                == "onSignInVerifyCodeError InvalidCode +state")
        // The newest code, and the oldest state.
        let code = try await server.newestCode()
        let done = await recorder.told { first.submitCode(code: code, delegate: $0) }
        #expect(done.line == "onSignInCompleted", "\(done.error?.errorDescription ?? "")")
        #expect(nativeAuth.getNativeAuthUserAccount()?.account.username == Self.email)
    }

    @Test func `A wrong password is told as what it is, at the start and in its own step`() async throws {
        try await RealServer.run { server in try await self.signsInByPassword(server) }
    }

    private func signsInByPassword(_ server: RealServer) async throws {
        let nativeAuth = try await server.application()
        _ = try await makeAccount(server, nativeAuth)
        let wrong = try await signIn(nativeAuth, password: "something else")
        #expect(wrong.line == "onSignInStartError InvalidCredentials")
        #expect(wrong.error?.errorCodes == [50126])
        #expect(wrong.error?.cause?.statusCode == 400)
        let asked = try await signIn(nativeAuth)
        #expect(asked.line == "onSignInPasswordRequired")
        let state: SignInPasswordRequiredState = try asked.state()
        let refused = await recorder.told { state.submitPassword(password: "something else", delegate: $0) }
        #expect(refused.line == "onSignInPasswordRequiredError InvalidPassword +state")
        let done = await recorder.told { state.submitPassword(password: Self.password, delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        // Another application does not replace an account in this one.
        let other = try await server.application()
        #expect(other.getNativeAuthUserAccount() == nil)
    }

    @Test func `An app that lacks the account's method is told to use a browser, and why`() async throws {
        try await RealServer.run { server in try await self.lacksTheMethod(server) }
    }

    private func lacksTheMethod(_ server: RealServer) async throws {
        let nativeAuth = try await server.application()
        _ = try await makeAccount(server, nativeAuth)
        let told = try await signIn(try await server.application(nil, [.OOB]))
        #expect(told.line == "onSignInStartError BrowserRequired")
        #expect(told.error?.errorDescription?.contains("password") == true)
    }

    @Test func `A flow that is over says so`() async throws {
        try await RealServer.run { server in try await self.expires(server) }
    }

    private func expires(_ server: RealServer) async throws {
        let nativeAuth = try await server.application()
        _ = try await makeAccount(server, nativeAuth)
        let state: SignInPasswordRequiredState = try await signIn(nativeAuth).state()
        try await server.advanceClock(seconds: 16 * 60)
        let late = await recorder.told { state.submitPassword(password: Self.password, delegate: $0) }
        #expect(late.line == "onSignInPasswordRequiredError general +state")
        #expect(late.error?.cause?.isFlowExpired == true, "\(late.error?.cause?.description ?? "")")
    }

    // MARK: Reset

    @Test func `A reset password signs in by itself, and ends the sessions of the old one`() async throws {
        try await RealServer.run { server in try await self.resets(server) }
    }

    private func resets(_ server: RealServer) async throws {
        let nativeAuth = try await server.application()
        _ = try await makeAccount(server, nativeAuth)
        let session = try #require(try await signIn(nativeAuth, password: Self.password).result)

        let elsewhere = try await server.application(storage: MemoryStorage())
        let parameters = MSALNativeAuthResetPasswordParameters(username: Self.email)
        let told = await recorder.told { elsewhere.resetPassword(parameters: parameters, delegate: $0) }
        #expect(told.line == "onResetPasswordCodeRequired")
        let first: ResetPasswordCodeRequiredState = try told.state()
        let resent = await recorder.told { first.resendCode(delegate: $0) }
        #expect(resent.line == "onResetPasswordResendCodeRequired")
        let code: ResetPasswordCodeRequiredState = try resent.state()
        let wrong = try await server.wrongCode()
        #expect(
            await recorder.told { code.submitCode(code: wrong, delegate: $0) }.line
                == "onResetPasswordVerifyCodeError InvalidCode +state")
        let newest = try await server.newestCode()
        let proven = await recorder.told { code.submitCode(code: newest, delegate: $0) }
        #expect(proven.line == "onPasswordRequired", "\(proven.error?.errorDescription ?? "")")
        let state: ResetPasswordRequiredState = try proven.state()
        #expect(
            await recorder.told { state.submitPassword(password: "short", delegate: $0) }.line
                == "onResetPasswordRequiredError InvalidPassword +state")
        let reset = await recorder.told { state.submitPassword(password: "a stormy evening", delegate: $0) }
        #expect(reset.line == "onResetPasswordCompleted", "\(reset.error?.errorDescription ?? "")")
        let after: SignInAfterResetPasswordState = try reset.state()
        let done = await recorder.told {
            after.signIn(parameters: MSALNativeAuthSignInAfterResetPasswordParameters(), delegate: $0)
        }
        #expect(done.line == "onSignInCompleted", "\(done.error?.errorDescription ?? "")")

        #expect(try await signIn(elsewhere, password: Self.password).line == "onSignInStartError InvalidCredentials")
        let over = await token(session, forced: true)
        #expect(over.line == "onAccessTokenRetrieveError RefreshTokenExpired", "\(over.error?.errorDescription ?? "")")
    }

    @Test func `An account without a password has none to reset`() async throws {
        try await RealServer.run { server in try await self.hasNoPassword(server) }
    }

    private func hasNoPassword(_ server: RealServer) async throws {
        let nativeAuth = try await server.application(
            ApplicationRegistration(challengeTypes: ["oob", "redirect"], revealsAddresses: true), [.OOB])
        _ = try await makeAccount(server, nativeAuth, password: nil)
        let parameters = MSALNativeAuthResetPasswordParameters(username: Self.email)
        let told = await recorder.told { nativeAuth.resetPassword(parameters: parameters, delegate: $0) }
        #expect(told.line == "onResetPasswordStartError UserDoesNotHavePassword")
        #expect(told.error?.errorDescription?.contains("does not support native credential recovery") == true)
    }

    // MARK: Second factors

    @Test func `A second factor is registered without a code where the address is proven, and asked for then`()
        async throws
    {
        try await RealServer.run { server in try await self.givesASecondFactor(server) }
    }

    private func givesASecondFactor(_ server: RealServer) async throws {
        let nativeAuth = try await server.application(
            ApplicationRegistration(challengeTypes: Self.everything, requiresSecondFactor: true))
        _ = try await makeAccount(server, nativeAuth)
        let registering = try await signIn(nativeAuth, password: Self.password)
        #expect(registering.line == "onSignInStrongAuthMethodRegistration", "\(registering.line)")
        let register: RegisterStrongAuthState = try registering.state()
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(
            authMethod: try #require(registering.methods.first), verificationContact: Self.email)
        let registered = await recorder.told { register.challengeAuthMethod(parameters: parameters, delegate: $0) }
        #expect(registered.line == "onSignInCompleted", "\(registered.error?.errorDescription ?? "")")

        let awaiting = try await signIn(nativeAuth, password: Self.password)
        #expect(awaiting.line == "onSignInAwaitingMFA")
        let method = try #require(awaiting.methods.first)
        #expect(method.channelTargetType.isEmailType)
        let original: AwaitingMFAState = try awaiting.state()
        let asked = await recorder.told { original.requestChallenge(authMethod: method, delegate: $0) }
        #expect(asked.line == "onMFARequestChallengeVerificationRequired", "\(asked.error?.errorDescription ?? "")")
        let first: MFARequiredState = try asked.state()
        let wrong = try await server.wrongCode()
        #expect(
            await recorder.told { first.submitChallenge(challenge: wrong, delegate: $0) }.line
                == "onMFASubmitChallengeError InvalidChallenge +state")
        // Another code from the oldest state; it is good under the first one that took codes.
        let again = await recorder.told { original.requestChallenge(authMethod: method, delegate: $0) }
        #expect(again.line == "onMFARequestChallengeVerificationRequired")
        let code = try await server.newestCode()
        let done = await recorder.told { first.submitChallenge(challenge: code, delegate: $0) }
        #expect(done.line == "onSignInCompleted", "\(done.error?.errorDescription ?? "")")
        #expect((done.result?.account.accountClaims?["amr"] as? [String])?.contains("mfa") == true)

        let unable = try await signIn(
            try await server.application(
                ApplicationRegistration(challengeTypes: Self.everything, requiresSecondFactor: true), capabilities: []),
            password: Self.password)
        #expect(unable.line == "onSignInStartError BrowserRequired")
        #expect(unable.error?.errorDescription == "Client is missing mfa_required capability")
    }

    @Test func `Another address is registered by a code, and nonsense is not`() async throws {
        try await RealServer.run { server in try await self.registersAnotherAddress(server) }
    }

    private func registersAnotherAddress(_ server: RealServer) async throws {
        let nativeAuth = try await server.application(
            ApplicationRegistration(challengeTypes: Self.everything, requiresSecondFactor: true))
        _ = try await makeAccount(server, nativeAuth)
        let registering = try await signIn(nativeAuth, password: Self.password)
        let register: RegisterStrongAuthState = try registering.state()
        let method = try #require(registering.methods.first)
        func challenge(_ contact: String) async -> DelegateCall {
            let parameters = MSALNativeAuthChallengeAuthMethodParameters(
                authMethod: method, verificationContact: contact)
            return await recorder.told { register.challengeAuthMethod(parameters: parameters, delegate: $0) }
        }
        #expect(await challenge("nonsense").line == "onRegisterStrongAuthChallengeError InvalidInput +state")
        let other = "lovelace@example.com"
        let asked = await challenge(other)
        #expect(asked.line == "onRegisterStrongAuthVerificationRequired", "\(asked.error?.errorDescription ?? "")")
        #expect(asked.contact == other)
        let state: RegisterStrongAuthVerificationRequiredState = try asked.state()
        let wrong = try await server.wrongCode(to: other)
        #expect(
            await recorder.told { state.submitChallenge(challenge: wrong, delegate: $0) }.line
                == "onRegisterStrongAuthSubmitChallengeError InvalidChallenge +state")
        let code = try await server.newestCode(to: other)
        let done = await recorder.told { state.submitChallenge(challenge: code, delegate: $0) }
        #expect(done.line == "onSignInCompleted", "\(done.error?.errorDescription ?? "")")
    }

    @Test func `An authenticator's code is a second factor`() async throws {
        try await RealServer.run { server in try await self.givesAnAuthenticatorsCode(server) }
    }

    private func givesAnAuthenticatorsCode(_ server: RealServer) async throws {
        let nativeAuth = try await server.application()
        _ = try await makeAccount(server, nativeAuth)
        let totp = try await server.enrolAuthenticator()
        let awaiting = try await signIn(nativeAuth, password: Self.password)
        #expect(awaiting.line == "onSignInAwaitingMFA", "\(awaiting.error?.errorDescription ?? "")")
        let method = try #require(awaiting.methods.first)
        #expect(method.channelTargetType.value == "totp")
        let state: AwaitingMFAState = try awaiting.state()
        let asked = await recorder.told { state.requestChallenge(authMethod: method, delegate: $0) }
        #expect(asked.line == "onMFARequestChallengeVerificationRequired", "\(asked.error?.errorDescription ?? "")")
        #expect(asked.codeLength == 6)
        let required: MFARequiredState = try asked.state()
        let code = totp.code(step: totp.step(at: server.realm.clock.now) + 1).stringCode
        let done = await recorder.told { required.submitChallenge(challenge: code, delegate: $0) }
        #expect(done.line == "onSignInCompleted", "\(done.error?.errorDescription ?? "")")
    }

    @Test func `An app that gave a password and takes none is told to use a browser`() async throws {
        try await RealServer.run { server in
            let nativeAuth = try await server.application(nil, [.OOB])
            let told = await self.signUp(nativeAuth, password: Self.password)
            #expect(told.line == "onSignUpStartError BrowserRequired", "\(told.error?.errorDescription ?? "")")
        }
    }

    // MARK: Tokens

    @Test func `Scopes are had where the application may have them`() async throws {
        try await RealServer.run { server in try await self.getsScopes(server) }
    }

    private func getsScopes(_ server: RealServer) async throws {
        let nativeAuth = try await server.application()
        _ = try await makeAccount(server, nativeAuth)
        let told = try await signIn(nativeAuth, password: Self.password, scopes: ["api"])
        let result = try #require(told.result, "\(told.error?.errorDescription ?? "")")
        #expect(await token(result, scopes: ["api"]).token?.scopes.contains("api") == true)
        #expect(await token(result, scopes: ["api"], forced: true).token?.scopes.contains("api") == true)
        let refused = await token(result, scopes: ["nobody.knows"])
        #expect(refused.line == "onAccessTokenRetrieveError InvalidScope")
        #expect(
            refused.error?.errorDescription?.contains(
                "Send an interactive authorization request for this user and resource.") == true)
        // That was no reason to end the session.
        #expect(await token(result, forced: true).line == "onAccessTokenRetrieveCompleted")
        #expect(
            try await signIn(nativeAuth, password: Self.password, scopes: ["nobody.knows"]).line
                == "onSignInStartError general")
    }

    @Test func `Many refreshes at once do not end the session`() async throws {
        try await RealServer.run { server in try await self.refreshesAtOnce(server) }
    }

    private func refreshesAtOnce(_ server: RealServer) async throws {
        let nativeAuth = try await server.application()
        _ = try await makeAccount(server, nativeAuth)
        let result = try #require(try await signIn(nativeAuth, password: Self.password).result)
        await withTaskGroup(of: Bool.self) { tasks in
            for number in 0..<20 {
                tasks.addTask {
                    let parameters = MSALNativeAuthGetAccessTokenParameters()
                    parameters.forceRefresh = true
                    if number % 2 == 0 { parameters.scopes = ["api"] }
                    if case .completed = await result.getAccessToken(parameters: parameters) { return true }
                    return false
                }
            }
            for await succeeded in tasks { #expect(succeeded) }
        }
        #expect(await token(result, forced: true).line == "onAccessTokenRetrieveCompleted")
    }
}
