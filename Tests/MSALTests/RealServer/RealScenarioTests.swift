import ClientHTTP
import CountersignCore
import Foundation
import MSAL
import OneTimePassword
import Testing

/// What the vendor's own suite asks of a tenant, as far as no other test here does. Source: the tests of MSAL for iOS.
@Suite struct RealScenarioTests {
    private static let email = RealServer.email
    private static let password = RealServer.password
    private static let codes = ApplicationRegistration(challengeTypes: ["oob", "redirect"])
    private static let everything = ["oob", "password", "redirect"]

    private func signIn(
        _ nativeAuth: MSALNativeAuthPublicClientApplication, _ email: String = email, password: String? = password,
        claims: String? = nil
    ) async throws -> SignInStartOutcome {
        let parameters = MSALNativeAuthSignInParameters(username: email)
        parameters.password = password
        parameters.claimsRequest = try claims.map { try MSALClaimsRequest(jsonString: $0) }
        return await nativeAuth.signIn(parameters: parameters)
    }

    private func completed(_ outcome: SignInStartOutcome) throws -> MSALNativeAuthUserAccountResult {
        guard case .completed(let result) = outcome else {
            Issue.record("\(outcome)")
            throw MemoryStorage.Broken()
        }
        return result
    }

    private func failure(_ outcome: SignInStartOutcome) throws -> SignInStartError {
        guard case .error(let error) = outcome else {
            Issue.record("\(outcome)")
            throw MemoryStorage.Broken()
        }
        return error
    }

    // MARK: Sign-in

    @Test func `The same account signs in again, and another takes its place`() async throws {
        try await RealServer.run { server in
            let nativeAuth = try await server.application()
            try await server.addAccount()
            try await server.addAccount("grace@example.com")
            let first = try completed(try await signIn(nativeAuth))
            let again = try completed(try await signIn(nativeAuth))
            #expect(first.account.identifier == again.account.identifier)
            let other = try completed(try await signIn(nativeAuth, "grace@example.com"))
            #expect(other.account.identifier != first.account.identifier)
            #expect(nativeAuth.getNativeAuthUserAccount()?.account.username == "grace@example.com")
        }
    }

    @Test func `The domain, the id and nothing name the same tenant`() async throws {
        try await RealServer.run { server in
            try await server.addAccount()
            let tenant = try await server.realm.tenant().id
            var identifiers: Set<String?> = []
            for path in ["contoso.onmicrosoft.com", tenant, ""] {
                let url = path.isEmpty ? server.url : server.url.appendingPathComponent(path)
                let config = MSALNativeAuthPublicClientApplicationConfig(
                    clientId: "dev-app", authority: try MSALCIAMAuthority(url: url), challengeTypes: [.OOB, .password])
                let nativeAuth = try MSALNativeAuthPublicClientApplication(
                    nativeAuthConfiguration: config, environment: ClientEnvironment(storage: MemoryStorage()))
                let result = try completed(try await signIn(nativeAuth))
                identifiers.insert(result.account.identifier)
                let wish = MSALNativeAuthGetAccessTokenParameters()
                wish.forceRefresh = true
                guard case .completed = await result.getAccessToken(parameters: wish) else {
                    Issue.record("no refresh under \(path)")
                    return
                }
            }
            #expect(identifiers.count == 1)
        }
    }

    @Test func `An unrequested password is ignored where the account has codes`() async throws {
        try await RealServer.run { server in
            let nativeAuth = try await server.application(Self.codes)
            try await server.addAccount(password: nil)
            guard case .codeRequired(let state, _, let channel, 8) = try await signIn(nativeAuth) else {
                Issue.record("no code")
                return
            }
            #expect(channel.isEmailType)
            guard case .completed = await state.submitCode(code: try await server.newestCode()) else {
                Issue.record("not signed in")
                return
            }
        }
    }

