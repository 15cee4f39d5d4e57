import ClientHTTP
import FirebaseAuth
import Foundation
import Testing

@Suite struct ErrorTests {
    private let server = ScriptedServer()
    private let auth: Auth

    init() { auth = makeAuth(server) }

    /// Source: firebase-ios-sdk, `AuthBackend`.
    static let table: [(String, AuthErrorCode.Code, Int)] = [
        ("USER_NOT_FOUND", .userNotFound, 17011),
        ("EMAIL_NOT_FOUND", .userNotFound, 17011),
        ("INVALID_ID_TOKEN", .invalidUserToken, 17017),
        ("TOKEN_EXPIRED", .userTokenExpired, 17021),
        ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .requiresRecentLogin, 17014),
        ("EMAIL_EXISTS", .emailAlreadyInUse, 17007),
        ("INVALID_EMAIL", .invalidEmail, 17008),
        ("INVALID_IDENTIFIER", .invalidEmail, 17008),
        ("MISSING_EMAIL", .missingEmail, 17034),
        ("OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.", .operationNotAllowed, 17006),
        ("PASSWORD_LOGIN_DISABLED", .operationNotAllowed, 17006),
        ("USER_DISABLED", .userDisabled, 17005),
        ("WEAK_PASSWORD : Password should be at least 6 characters", .weakPassword, 17026),
        ("TOO_MANY_ATTEMPTS_TRY_LATER", .tooManyRequests, 17010),
        ("INVALID_PASSWORD", .wrongPassword, 17009),
        ("INVALID_LOGIN_CREDENTIALS", .invalidCredential, 17004),
        ("INVALID_PENDING_TOKEN", .invalidCredential, 17004),
        ("INVALID_IDP_RESPONSE", .invalidCredential, 17004),
        ("EXPIRED_OOB_CODE", .expiredActionCode, 17029),
        ("INVALID_OOB_CODE", .invalidActionCode, 17030),
        ("INVALID_CODE", .invalidVerificationCode, 17044),
        ("INVALID_SESSION_INFO", .invalidVerificationID, 17046),
        ("SESSION_EXPIRED", .sessionExpired, 17051),
        ("QUOTA_EXCEEDED : Exceeded quota.", .quotaExceeded, 17052),
        ("INVALID_MFA_PENDING_CREDENTIAL : MFA pending credential is expired.", .invalidMultiFactorSession, 17083),
        ("MISSING_MFA_PENDING_CREDENTIAL", .missingMultiFactorSession, 17081),
        ("MFA_ENROLLMENT_NOT_FOUND", .multiFactorInfoNotFound, 17084),
        ("MISSING_MFA_ENROLLMENT_ID", .missingMultiFactorInfo, 17082),
        ("SECOND_FACTOR_EXISTS : Phone number already enrolled", .secondFactorAlreadyEnrolled, 17087),
        ("SECOND_FACTOR_LIMIT_EXCEEDED : Too many", .maximumSecondFactorCountExceeded, 17088),
        ("UNSUPPORTED_FIRST_FACTOR : MFA is not available", .unsupportedFirstFactor, 17089),
        ("UNVERIFIED_EMAIL : Need to verify email first", .unverifiedEmail, 17086),
        ("TENANT_ID_MISMATCH", .tenantIDMismatch, 17072),
        ("ADMIN_ONLY_OPERATION", .adminRestrictedOperation, 17085),
        ("TOTP_CHALLENGE_TIMEOUT : TOTP challenge timeout", .totpChallengeTimeout, 17900),
        ("TOO_MANY_ENROLLMENT_ATTEMPTS : restart enrollment", .tooManyEnrollmentAttempts, 17901),
        ("MISSING_DISPLAY_NAME : display name cannot be empty", .missingDisplayName, 17902),
        ("INVALID_MFA_ENROLLMENT_ID", .invalidMultiFactorEnrollmentID, 17903),
        ("MFA_ENROLLMENT_ALREADY_COMPLETE : done", .multiFactorEnrollmentAlreadyComplete, 17904),
        ("MISSING_PASSWORD", .missingPassword, 17905),
        ("UNSUPPORTED_SECOND_FACTOR : no", .unsupportedSecondFactor, 17906),
        ("Request contains an invalid argument.", .invalidArgument, 17907),
        ("PASSKEY_ENROLLMENT_NOT_FOUND", .missingPasskeyEnrollment, 17212),
        ("PASSKEY_CREDENTIAL_NOT_FOUND", .missingPasskeyEnrollment, 17212),
        ("INVALID_AUTHENTICATOR_RESPONSE : Begin again.", .invalidAuthenticatorResponse, 17912),
        ("MISSING_AUTHENTICATOR_RESPONSE", .invalidAuthenticatorResponse, 17912),
        ("INVALID_CREDENTIAL_ID", .invalidAuthenticatorResponse, 17912),
        ("CREDENTIAL_ALREADY_IN_USE", .credentialAlreadyInUse, 17025),
        ("INVALID_HOSTING_LINK_DOMAIN", .invalidHostingLinkDomain, 17214),
        ("MISSING_CODE", .missingVerificationCode, 17043),
        ("INVALID_REFRESH_TOKEN", .userTokenExpired, 17021),
        ("The request is missing a valid API key.", .invalidAPIKey, 17023),
        ("SOMETHING_NEW : that nobody knows", .internalError, 17999),
        ("", .internalError, 17999),
    ]

    @Test(arguments: table)
    func `A refusal becomes its code, as AuthErrorCode and as NSError`(
        message: String, code: AuthErrorCode.Code, number: Int
    ) async throws {
        server.refuse("accounts:signInWithPassword", message)
        do {
            try await auth.signIn(withEmail: "a@b.c", password: "p")
            Issue.record("must throw")
        } catch let error as AuthErrorCode where error.code == code {
            #expect(error.rawValue == number)
        }
        do {
            try await auth.signIn(withEmail: "a@b.c", password: "p")
            Issue.record("must throw")
        } catch {
            let error = error as NSError
            #expect(error.domain == "FIRAuthErrorDomain")
            #expect(error.code == number)
            #expect(error.localizedDescription.isEmpty == false)
        }
    }

    @Test func `An error tells the server's sentence and keeps its answer`() async throws {
        server.refuse("accounts:signInWithPassword", "WEAK_PASSWORD : Password should be longer: much")
        do {
            try await auth.signIn(withEmail: "a@b.c", password: "p")
        } catch let error as AuthErrorCode {
            #expect(error.userInfo[NSLocalizedFailureReasonErrorKey] as? String == "Password should be longer: much")
            #expect(error.userInfo[AuthErrorUserInfoNameKey] as? String == "ERROR_WEAK_PASSWORD")
            let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
            let answer = underlying.userInfo[AuthErrorUserInfoDeserializedResponseKey] as? [String: Any]
            let body = answer?["error"] as? [String: Any]
            #expect(body?["message"] as? String == "WEAK_PASSWORD : Password should be longer: much")
            #expect(body?["code"] as? Int == 400)
            #expect("\(error)" == "weakPassword (17026): Password should be longer: much")
        }
    }

    @Test(arguments: [
        (429, AuthErrorCode.Code.tooManyRequests), (503, .serverUnavailable), (502, .serverUnavailable),
    ])
    func `A busy server's answer tells how long to wait`(status: Int, code: AuthErrorCode.Code) async throws {
        server.on("accounts:signInWithPassword", "<html>", status: status, headers: ["Retry-After": "7"])
        do {
            try await auth.signIn(withEmail: "a@b.c", password: "p")
            Issue.record("must throw")
        } catch let error as AuthErrorCode where error.code == code {
            #expect(error.userInfo[AuthErrorUserInfoRetryAfterKey] as? Double == 7)
        }
    }

    @Test func `A server that cannot be reached is a network error, a cancelled task is a cancelled task`() async throws
    {
        server.on("accounts:signInWithPassword") { _ in throw HTTPClientError.timedOut(after: 1) }
        #expect(await code { try await auth.signIn(withEmail: "a", password: "p") } == .networkError)
        server.on("accounts:signInWithPassword") { _ in
            try await Task.sleep(nanoseconds: 60_000_000_000)
            return HTTPClientResponse(status: 200)
        }
        let task = Task { [auth] in try await auth.signIn(withEmail: "a", password: "p") }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func `Codes can be compared, caught and switched over`() throws {
        let error = AuthErrorCode(.networkError)
        #expect(error == .networkError)
        #expect(error != .weakPassword)
        #expect(AuthErrorCode.networkError.rawValue == 17020)
        if let caught = (error as any Error) as? AuthErrorCode, caught == .networkError {} else { Issue.record("no") }
        do { throw error } catch AuthErrorCode.networkError {} catch { Issue.record("not caught by its code") }
        switch AuthErrorCode(rawValue: 17009) {
        case .wrongPassword: break
        default: Issue.record("not switched over")
        }
        switch error {
        case .networkError: break
        default: Issue.record("not switched over")
        }
        #expect(AuthErrorCode.Code(rawValue: 17078) == .secondFactorRequired)
        #expect(AuthErrorCode(rawValue: 1) == nil)
    }

    @Test func `The constants have the original's values`() {
        #expect(TOTPMultiFactorID == "totp")
        #expect(PhoneMultiFactorID == "phone")
        #expect(AuthErrorUserInfoNameKey == "FIRAuthErrorUserInfoNameKey")
        #expect(AuthErrorUserInfoMultiFactorResolverKey == "FIRAuthErrorUserInfoMultiFactorResolverKey")
        #expect(EmailAuthProviderID == "password")
    }

    @Test func `Every code has its own word`() {
        let words = AuthErrorCode.Code.allCases.compactMap {
            AuthErrorCode($0).userInfo[AuthErrorUserInfoNameKey] as? String
        }
        #expect(Set(words).count == AuthErrorCode.Code.allCases.count)
        #expect(words.contains("ERROR_MALFORMED_JWT"))
        #expect(words.contains("ERROR_TENANT_ID_MISMATCH"))
        #expect(words.contains("ERROR_NETWORK_REQUEST_FAILED"))
    }
}

