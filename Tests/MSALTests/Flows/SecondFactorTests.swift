import Foundation
import MSAL
import NativeAuthWire
import Testing

/// A second factor, and its registration. Source: MSAL for iOS.
@MainActor
@Suite struct SecondFactorTests {
    typealias Answer = ScriptedServer.Answer

    private let app: TestApp
    private let recorder = Recorder()
    private var server: ScriptedServer { app.server }

    nonisolated private static let mfaRequired = Answer.refusal(
        "invalid_grant", "mfa_required", codes: [50076], more: #","continuation_token":"m1""#)
    nonisolated private static let registrationRequired = Answer.refusal(
        "invalid_grant", "registration_required", more: #","continuation_token":"r1""#)
    nonisolated private static let blocked = Answer.refusal("access_denied", "provider_blocked_by_rep")

    init() throws {
        app = try TestApp { $0.capabilities = .mfaRequired }
        server.on(.initiate, .token("t1"))
        server.on(.challenge, .password("t2"))
        server.on(.token, Self.mfaRequired)
        server.on(.introspect, .methods("m2"))
        server.on(.registerIntrospect, .methods("r2"))
        server.on(
            .registerChallenge,
            Answer(
                #"{"continuation_token":"r3","challenge_type":"oob","binding_method":"prompt","#
                    + #""challenge_target":"ada@example.com","challenge_channel":"email","code_length":6}"#))
        server.on(.registerContinue, .token("r4"))
    }

    private func signIn() async -> DelegateCall {
        let parameters = MSALNativeAuthSignInParameters(username: "ada@example.com")
        parameters.password = "p"
        parameters.scopes = ["api"]
        return await recorder.told { app.nativeAuth.signIn(parameters: parameters, delegate: $0) }
    }

    private func awaiting() async throws -> (AwaitingMFAState, MSALAuthMethod) {
        let told = await signIn()
        return (try told.state(), try #require(told.methods.first))
    }

    private func required() async throws -> (MFARequiredState, MSALAuthMethod) {
        let (state, method) = try await awaiting()
        server.on(.challenge, .code("m3"))
        let told = await recorder.told { state.requestChallenge(authMethod: method, delegate: $0) }
        return (try told.state(), method)
    }

    private func registering(_ contact: String = "ada@example.com") async throws -> (
        RegisterStrongAuthState, DelegateCall
    ) {
        server.on(.token, Self.registrationRequired)
        let told = await signIn()
        let state: RegisterStrongAuthState = try told.state()
        let method = try #require(told.methods.first)
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(authMethod: method, verificationContact: contact)
        return (state, await recorder.told { state.challengeAuthMethod(parameters: parameters, delegate: $0) })
    }

    @Test func `A factor is chosen, its code asked for and given: with these fields`() async throws {
        let told = await signIn()
        #expect(told.line == "onSignInAwaitingMFA")
        #expect(told.methods.map(\.id) == ["m1", "m2"])
        #expect(told.methods.map(\.loginHint) == ["a***@b.c", nil])
        #expect(told.methods.map(\.channelTargetType.isSMSType) == [false, true])
        #expect(server.form(.introspect) == ["client_id": "app", "continuation_token": "m1"])
        #expect(server.form(.initiate)["capabilities"] == "mfa_required")

        let awaiting: AwaitingMFAState = try told.state()
        server.on(.challenge, .code("m3"))
        let asked = await recorder.told { awaiting.requestChallenge(authMethod: told.methods[1], delegate: $0) }
        #expect(asked.line == "onMFARequestChallengeVerificationRequired")
        #expect(asked.codeLength == 8)
        #expect(
            server.form(.challenge) == [
                "client_id": "app", "continuation_token": "m2", "challenge_type": "oob password redirect", "id": "m2",
            ])
        let required: MFARequiredState = try asked.state()
        server.on(.token, .tokens("first"))
        let done = await recorder.told { required.submitChallenge(challenge: "123", delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        #expect(
            server.form(.token) == [
                "client_id": "app", "continuation_token": "m3", "grant_type": "mfa_oob", "oob": "123",
                "scope": "api openid profile offline_access", "client_info": "true",
            ])
    }

    @Test(arguments: [
        (Answer.redirect, "BrowserRequired"), (.refusal("expired_token"), "general"),
        (#"{"continuation_token":"t","methods":[]}"#, "general"), (.token("t"), "general"),
        (#"{"methods":[{"id":"1","challenge_type":"oob","challenge_channel":"email"}]}"#, "general"),
        (
            #"{"continuation_token":"t","methods":[{"id":"1","challenge_type":"fax","challenge_channel":"email"}]}"#,
            "general"
        ),
    ])
    func `Without methods there is nothing to choose from`(answer: Answer, flag: String) async throws {
        server.on(.introspect, answer)
        #expect(await signIn().line == "onSignInStartError \(flag)")
        server.on(.token, Self.registrationRequired)
        server.on(.registerIntrospect, answer)
        #expect(await signIn().line == "onSignInStartError \(flag)")
    }

    @Test func `A password or code step that leads to no methods leaves no state`() async throws {
        server.on(.introspect, .refusal("expired_token"))
        for answer in [Answer.password("t2"), .code("t2")] {
            server.on(.challenge, answer)
            let parameters = MSALNativeAuthSignInParameters(username: "a@b.c")
            let told = await recorder.told { app.nativeAuth.signIn(parameters: parameters, delegate: $0) }
            if let state = told.state as? SignInCodeRequiredState {
                #expect(
                    await recorder.told { state.submitCode(code: "1", delegate: $0) }.line
                        == "onSignInVerifyCodeError general")
            } else {
                let state: SignInPasswordRequiredState = try told.state()
                #expect(
                    await recorder.told { state.submitPassword(password: "p", delegate: $0) }.line
                        == "onSignInPasswordRequiredError general")
            }
        }
    }

    @Test(arguments: [
        (Answer.redirect, "onMFARequestChallengeError BrowserRequired +state"),
        (.refusal("expired_token"), "onMFARequestChallengeError general +state"),
        (blocked, "onMFARequestChallengeError AuthMethodBlocked +state"),
        (.refusal("access_denied"), "onMFARequestChallengeError general +state"),
        (.password("t"), "onMFARequestChallengeError general"),
        (
            .refusal("invalid_request", "introspect_required", more: #","continuation_token":"m9""#),
            "onMFARequestChallengeSelectionRequired"
        ),
    ])
    func `A code of a second factor is sent, or not`(answer: Answer, line: String) async throws {
        let (state, method) = try await awaiting()
        server.on(.challenge, answer)
        let told = await recorder.told { state.requestChallenge(authMethod: method, delegate: $0) }
        #expect(told.line == line)
        if line.contains("Blocked") {
            #expect(told.error?.errorDescription?.hasPrefix("The server blocked the strong authentication") == true)
            #expect(told.error?.errorDescription?.hasSuffix("TEXT") == true)
        }
        if line.hasSuffix("+state") {
            // The same token again.
            let next: MFARequiredState = try told.state()
            server.on(.challenge, .code("m3"))
            _ = await recorder.told { next.requestChallenge(authMethod: method, delegate: $0) }
            #expect(server.form(.challenge)["continuation_token"] == "m2")
        }
        if line.hasSuffix("SelectionRequired") {
            #expect(server.form(.introspect)["continuation_token"] == "m9")
            #expect(told.methods.count == 2)
        }
    }

    @Test(arguments: [
        (Answer.refusal("invalid_grant", "invalid_oob_value"), "InvalidChallenge +state"),
        (.refusal("invalid_grant"), "general +state"), (.redirect, "BrowserRequired +state"),
        (Answer("", status: 404), "general +state"), (mfaRequired, "general"), (registrationRequired, "general"),
    ])
    func `A second factor's code that is refused can be given again`(answer: Answer, outcome: String) async throws {
        let (state, _) = try await required()
        server.on(.token, answer)
        let told = await recorder.told { state.submitChallenge(challenge: "1", delegate: $0) }
        #expect(told.line == "onMFASubmitChallengeError \(outcome)")
        if outcome.hasSuffix("+state") { #expect(try told.state(as: MFARequiredState.self) === state) }
    }

    @Test func `After a wrong code the states from before are good for another, and the first takes it`() async throws {
        let (awaiting, method) = try await awaiting()
        server.on(.challenge, .code("m3"), .code("m4"))
        let first: MFARequiredState = try await recorder.told {
            awaiting.requestChallenge(authMethod: method, delegate: $0)
        }.state()
        server.on(.token, .refusal("invalid_grant", "invalid_oob_value"))
        _ = await recorder.told { first.submitChallenge(challenge: "1", delegate: $0) }
        _ = await recorder.told { awaiting.requestChallenge(authMethod: method, delegate: $0) }
        #expect(server.form(.challenge)["continuation_token"] == "m2")
        server.on(.token, .tokens("first"))
        let done = await recorder.told { first.submitChallenge(challenge: "2", delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        #expect(server.form(.token)["continuation_token"] == "m3")
    }

    @Test func `A contact is registered by a code, and the scopes are those of the sign-in`() async throws {
        let (_, told) = try await registering("new@example.com")
        #expect(told.line == "onRegisterStrongAuthVerificationRequired")
        #expect(told.contact == "ada@example.com")
        #expect(told.codeLength == 6)
        #expect(
            server.form(.registerChallenge) == [
                "client_id": "app", "continuation_token": "r2", "challenge_type": "oob",
                "challenge_target": "new@example.com", "challenge_channel": "email",
            ])
        let state: RegisterStrongAuthVerificationRequiredState = try told.state()
        server.on(.token, .tokens("first"))
        let done = await recorder.told { state.submitChallenge(challenge: "123", delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        #expect(
            server.form(.registerContinue) == [
                "client_id": "app", "continuation_token": "r3", "grant_type": "oob", "oob": "123",
            ])
        #expect(
            server.form(.token) == [
                "client_id": "app", "continuation_token": "r4", "grant_type": "continuation_token",
                "scope": "api openid profile offline_access", "client_info": "true",
                "challenge_type": "oob password redirect",
            ])
    }

    @Test func `A contact that was proven before needs no code`() async throws {
        server.on(.registerChallenge, #"{"continuation_token":"r3","challenge_type":"preverified"}"#)
        server.on(.token, Self.registrationRequired, .tokens("first"))
        let signIn = await signIn()
        let state: RegisterStrongAuthState = try signIn.state()
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(
            authMethod: try #require(signIn.methods.first), verificationContact: "ada@example.com")
        let done = await recorder.told { state.challengeAuthMethod(parameters: parameters, delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        #expect(
            server.form(.registerContinue) == [
                "client_id": "app", "continuation_token": "r3", "grant_type": "continuation_token",
            ])
    }

    @Test(arguments: [
        (Answer.redirect), (.refusal("invalid_grant", "invalid_oob_value")), (.refusal("access_denied")), ("{}"),
    ])
    func `Whatever fails for a contact that was proven before is general`(answer: Answer) async throws {
        server.on(.registerChallenge, #"{"continuation_token":"r3","challenge_type":"preverified"}"#)
        server.on(.registerContinue, answer)
        let (_, told) = try await registering()
        #expect(told.line == "onRegisterStrongAuthChallengeError general")
    }

    @Test(arguments: [
        (Answer.redirect, "BrowserRequired"), (blocked, "VerificationContactBlocked +state"),
        (.refusal("invalid_request", codes: [1, 901_001]), "InvalidInput +state"),
        (.refusal("invalid_request"), "general +state"), (.refusal("expired_token"), "general +state"),
        (.password("t"), "general +state"), (.code("t"), ""),
    ])
    func `A contact is taken, or not`(answer: Answer, outcome: String) async throws {
        server.on(.registerChallenge, answer)
        let (_, told) = try await registering()
        guard !outcome.isEmpty else {
            #expect(told.line == "onRegisterStrongAuthVerificationRequired")
            return
        }
        #expect(told.line == "onRegisterStrongAuthChallengeError \(outcome)")
    }

    @Test func `What is empty is refused without a request`() async throws {
        let (_, told) = try await registering("")
        #expect(told.line == "onRegisterStrongAuthChallengeError InvalidInput +state")
        #expect(server.requests(to: .registerChallenge).isEmpty)
        let (_, asked) = try await registering()
        let state: RegisterStrongAuthVerificationRequiredState = try asked.state()
        #expect(
            await recorder.told { state.submitChallenge(challenge: "", delegate: $0) }.line
                == "onRegisterStrongAuthSubmitChallengeError InvalidChallenge +state")
        server.on(.token, Self.mfaRequired)
        server.on(.challenge, .password("t2"))
        let (required, _) = try await required()
        #expect(
            await recorder.told { required.submitChallenge(challenge: "", delegate: $0) }.line
                == "onMFASubmitChallengeError InvalidChallenge +state")
    }

    @Test(arguments: [
        (Endpoint.registerContinue, Answer.refusal("invalid_grant", "invalid_oob_value"), "InvalidChallenge +state"),
        (.registerContinue, .refusal("invalid_grant"), "general +state"),
        (.registerContinue, .refusal("access_denied"), "general +state"), (.registerContinue, "{}", "general +state"),
        (.registerContinue, .redirect, "BrowserRequired"), (.token, .refusal("invalid_grant"), "general"),
        (.token, .redirect, "BrowserRequired"), (.token, mfaRequired, "general"),
    ])
    func `A registration's code that is refused can be given again`(
        endpoint: Endpoint, answer: Answer, outcome: String
    ) async throws {
        let (_, told) = try await registering()
        let state: RegisterStrongAuthVerificationRequiredState = try told.state()
        server.on(.token, .tokens("first"))
        server.on(endpoint, answer)
        let error = await recorder.told { state.submitChallenge(challenge: "1", delegate: $0) }
        #expect(error.line == "onRegisterStrongAuthSubmitChallengeError \(outcome)")
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(
            authMethod: try #require(await methodsOfRegistration().first), verificationContact: "x@y.z")
        let again = await recorder.told { state.challengeAuthMethod(parameters: parameters, delegate: $0) }
        #expect(again.line == "onRegisterStrongAuthVerificationRequired")
        #expect(server.form(.registerChallenge)["continuation_token"] == "r3")
    }

    private func methodsOfRegistration() async -> [MSALAuthMethod] {
        server.on(.token, Self.registrationRequired)
        return await signIn().methods
    }
}