    @Test func `A client without codes is told to use a browser where only codes do`() async throws {
        try await RealServer.run { server in
            try await server.addAccount(password: nil)
            let nativeAuth = try await server.application(nil, [.password])
            let error = try failure(try await signIn(nativeAuth))
            #expect(error.isBrowserRequired && error.errorDescription == "Client is missing oob challenge type")
        }
    }

    // MARK: Second factors

    @Test func `An authentication context asks for a second factor, and the access token has it`() async throws {
        try await RealServer.run { server in
            let nativeAuth = try await server.application()
            try await server.addAccount()
            let weak = try completed(try await signIn(nativeAuth))
            let wish = MSALNativeAuthGetAccessTokenParameters()
            let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c4"}}}"#
            wish.claimsRequest = try MSALClaimsRequest(jsonString: claims)
            guard case .error(let refused) = await weak.getAccessToken(parameters: wish) else {
                Issue.record("a context without a second factor")
                return
            }
            #expect(!refused.isRefreshTokenExpired && !refused.isBrowserRequired && !refused.isInvalidScope)
            #expect(refused.errorDescription?.hasPrefix("Multi-factor authentication is required") == true)
            #expect(refused.errorCodes == [50076])
            let plain = MSALNativeAuthGetAccessTokenParameters()
            plain.forceRefresh = true
            guard case .completed = await weak.getAccessToken(parameters: plain) else {
                Issue.record("the session is over")
                return
            }

            let totp = try await server.enrolAuthenticator()
            guard
                case .awaitingMFA(let methods, let awaiting) = try await signIn(nativeAuth, claims: claims),
                case .verificationRequired(let state, _, _, _) = await awaiting.requestChallenge(
                    authMethod: try #require(methods.first))
            else {
                Issue.record("no second factor")
                return
            }
            let code = totp.code(step: totp.step(at: server.realm.clock.now) + 1).stringCode
            guard case .completed(let strong) = await state.submitChallenge(challenge: code),
                case .completed(let token) = await strong.getAccessToken(
                    parameters: MSALNativeAuthGetAccessTokenParameters())
            else {
                Issue.record("no token")
                return
            }
            #expect(JWTPayload.claims(of: token.accessToken)?["acrs"] == .array([.string("c4")]))
        }
    }

    @Test func `A client that cannot register a second factor is told to use a browser`() async throws {
        try await RealServer.run { server in
            try await server.addAccount()
            let nativeAuth = try await server.application(
                ApplicationRegistration(challengeTypes: Self.everything, requiresSecondFactor: true),
                capabilities: .mfaRequired)
            let error = try failure(try await signIn(nativeAuth))
            #expect(error.isBrowserRequired)
            #expect(error.errorDescription == "Client is missing registration_required capability")
        }
    }

    /// A network on which every mailbox is a phone.
    private struct Telephones: HTTPTransport {
        func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
            var answer = try await URLSessionTransport.shared.send(request)
            if request.url.path.hasSuffix("register/v1.0/introspect") {
                let text = String(decoding: answer.body, as: UTF8.self)
                answer.body = Data(text.replacingOccurrences(of: #""email""#, with: #""sms""#).utf8)
            }
            return answer
        }
    }

    @Test func `A phone cannot be registered: no text message is sent, and the state stays`() async throws {
        try await RealServer.run { server in
            try await server.addAccount()
            let nativeAuth = try await server.application(
                ApplicationRegistration(challengeTypes: Self.everything, requiresSecondFactor: true),
                transport: Telephones())
            guard case .strongAuthMethodRegistration(let methods, let state) = try await signIn(nativeAuth),
                let method = methods.first
            else {
                Issue.record("nothing to register")
                return
            }
            #expect(method.channelTargetType.isSMSType)
            guard
                case .error(let error, _?) = await state.challengeAuthMethod(
                    parameters: MSALNativeAuthChallengeAuthMethodParameters(
                        authMethod: method, verificationContact: "+15555550142"))
            else {
                Issue.record("taken")
                return
            }
            #expect(error.isInvalidInput && !error.isVerificationContactBlocked && error.errorCodes == [901_001])
            #expect(try await server.realm.outbox.messages().isEmpty)
        }
    }

    // MARK: Reset

    @Test func `A reset says why it is none`() async throws {
        try await RealServer.run { server in
            try await server.addAccount()
            func reset(
                _ nativeAuth: MSALNativeAuthPublicClientApplication, _ email: String = Self.email
            ) async throws -> ResetPasswordStartError {
                let parameters = MSALNativeAuthResetPasswordParameters(username: email)
                guard case .error(let error) = await nativeAuth.resetPassword(parameters: parameters) else {
                    throw MemoryStorage.Broken()
                }
                return error
            }
            #expect(try await reset(server.application(nil, [.password])).isBrowserRequired)
            let open = try await server.application(
                ApplicationRegistration(challengeTypes: Self.everything, revealsAddresses: true))
            #expect(try await reset(open, "nobody@example.com").isUserNotFound)
        }
    }

    @Test func `A password that was there before is an invalid one, and another can be given`() async throws {
        try await RealServer.run { server in
            let nativeAuth = try await server.application()
            try await server.addAccount()
            let parameters = MSALNativeAuthResetPasswordParameters(username: Self.email)
            guard case .codeRequired(let start, _, _, _) = await nativeAuth.resetPassword(parameters: parameters),
                case .passwordRequired(let state) = await start.submitCode(code: try await server.newestCode())
            else {
                Issue.record("no reset")
                return
            }
            guard case .error(let error, let same?) = await state.submitPassword(password: Self.password) else {
                Issue.record("the same password")
                return
            }
            #expect(error.isInvalidPassword && error.cause?.serverSuberror == "password_recently_used")
            guard case .completed = await same.submitPassword(password: "a stormy evening") else {
                Issue.record("no other password")
                return
            }
            #expect(try failure(try await signIn(nativeAuth)).isInvalidCredentials)
            _ = try completed(try await signIn(nativeAuth, password: "a stormy evening"))
        }
    }

    // MARK: Sign-up

    @Test func `Attributes at the start are judged there, and later an app learns their form`() async throws {
        try await RealServer.run { server in
            let nativeAuth = try await server.application(
                ApplicationRegistration(
                    challengeTypes: ["oob", "redirect"],
                    attributes: [
                        .init(name: "postalCode", type: "string", isRequired: true, pattern: "^[1-9][0-9]*$")
                    ]), [.OOB])
            func signUp(_ code: String?) async -> SignUpStartOutcome {
                let parameters = MSALNativeAuthSignUpParameters(username: Self.email)
                parameters.attributes = code.map { ["postalCode": $0] }
                return await nativeAuth.signUp(parameters: parameters)
            }
            guard case .attributesInvalid(let names) = await signUp("W1A"), names == ["postalCode"] else {
                Issue.record("taken")
                return
            }
            guard case .codeRequired(let state, _, _, _) = await signUp(nil),
                case .attributesRequired(let asked, let next) = await state.submitCode(
                    code: try await server.newestCode())
            else {
                Issue.record("not asked")
                return
            }
            #expect(asked.map(\.regex) == ["^[1-9][0-9]*$"] && asked.map(\.required) == [true])
            guard
                case .attributesInvalid(["postalCode"], let same) = await next.submitAttributes(
                    attributes: ["postalCode": "0"])
            else {
                Issue.record("taken later")
                return
            }
            guard case .completed(let after) = await same.submitAttributes(attributes: ["postalCode": "90210"]),
                case .completed(let result) = await after.signIn(
                    parameters: MSALNativeAuthSignInAfterSignUpParameters())
            else {
                Issue.record("no account")
                return
            }
            #expect(result.account.accountClaims?["postalCode"] as? String == "90210")
        }
    }
}
