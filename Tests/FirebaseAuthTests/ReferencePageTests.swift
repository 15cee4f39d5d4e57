// One import, as on the page; nothing else may be needed.
import FirebaseAuth
import Testing

/// The code of the page "TOTP-MFA zu iOS-App hinzufügen" of the Firebase documentation, put together to one flow and
/// run.
@Suite struct ReferencePageTests {
    private let server = ScriptedServer()
    private let auth: Auth

    init() {
        auth = makeAuth(server)
        server.acceptSignIn()
        server.on(
            "mfaEnrollment:start",
            #"{"totpSessionInfo":{"sharedSecretKey":"JBSWY3DPEHPK3PXP","verificationCodeLength":6,"hashingAlgorithm":"#
                + #""SHA1","periodSec":30,"sessionInfo":"SESSION","#
                + #""finalizeEnrollmentTime":"2026-09-24T10:26:12.123456Z"}}"#)
        server.on("mfaEnrollment:finalize", "{\(ScriptedServer.tokens("enrolled")),\"totpAuthInfo\":{}}")
        server.on("mfaSignIn:finalize", "{\(ScriptedServer.tokens("second"))}")
        server.on("mfaEnrollment:withdraw", "{\(ScriptedServer.tokens("withdrawn"))}")
    }

    @MainActor
    @Test func `The page's code enrols, signs in and unenrols on the main actor`() async throws {
        try await auth.signIn(withEmail: "a@b.c", password: "password")
        let currentUser = try #require(auth.currentUser)

        guard let mfaSession = try? await currentUser.multiFactor.session() else { return }
        guard let totpSecret = try? await TOTPMultiFactorGenerator.generateSecret(with: mfaSession) else {
            Issue.record("no secret")
            return
        }
        let secret = totpSecret.sharedSecretKey()
        #expect(secret == "JBSWY3DPEHPK3PXP")
        let otpAuthUri = totpSecret.generateQRCodeURL(
            withAccountName: currentUser.email ?? "default account",
            issuer: "Your App Name")
        totpSecret.openInOTPApp(withQRCodeURL: otpAuthUri)

        let multiFactorAssertion = TOTPMultiFactorGenerator.assertionForEnrollment(
            with: totpSecret,
            oneTimePassword: "123456")
        server.acceptLookup(mfaInfo: ScriptedServer.totpFactor)
        try await currentUser.multiFactor.enroll(with: multiFactorAssertion, displayName: "TOTP")
        #expect(currentUser.multiFactor.enrolledFactors.map(\.displayName) == ["TOTP"])
        try auth.signOut()

        server.askForSecondFactor()
        let user = try await signIn(selectedIndex: 0)
        #expect(user?.uid == "u1")
        #expect(auth.currentUser === user)

        server.acceptLookup()
        let signedIn = try #require(auth.currentUser)
        let multiFactorInfo = signedIn.multiFactor.enrolledFactors[0]
        do {
            try await signedIn.multiFactor.unenroll(with: multiFactorInfo)
        } catch let error as AuthErrorCode where error.code == .invalidUserToken {
            Issue.record("the last factor's removal keeps the session")
        }
        #expect(signedIn.multiFactor.enrolledFactors.isEmpty)
    }

    /// The page's sign-in, in a function that belongs to no actor.
    private func signIn(selectedIndex: Int) async throws -> User? {
        do {
            let authResult = try await auth.signIn(withEmail: "a@b.c", password: "password")
            return authResult.user
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            let mfaKey = AuthErrorUserInfoMultiFactorResolverKey
            guard let resolver = error.userInfo[mfaKey] as? MultiFactorResolver else { return nil }
            let enrolledFactors = resolver.hints.map(\.displayName)
            #expect(enrolledFactors == ["TOTP"])

            let multiFactorInfo = resolver.hints[selectedIndex]
            switch multiFactorInfo.factorID {
            case TOTPMultiFactorID:
                let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
                    withEnrollmentID: multiFactorInfo.uid,
                    oneTimePassword: "654321")
                let authResult = try await resolver.resolveSignIn(with: assertion)
                return authResult.user
            default:
                return nil
            }
        } catch {
            throw error
        }
    }

