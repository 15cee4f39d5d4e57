import ClientHTTP
import FirebaseAuth
import Foundation
import Testing

/// The bodies to the field. Source: firebase-ios-sdk, the tests of its requests.
@Suite struct RequestBodyTests {
    private let server = ScriptedServer()
    private let auth: Auth

    init() {
        auth = makeAuth(server)
        server.acceptSignIn()
        server.on(
            "mfaEnrollment:start",
            #"{"totpSessionInfo":{"sharedSecretKey":"JBSWY3DPEHPK3PXP","verificationCodeLength":6,"#
                + #""hashingAlgorithm":"SHA1","periodSec":30,"sessionInfo":"SESSION"}}"#)
        server.on("mfaEnrollment:finalize", "{\(ScriptedServer.tokens("enrolled")),\"totpAuthInfo\":{}}")
        server.on("mfaEnrollment:withdraw", "{\(ScriptedServer.tokens("withdrawn"))}")
        server.on("mfaSignIn:finalize", "{\(ScriptedServer.tokens("second"))}")
        server.on("accounts:update", #"{"localId":"u1"}"#)
        server.on("accounts:sendOobCode", #"{"email":"a@b.c"}"#)
        server.on("accounts:resetPassword", #"{"requestType":"PASSWORD_RESET","email":"a@b.c"}"#)
        server.on("accounts:delete", #"{"kind":"k"}"#)
        server.on("accounts:signInWithCustomToken", "{\(ScriptedServer.tokens("custom")),\"expiresIn\":\"3600\"}")
        server.on(
            "accounts:signInWithEmailLink", #"{"localId":"u1",\#(ScriptedServer.tokens("link")),"expiresIn":"3600"}"#)
    }

    private func signedIn() async throws -> User {
        try await auth.signIn(withEmail: "a@b.c", password: "pässword").user
    }

    private func secret(of user: User) async throws -> TOTPSecret {
        try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    }

    @Test func `Signing in sends address, password and what client it is`() async throws {
        _ = try await signedIn()
        #expect(
            server.body(to: "accounts:signInWithPassword")
                == #"{"clientType":"CLIENT_TYPE_IOS","email":"a@b.c","password":"pässword","returnSecureToken":true}"#)
        #expect(server.body(to: "accounts:lookup") == #"{"idToken":"id-first"}"#)
    }

    @Test func `Requests are posts of JSON to the production host's path, with the key`() async throws {
        _ = try await signedIn()
        let request = try #require(server.requests.first)
        #expect(
            request.url.absoluteString
                == "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=K")
        #expect(request.method == "POST")
        #expect(request.headers["Content-Type"] == "application/json")
    }

    @Test func `The language goes along as a header`() async throws {
        auth.languageCode = "de"
        _ = try await signedIn()
        #expect(server.requests.first?.headers["X-Firebase-Locale"] == "de")
    }

    @Test func `The tenant goes along with sign-ins`() async throws {
        auth.tenantID = "t1"
        _ = try await signedIn()
        #expect(server.body(to: "accounts:signInWithPassword").contains(#""tenantId":"t1""#))
    }

    @Test func `Making an account sends address and password, and an anonymous one sends neither`() async throws {
        try await auth.createUser(withEmail: "a@b.c", password: "password")
        #expect(
            server.body(to: "accounts:signUp")
                == #"{"clientType":"CLIENT_TYPE_IOS","email":"a@b.c","password":"password","returnSecureToken":true}"#)
        server.on("accounts:lookup", #"{"users":[{"localId":"u1"}]}"#)
        let result = try await auth.signInAnonymously()
        #expect(server.body(to: "accounts:signUp") == #"{"clientType":"CLIENT_TYPE_IOS","returnSecureToken":true}"#)
        #expect(result.user.isAnonymous)
        #expect(result.additionalUserInfo?.isNewUser == true)
    }

    @Test func `A custom token is exchanged as it is`() async throws {
        try await auth.signIn(withCustomToken: "CUSTOM")
        #expect(server.body(to: "accounts:signInWithCustomToken") == #"{"returnSecureToken":true,"token":"CUSTOM"}"#)
    }

    @Test func `A mailed link is exchanged by its code`() async throws {
        let link = "https://x.y/auth/action?mode=signIn&oobCode=CODE&apiKey=K"
        try await auth.signIn(withEmail: "a@b.c", link: link)
        #expect(
            server.body(to: "accounts:signInWithEmailLink")
                == #"{"clientType":"CLIENT_TYPE_IOS","email":"a@b.c","oobCode":"CODE","returnSecureToken":true}"#)
    }

    @Test func `An enrolment begins with an empty TOTP object`() async throws {
        _ = try await secret(of: signedIn())
        #expect(server.body(to: "mfaEnrollment:start") == #"{"idToken":"id-first","totpEnrollmentInfo":{}}"#)
    }

    @Test(arguments: ["TOTP", nil])
    func `An enrolment ends with session and code, and without a name where none is given`(name: String?) async throws {
        let user = try await signedIn()
        let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
            with: try await secret(of: user), oneTimePassword: "012345")
        try await user.multiFactor.enroll(with: assertion, displayName: name)
        let named = name == nil ? "" : #""displayName":"TOTP","#
        #expect(
            server.body(to: "mfaEnrollment:finalize")
                == #"{\#(named)"idToken":"id-first","#
                + #""totpVerificationInfo":{"sessionInfo":"SESSION","verificationCode":"012345"}}"#)
    }

    @Test func `A second factor names the factor beside the code, not inside`() async throws {
        server.askForSecondFactor()
        do {
            _ = try await signedIn()
        } catch let error as AuthErrorCode {
            let resolver = try #require(
                error.userInfo[AuthErrors.userInfoMultiFactorResolverKey] as? MultiFactorResolver)
            let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
                withEnrollmentID: "factor-1", oneTimePassword: "012345")
            try await resolver.resolveSignIn(with: assertion)
        }
        #expect(
            server.body(to: "mfaSignIn:finalize")
                == #"{"mfaEnrollmentId":"factor-1","mfaPendingCredential":"PENDING","#
                + #""totpVerificationInfo":{"verificationCode":"012345"}}"#)
    }

    @Test func `A withdrawal names token and factor`() async throws {
        try await signedIn().multiFactor.unenroll(withFactorUID: "factor-1")
        #expect(
            server.body(to: "mfaEnrollment:withdraw") == #"{"idToken":"id-first","mfaEnrollmentId":"factor-1"}"#)
    }

    @Test func `A change of profile sends what was set and names what was removed`() async throws {
        let user = try await signedIn()
        let change = user.createProfileChangeRequest()
        change.displayName = "Ann"
        change.photoURL = nil
        try await change.commitChanges()
        #expect(
            server.body(to: "accounts:update")
                == #"{"deleteAttribute":["PHOTO_URL"],"displayName":"Ann","idToken":"id-first","#
                + #""returnSecureToken":true}"#
        )
        #expect(await code { try await change.commitChanges() } == .invalidArgument)
    }

    @Test func `A changed password brings tokens that are kept`() async throws {
        let user = try await signedIn()
        server.on("accounts:update", #"{"localId":"u1",\#(ScriptedServer.tokens("changed")),"expiresIn":"3600"}"#)
        try await user.updatePassword(to: "new password")
        #expect(
            server.body(to: "accounts:update")
                == #"{"idToken":"id-first","password":"new password","returnSecureToken":true}"#)
        #expect(server.body(to: "accounts:lookup") == #"{"idToken":"id-changed"}"#)
        #expect(user.refreshToken == "rt-changed")
    }

    @Test func `Mails are asked for by their kind`() async throws {
        let user = try await signedIn()
        try await user.sendEmailVerification()
        #expect(
            server.body(to: "accounts:sendOobCode") == #"{"idToken":"id-first","requestType":"VERIFY_EMAIL"}"#)
        try await user.sendEmailVerification(beforeUpdatingEmail: "new@b.c")
        #expect(
            server.body(to: "accounts:sendOobCode")
                == #"{"idToken":"id-first","newEmail":"new@b.c","requestType":"VERIFY_AND_CHANGE_EMAIL"}"#)
        try await auth.sendPasswordReset(withEmail: "a@b.c")
        #expect(
            server.body(to: "accounts:sendOobCode")
                == #"{"clientType":"CLIENT_TYPE_IOS","email":"a@b.c","requestType":"PASSWORD_RESET"}"#)
        let settings = ActionCodeSettings()
        settings.url = URL(string: "https://x.y/z")
        settings.handleCodeInApp = true
        settings.setAndroidPackageName("p", installIfNotAvailable: true, minimumVersion: "1")
        try await auth.sendSignInLink(toEmail: "a@b.c", actionCodeSettings: settings)
        #expect(
            server.body(to: "accounts:sendOobCode")
                == #"{"androidInstallApp":true,"androidMinimumVersion":"1","androidPackageName":"p","#
                + #""canHandleCodeInApp":true,"clientType":"CLIENT_TYPE_IOS","continueUrl":"https://x.y/z","#
                + #""email":"a@b.c","requestType":"EMAIL_SIGNIN"}"#)
    }

    @Test func `Codes of mails are checked, confirmed and applied`() async throws {
        #expect(try await auth.verifyPasswordResetCode("C") == "a@b.c")
        #expect(server.body(to: "accounts:resetPassword") == #"{"oobCode":"C"}"#)
        try await auth.confirmPasswordReset(withCode: "C", newPassword: "new password")
        #expect(server.body(to: "accounts:resetPassword") == #"{"newPassword":"new password","oobCode":"C"}"#)
        try await auth.applyActionCode("C")
        #expect(server.body(to: "accounts:update") == #"{"oobCode":"C"}"#)
        server.on(
            "accounts:resetPassword",
            #"{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"a@b.c","newEmail":"new@b.c"}"#)
        let info = try await auth.checkActionCode("C")
        #expect(info.operation == .verifyAndChangeEmail)
        #expect(info.email == "new@b.c")
        #expect(info.previousEmail == "a@b.c")
        #expect(await code { _ = try await auth.verifyPasswordResetCode("C") } == .invalidActionCode)
    }

    @Test func `An anonymous account is linked by signing up with its token`() async throws {
        server.on("accounts:lookup", #"{"users":[{"localId":"u1"}]}"#)
        let user = try await auth.signInAnonymously().user
        server.acceptLookup()
        try await user.link(with: EmailAuthProvider.credential(withEmail: "a@b.c", password: "password"))
        #expect(
            server.body(to: "accounts:signUp")
                == #"{"clientType":"CLIENT_TYPE_IOS","email":"a@b.c","idToken":"id-first","password":"password","#
                + #""returnSecureToken":true}"#)
        #expect(!user.isAnonymous)
        let again = EmailAuthProvider.credential(withEmail: "a@b.c", password: "password")
        #expect(await code { try await user.link(with: again) } == .providerAlreadyLinked)
        #expect(await code { _ = try await user.unlink(fromProvider: "google.com") } == .noSuchProvider)
        _ = try await user.unlink(fromProvider: "password")
        #expect(
            server.body(to: "accounts:update")
                == #"{"deleteProvider":["password"],"idToken":"id-first","returnSecureToken":true}"#)
    }

    @Test func `A deleted account is signed out`() async throws {
        try await signedIn().delete()
        #expect(server.body(to: "accounts:delete") == #"{"idToken":"id-first","localId":"u1"}"#)
        #expect(auth.currentUser == nil)
    }

    @Test func `What cannot succeed is refused without a request`() async throws {
        let settings = ActionCodeSettings()
        #expect(await code { try await auth.signIn(withEmail: "a@b.c", password: "") } == .wrongPassword)
        #expect(await code { try await auth.createUser(withEmail: "a@b.c", password: "") } == .weakPassword)
        #expect(await code { try await auth.createUser(withEmail: "", password: "password") } == .missingEmail)
        #expect(await code { try await auth.sendPasswordReset(withEmail: "") } == .missingEmail)
        #expect(
            await code { try await auth.sendSignInLink(toEmail: "a@b.c", actionCodeSettings: settings) }
                == .missingContinueURI)
        settings.url = URL(string: "https://x.y")
        #expect(
            await code { try await auth.sendSignInLink(toEmail: "a@b.c", actionCodeSettings: settings) }
                == .invalidArgument)
        #expect(
            await code { try await auth.confirmPasswordReset(withCode: "C", newPassword: "") } == .weakPassword)
        #expect(
            await code { try await auth.signIn(withEmail: "a@b.c", link: "https://x.y/?mode=resetPassword&oobCode=C") }
                == .invalidActionCode)
        #expect(server.requests.isEmpty)
    }

    @Test func `An assertion counts only for what it was made for`() async throws {
        let user = try await signedIn()
        let forSignIn = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "f", oneTimePassword: "1")
        #expect(
            await code { try await user.multiFactor.enroll(with: forSignIn, displayName: "x") } == .invalidArgument)
        #expect(forSignIn.factorID == TOTPMultiFactorID)
    }
}