@Suite struct MalformedAnswerTests {
    static let answers = [
        "", "null", "[]", "7", "\"text\"", "<html><body>Bad Gateway</body></html>", "{", "{}", "{\"idToken\":7}",
        #"{"idToken":"a"}"#, #"{"idToken":"a","refreshToken":"b","expiresIn":"soon"}"#,
        #"{"idToken":"a","refreshToken":"b","expiresIn":{}}"#, #"{"mfaInfo":[]}"#, #"{"mfaInfo":{}}"#,
        #"{"idToken":"","refreshToken":""}"#, #"{"users":[]}"#, #"{"users":[{}]}"#, #"{"users":[{"localId":""}]}"#,
        #"{"users":[{"localId":"u1"},{"localId":"u2"}]}"#, #"{"totpSessionInfo":{}}"#,
        #"{"totpSessionInfo":{"sharedSecretKey":"A"}}"#,
        #"{"totpSessionInfo":{"sharedSecretKey":7,"sessionInfo":"s"}}"#,
        #"{"access_token":7}"#, #"{"mfaInfo":[{"totpInfo":"x"}],"mfaPendingCredential":"p"}"#,
        String(repeating: "[", count: 100_000), "\u{0}\u{FFFD}",
    ]

    @Test(arguments: answers)
    func `An answer that is not what the protocol says is an error, wherever it comes`(answer: String) async throws {
        let server = ScriptedServer()
        let auth = makeAuth(server)
        for path in ["accounts:signInWithPassword", "accounts:signUp", "accounts:lookup"] {
            server.acceptSignIn()
            server.on(path, answer)
            #expect(
                await code { try await auth.signIn(withEmail: "a@b.c", password: "p") }
                    == (path == "accounts:signUp" ? nil : .malformedResponse))
            #expect(
                await code { try await auth.createUser(withEmail: "a@b.c", password: "p") }
                    == (path == "accounts:signInWithPassword" ? nil : .malformedResponse))
        }
        server.acceptSignIn()
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        server.on("mfaEnrollment:start", answer)
        #expect(
            await code {
                _ = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
            } == .malformedResponse)
        server.on("v1/token", answer)
        let refreshed = await code { _ = try await user.getIDToken(forcingRefresh: true) }
        #expect(refreshed == .malformedResponse || answer.hasPrefix(#"{"idToken":"a""#))
        #expect(auth.currentUser === user)
    }

    @Test func `An answer that is too long is an error`() async throws {
        let server = ScriptedServer()
        let auth = makeAuth(server)
        server.on("accounts:signInWithPassword") { _ in
            HTTPClientResponse(status: 200, body: Data(repeating: 32, count: 5 << 20))
        }
        #expect(await code { try await auth.signIn(withEmail: "a@b.c", password: "p") } == .malformedResponse)
    }

    @Test func `A refusal in HTML is an error with its status`() async throws {
        let server = ScriptedServer()
        let auth = makeAuth(server)
        server.on("accounts:signInWithPassword", "<html>502</html>", status: 502)
        #expect(await code { try await auth.signIn(withEmail: "a@b.c", password: "p") } == .serverUnavailable)
        server.on("accounts:signInWithPassword", "<html>404</html>", status: 404)
        #expect(await code { try await auth.signIn(withEmail: "a@b.c", password: "p") } == .internalError)
        server.on("accounts:signInWithPassword", #"{"error":"text"}"#, status: 400)
        #expect(await code { try await auth.signIn(withEmail: "a@b.c", password: "p") } == .internalError)
    }

    @Test func `A second factor without a pending credential is an error, hints of unknown kinds are passed over`()
        async throws
    {
        let server = ScriptedServer()
        let auth = makeAuth(server)
        server.askForSecondFactor(
            hints:
                #"{"mfaEnrollmentId":"x","newKind":{}},{"totpInfo":{}},{"mfaEnrollmentId":"p","phoneInfo":"+***01"},"#
                + ScriptedServer.totpFactor)
        do {
            try await auth.signIn(withEmail: "a@b.c", password: "p")
        } catch let error as AuthErrorCode {
            let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
            #expect(resolver?.hints.map(\.uid) == ["p", "factor-1"])
            #expect((resolver?.hints.first as? PhoneMultiFactorInfo)?.phoneNumber == "+***01")
            #expect(resolver?.hints.map(\.factorID) == [PhoneMultiFactorID, TOTPMultiFactorID])
        }
    }
}