    @Test func `A session can be had outside of any actor`() async throws {
        try await auth.signIn(withEmail: "a@b.c", password: "password")
        guard let currentUser = auth.currentUser else { return }
        guard let mfaSession = try? await currentUser.multiFactor.session() else { return }
        guard let totpSecret = try? await TOTPMultiFactorGenerator.generateSecret(with: mfaSession) else {
            Issue.record("no secret")
            return
        }
        totpSecret.openInOTPApp(withQRCodeURL: "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP")
        let error = await code {
            let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
                with: totpSecret, oneTimePassword: "000000")
            self.server.refuse("mfaEnrollment:finalize", "INVALID_CODE")
            try await currentUser.multiFactor.enroll(with: assertion, displayName: "TOTP")
        }
        #expect(error == .invalidVerificationCode)
        #expect(auth.currentUser === currentUser)
    }

    @Test func `A withdrawn factor that the session rested on signs the user out`() async throws {
        server.acceptLookup(mfaInfo: ScriptedServer.totpFactor)
        try await auth.signIn(withEmail: "a@b.c", password: "password")
        server.on("mfaEnrollment:withdraw", "{}")
        let user = try #require(auth.currentUser)
        do {
            try await user.multiFactor.unenroll(with: user.multiFactor.enrolledFactors[0])
            Issue.record("must throw")
        } catch let error as AuthErrorCode where error.code == .invalidUserToken {
            #expect(auth.currentUser == nil)
        }
    }

    @Test func `The error for a second factor can be taken as an NSError too`() async throws {
        server.askForSecondFactor()
        do {
            try await auth.signIn(withEmail: "a@b.c", password: "password")
            Issue.record("must throw")
        } catch {
            let error = error as NSError
            #expect(error.code == AuthErrorCode.secondFactorRequired.rawValue)
            #expect(error.domain == AuthErrorDomain)
            let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
            #expect(resolver?.hints.count == 1)
            #expect(error.userInfo[AuthErrorUserInfoNameKey] as? String == "ERROR_SECOND_FACTOR_REQUIRED")
        }
    }

    @Test func `Each step asks the endpoints that the protocol names, in its order`() async throws {
        server.askForSecondFactor()
        _ = try await signIn(selectedIndex: 0)
        #expect(
            server.paths == [
                "v1/accounts:signInWithPassword", "v2/accounts/mfaSignIn:finalize", "v1/token", "v1/accounts:lookup",
            ])
        #expect(server.body(to: "v1/token") == #"{"grantType":"refresh_token","refreshToken":"rt-second"}"#)
        #expect(auth.currentUser?.refreshToken == "rt-fresh1")

        // Tokens that could be used for an hour are refreshed all the same.
        let hour = token(#"{"iat":1790000000,"exp":1790003600}"#)
        server.on("mfaEnrollment:finalize", #"{"idToken":"\#(hour)","refreshToken":"rt-enrolled"}"#)
        server.on("mfaEnrollment:withdraw", #"{"idToken":"\#(hour)","refreshToken":"rt-withdrawn"}"#)
        let user = try #require(auth.currentUser)
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
        let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: "1")
        try await user.multiFactor.enroll(with: assertion, displayName: "TOTP")
        try await user.multiFactor.unenroll(withFactorUID: "factor-1")
        #expect(
            server.paths.dropFirst(4) == [
                "v2/accounts/mfaEnrollment:start", "v2/accounts/mfaEnrollment:finalize", "v1/token",
                "v1/accounts:lookup", "v2/accounts/mfaEnrollment:withdraw", "v1/token", "v1/accounts:lookup",
            ])
        #expect(
            server.bodies(to: "v1/token")
                == ["rt-second", "rt-enrolled", "rt-withdrawn"].map {
                    #"{"grantType":"refresh_token","refreshToken":"\#($0)"}"#
                })
    }
}

/// Compiled and not run: it would ask a server.
private func theSingletonIsReachedAsOnThePage() {
    FirebaseApp.configure()
    guard let currentUser = Auth.auth().currentUser else { return }
    _ = currentUser.multiFactor.enrolledFactors
    Auth.auth().useEmulator(withHost: "localhost", port: 9099)
}
