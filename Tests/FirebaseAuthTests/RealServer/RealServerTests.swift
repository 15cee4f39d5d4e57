import CountersignCore
import FirebaseAuth
import Foundation
import OneTimePassword
import Testing

/// The real client against the real server.
@Suite struct RealServerTests {
    private static let email = "ada@example.com"
    private static let password = "a quiet afternoon"

    /// Signs up, confirms the address, and enrols TOTP; answers the factor's codes.
    private static func enrol(_ auth: Auth, _ server: RunningServer) async throws -> TOTP {
        let user = try await auth.createUser(withEmail: email, password: password).user
        try await user.sendEmailVerification()
        try await auth.applyActionCode(#require(try await server.mailedCode()))
        try await user.reload()
        #expect(user.isEmailVerified)
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
        let uri = try OTPAuthURI(
            parsing: secret.generateQRCodeURL(withAccountName: email, issuer: "Your App: Name & Co"))
        #expect(uri.issuer == "Your App: Name & Co")
        let totp = try TOTP(secret: uri.secret)
        try await user.multiFactor.enroll(
            with: TOTPMultiFactorGenerator.assertionForEnrollment(
                with: secret, oneTimePassword: totp.code(at: server.realm.clock.now).stringCode),
            displayName: "TOTP")
        return totp
    }

    private static func resolver(_ auth: Auth) async throws -> MultiFactorResolver {
        do {
            try await auth.signIn(withEmail: email, password: password)
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            return try #require(error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver)
        }
        throw AuthErrorCode(.internalError)
    }

    private static func resolve(_ resolver: MultiFactorResolver, _ code: String) async throws -> AuthDataResult {
        try await resolver.resolveSignIn(
            with: TOTPMultiFactorGenerator.assertionForSignIn(
                withEnrollmentID: try #require(resolver.hints.first).uid, oneTimePassword: code))
    }

    private static func code(of body: () async throws -> Void) async -> AuthErrorCode.Code? {
        do {
            try await body()
            return nil
        } catch let error as AuthErrorCode {
            return error.code
        } catch {
            return .internalError
        }
    }

    @Test(arguments: [true, false])
    func `A user enrols signs in and unenrols`(isDevelopment: Bool) async throws {
        try await RealServer.run(isDevelopment: isDevelopment) { server in
            let key =
                isDevelopment
                ? "any" : try #require(try await server.realm.applications.applications().first).id.rawValue
            let auth = server.auth(apiKey: key)
            let totp = try await Self.enrol(auth, server)
            #expect(auth.currentUser?.multiFactor.enrolledFactors.map(\.displayName) == ["TOTP"])
            let enrolled = try #require(auth.currentUser)
            #expect(try await enrolled.getIDTokenResult().signInSecondFactor == "totp")
            try auth.signOut()

            // Without a clock to move, the next step of the window is the code that was not used yet.
            if isDevelopment { try await server.advanceClock(seconds: 60) }
            let next = totp.code(step: totp.step(at: server.realm.clock.now) + 1).stringCode
            let resolver = try await Self.resolver(auth)
            #expect(resolver.hints.map(\.factorID) == [TOTPMultiFactorID])
            #expect(await Self.code { _ = try await Self.resolve(resolver, "000000") } == .invalidVerificationCode)
            let user = try await Self.resolve(resolver, next).user
            #expect(user.email == Self.email)
            // What the session was proven with survives a refresh.
            #expect(try await user.getIDTokenResult(forcingRefresh: true).signInSecondFactor == "totp")

            try await user.multiFactor.unenroll(with: try #require(user.multiFactor.enrolledFactors.first))
            #expect(auth.currentUser?.multiFactor.enrolledFactors.isEmpty == true)
            #expect(try await #require(auth.currentUser).getIDTokenResult().signInSecondFactor == "")
            try auth.signOut()
            try await auth.signIn(withEmail: Self.email, password: Self.password)
            try await #require(auth.currentUser).delete()
            #expect(auth.currentUser == nil)
        }
    }

    @Test func `Errors of the server become codes of their own`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let user = try await auth.createUser(withEmail: Self.email, password: Self.password).user
            func code(_ body: () async throws -> Void) async -> AuthErrorCode.Code? { await Self.code(of: body) }
            #expect(
                await code { try await auth.createUser(withEmail: Self.email, password: Self.password) }
                    == .emailAlreadyInUse)
            #expect(
                await code { try await auth.createUser(withEmail: "b@example.com", password: "short") } == .weakPassword
            )
            #expect(
                await code { try await auth.createUser(withEmail: "nobody", password: Self.password) } == .invalidEmail)
            #expect(
                await code { try await auth.signIn(withEmail: Self.email, password: "something else") }
                    == .invalidCredential)
            #expect(
                await code { try await auth.signIn(withEmail: "c@example.com", password: "something else") }
                    == .invalidCredential)
            #expect(await code { try await auth.applyActionCode("nonsense") } == .invalidActionCode)
            let unverified = await code {
                _ = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
            }
            #expect(unverified == .unverifiedEmail)
            try await server.advanceClock(seconds: 301)
            #expect(await code { try await user.delete() } == .requiresRecentLogin)
        }
    }

    @Test func `An expired challenge has a code of its own`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let totp = try await Self.enrol(auth, server)
            try auth.signOut()
            let resolver = try await Self.resolver(auth)
            try await server.advanceClock(seconds: 301)
            let code = totp.code(at: server.realm.clock.now).stringCode
            #expect(await Self.code { _ = try await Self.resolve(resolver, code) } == .totpChallengeTimeout)
        }
    }

    @Test func `A password is reset by the mailed link`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            try await auth.createUser(withEmail: Self.email, password: Self.password)
            let other = server.auth()
            try await other.sendPasswordReset(withEmail: Self.email)
            let code = try #require(try await server.mailedCode())
            #expect(try await other.verifyPasswordResetCode(code) == Self.email)
            try await other.confirmPasswordReset(withCode: code, newPassword: "a stormy evening")
            #expect(
                await Self.code { try await other.signIn(withEmail: Self.email, password: Self.password) }
                    == .invalidCredential)
            try await other.signIn(withEmail: Self.email, password: "a stormy evening")
            // The session from before the reset is over, and the client notices.
            let user = try #require(auth.currentUser)
            #expect(await Self.code { _ = try await user.getIDToken(forcingRefresh: true) } == .userTokenExpired)
            #expect(auth.currentUser == nil)
        }
    }

    @Test func `A password is changed and the session goes on`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let user = try await auth.createUser(withEmail: Self.email, password: Self.password).user
            try await user.updatePassword(to: "a stormy evening")
            _ = try await user.getIDToken(forcingRefresh: true)
            let change = user.createProfileChangeRequest()
            change.displayName = "Ada"
            try await change.commitChanges()
            #expect(user.displayName == "Ada")
            try await auth.signIn(withEmail: Self.email, password: "a stormy evening")
        }
    }

    @Test func `An email link signs in and up`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let settings = ActionCodeSettings()
            settings.url = URL(string: "http://127.0.0.1/finish")
            settings.handleCodeInApp = true
            try await auth.sendSignInLink(toEmail: "new@example.com", actionCodeSettings: settings)
            let messages = try await server.realm.outbox.messages()
            let path = try #require(messages.last?.content.values["link"])
            let link = server.url.absoluteString + "/" + path
            #expect(auth.isSignIn(withEmailLink: link))
            let result = try await auth.signIn(withEmail: "new@example.com", link: link)
            #expect(result.user.isEmailVerified)
            #expect(
                await Self.code { try await auth.signIn(withEmail: "new@example.com", link: link) }
                    == .invalidActionCode)
        }
    }

    @Test func `An account is not moved to another address by an old sign in`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let user = try await auth.createUser(withEmail: Self.email, password: Self.password).user
            try await server.advanceClock(seconds: 301)
            let code = await Self.code { try await user.sendEmailVerification(beforeUpdatingEmail: "b@example.com") }
            #expect(code == .requiresRecentLogin)
            try await user.reauthenticate(
                with: EmailAuthProvider.credential(withEmail: Self.email, password: Self.password))
            try await user.sendEmailVerification(beforeUpdatingEmail: "b@example.com")
            try await auth.applyActionCode(#require(try await server.mailedCode()))
            try await auth.signIn(withEmail: "b@example.com", password: Self.password)
        }
    }

    @Test func `An anonymous user is given an address however late it is`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let user = try await auth.signInAnonymously().user
            let id = user.uid
            try await server.advanceClock(seconds: 3000)
            try await user.link(with: EmailAuthProvider.credential(withEmail: Self.email, password: Self.password))
            #expect(auth.currentUser?.uid == id)
            #expect(auth.currentUser?.isAnonymous == false)
            #expect(try await auth.currentUser?.getIDTokenResult().signInProvider == "password")
            try await auth.signIn(withEmail: Self.email, password: Self.password)
            #expect(auth.currentUser?.uid == id)
        }
    }

    @Test func `Many refreshes at once use one token once`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let user = try await auth.createUser(withEmail: Self.email, password: Self.password).user
            try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<20 { tasks.addTask { try await user.getIDToken(forcingRefresh: true) } }
                for try await token in tasks { #expect(token.split(separator: ".").count >= 2) }
            }
            _ = try await user.getIDToken(forcingRefresh: true)
            #expect(auth.currentUser === user)
        }
    }
}
